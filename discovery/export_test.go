// These names are for package discovery_test only.

package discovery

var (
	DevelopedBy = developedBy
	Merge       = mergeRetirements
)
