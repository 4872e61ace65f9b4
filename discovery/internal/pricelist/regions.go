package pricelist

import (
	_ "embed" // for regions.csv
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/internal/decimal"
)

//go:embed regions.csv
var regionsCSV string

// region is the factor of a platform or of its region, which an id names.
type region struct {
	provider, pattern string
	factor            Price // nil is not known
	models            []string
	from              time.Time
}

var regions = sync.OnceValue(func() []region {
	var list []region
	for cells := range table(regionsCSV) {
		from, _ := ParseTime(cells[4])
		list = append(list, region{provider: cells[0], pattern: cells[1], factor: ParsePrice(cells[2]), models: strings.Split(cells[3], ";"), from: from})
	}
	return list
})

// region returns the factor of the platform that the id of the call names, for a model of the list. The error is that of a
// platform whose prices are not known.
func (c *Call) region(model string) (decimal.Decimal, error) {
	if c.Model == model {
		return whole, nil
	}
	id := strings.ToLower(strings.TrimSpace(c.Model))
	for _, r := range regions() {
		if r.provider != c.Provider || c.At.Before(r.from) || !like(id, r.pattern) || !slices.ContainsFunc(r.models, matches(model)) {
			continue
		}
		if r.factor == nil {
			return whole, &UnknownError{What: "region"}
		}
		return *r.factor, nil
	}
	return whole, nil
}

// like reports whether id matches a pattern in which * is any text.
func like(id, pattern string) bool {
	parts := strings.Split(pattern, "*")
	rest, ok := strings.CutPrefix(id, parts[0])
	for _, part := range parts[1:] {
		i := strings.Index(rest, part)
		if !ok || i < 0 {
			return false
		}
		rest = rest[i+len(part):]
	}
	return ok && (rest == "" || strings.HasSuffix(pattern, "*"))
}
