// These names are for package discovery_test only.

package discovery

import (
	"github.com/mesh-gateway/mesh-go/discovery/internal/modelid"
	"github.com/mesh-gateway/mesh-go/discovery/internal/retirements"
)

var (
	DevelopedBy    = developedBy
	Rewrites       = func(p Provider, id string) []string { return modelid.RulesOf(p).Rewrites(id) }
	Spellings      = func(p Provider, id string) []string { return modelid.RulesOf(p).Spellings(id) }
	Merge          = mergeRetirements
	RetirementsCSV = retirements.CSV
)
