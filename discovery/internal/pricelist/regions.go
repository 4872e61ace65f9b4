package pricelist

import (
	_ "embed" // for regions.csv
	"strings"
	"sync"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/internal/decimal"
)

//go:embed regions.csv
var regionsCSV string

// region is the factor of a platform or of its region, which an id names.
type region struct {
	provider string
	pattern  []string // the texts between any text
	factor   Price    // nil is not known
	models   []string
	from     time.Time
}

var regions = sync.OnceValue(func() []region {
	var list []region
	for cells := range table(regionsCSV) {
		from, _ := ParseTime(cells[4])
		list = append(list, region{provider: cells[0], pattern: strings.Split(cells[1], "*"), factor: ParsePrice(cells[2]), models: strings.Split(cells[3], ";"), from: from})
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
		if r.provider != c.Provider || c.At.Before(r.from) || !like(id, r.pattern) || longestMatch(r.models, model) == 0 {
			continue
		}
		if r.factor == nil {
			return whole, &UnknownError{What: "region"}
		}
		return *r.factor, nil
	}
	return whole, nil
}

// like reports whether id begins with the first text, ends with the last, and has the others in between.
func like(id string, texts []string) bool {
	first, last := texts[0], texts[len(texts)-1]
	rest, ok := strings.CutPrefix(id, first)
	for _, text := range texts[1 : len(texts)-1] {
		i := strings.Index(rest, text)
		if !ok || i < 0 {
			return false
		}
		rest = rest[i+len(text):]
	}
	return ok && strings.HasSuffix(rest, last)
}
