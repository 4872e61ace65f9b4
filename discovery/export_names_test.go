package discovery

// What the tests of this half see of the unexported names.
var (
	DevelopedBy    = developedBy
	Rewrites       = rewrites
	Spellings      = spellings
	Merge          = Registry.merge
	RetirementsCSV = retirementsCSV
)
