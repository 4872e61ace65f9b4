package discovery

var (
	DevelopedBy    = developedBy
	Rewrites       = func(p Provider, id string) []string { return dialect(p).Rewrites(id) }
	Spellings      = func(p Provider, id string) []string { return dialect(p).Spellings(id) }
	Merge          = Registry.merge
	RetirementsCSV = retirementsCSV
)
