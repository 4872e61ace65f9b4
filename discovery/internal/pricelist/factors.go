package pricelist

import (
	_ "embed" // for factors.csv
	"strings"
	"sync"
	"time"

	"github.com/mesh-gateway/mesh-go/internal/decimal"
)

//go:embed factors.csv
var factorsCSV string

// whole is the factor of a standard request.
var whole = decimal.New(1, 0)

// modeFactor is the factor of one mode for some models of a provider.
type modeFactor struct {
	Factor decimal.Decimal
	// Long and Cached report whether the factor holds for the rows of long prompts, and for cached input.
	Long, Cached bool

	provider, mode string
	models         []string
	from, until    time.Time
}

var modeFactors = sync.OnceValue(func() []modeFactor {
	var list []modeFactor
	for cells := range table(factorsCSV) {
		list = append(list, readFactor(cells))
	}
	return list
})

// readFactor reads a line of the list. A test checks that every line is well-formed.
func readFactor(cells []string) modeFactor {
	factor, _ := decimal.ParsePlain(cells[2])
	from, _ := ParseTime(cells[6])
	until, _ := ParseTime(cells[7])
	return modeFactor{
		Factor: factor, provider: cells[0], mode: cells[1], models: strings.Split(cells[3], ";"),
		Long: cells[4] == "yes", Cached: cells[5] == "yes", from: from, until: until,
	}
}

// factorOf returns the factor of a mode for a model, and reports whether it is known.
func factorOf(provider, model, mode string, at time.Time) (*modeFactor, bool) {
	factors := modeFactors()
	for i := range factors {
		f := &factors[i]
		if f.provider == provider && f.mode == mode && ValidAt(f.from, f.until, at) && longestMatch(f.models, model) > 0 {
			return f, true
		}
	}
	return nil, false
}

// longestMatch returns the length of the longest pattern that matches a model, or 0. A pattern is an id, or a beginning that ends
// in *.
func longestMatch(patterns []string, model string) int {
	longest := 0
	for _, pattern := range patterns {
		beginning, open := strings.CutSuffix(pattern, "*")
		if pattern == model || (open && strings.HasPrefix(model, beginning)) {
			longest = max(longest, len(pattern))
		}
	}
	return longest
}
