// These names are for package discovery_test only.

package discovery

import (
	"github.com/mesh-gateway/mesh-go/discovery/internal/retirements"
)

var (
	DevelopedBy    = developedBy
	Rewrites       = func(p Provider, id string) []string { return dialect(p).Rewrites(id) }
	Spellings      = func(p Provider, id string) []string { return dialect(p).Spellings(id) }
	Merge          = Registry.merge
	RetirementsCSV = retirements.CSV
)
