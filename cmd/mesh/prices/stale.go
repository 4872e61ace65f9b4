package prices

import (
	"slices"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// stale returns current rows verified longer ago than oldest. Models that are no longer
// sold are left out unless they were named.
func stale(rows []prices.Row, registry models.Registry, now time.Time, oldest time.Duration, named bool) []prices.Row {
	today := now.UTC().Format(time.RFC3339) // sorts like the days and times in the table
	sale := newSale(rows, registry, now)
	return slices.DeleteFunc(rows, func(r prices.Row) bool {
		age, known := r.Age(now)
		return r.InputPerMTok+r.OutputPerMTok == "" || r.ValidFrom > today || r.ValidUntil != "" && r.ValidUntil <= today ||
			known && age <= oldest || !named && sale.ended(r.Provider, r.ModelHint)
	})
}

type sale struct {
	registry models.Registry
	now      time.Time
	// name without build -> whether a build is sold
	builds map[models.ModelKey]bool
}

func newSale(rows []prices.Row, registry models.Registry, now time.Time) *sale {
	s := &sale{registry, now, map[models.ModelKey]bool{}}
	for key := range registry.All() {
		s.addBuild(key.Provider, key.ID)
	}
	for _, r := range rows {
		s.addBuild(r.Provider, r.ModelHint)
	}
	return s
}

func (s *sale) addBuild(p models.Provider, id string) {
	name := models.NormalizeModelID(p, id)
	if name == id || strings.HasSuffix(id, "-latest") || strings.Contains(id, "-preview") {
		return // an alias, or what the model has replaced
	}
	key := models.ModelKey{Provider: p, ID: name}
	_, gone := s.date(p, id)
	s.builds[key] = s.builds[key] || !gone
}

// date reports whether a model has a date, and whether it's gone or deprecated.
func (s *sale) date(p models.Provider, id string) (dated, gone bool) {
	date, dated := s.registry.RetirementDate(p, id)
	return dated, date == models.Deprecated || s.registry.IsRetiredOn(p, id, s.now)
}

// ended prefers the model's date. If undated, a build ends with its model, and an alias
// with its last build.
func (s *sale) ended(p models.Provider, id string) bool {
	name := models.NormalizeModelID(p, id)
	for _, id := range []string{id, name} {
		if dated, gone := s.date(p, id); dated {
			return gone
		}
	}
	sold, known := s.builds[models.ModelKey{Provider: p, ID: name}]
	return known && !sold
}
