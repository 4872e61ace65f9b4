package pricelist

import (
	_ "embed" // for factors.csv
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/internal/decimal"
)

//go:embed factors.csv
var factorsCSV string

// The factors by which prices are multiplied: of a standard request, and of DeepSeek's hours off the peak.
var (
	whole = decimal.New(1, 0)
	half  = decimal.New(5, 1)
)

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
	for line := range strings.Lines(factorsCSV) {
		if !strings.HasPrefix(line, "#") && !strings.HasPrefix(line, "provider,") {
			list = append(list, readFactor(strings.Split(strings.TrimSpace(line), ",")))
		}
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
func factorOf(provider, model, mode string, at time.Time) (modeFactor, bool) {
	for _, f := range modeFactors() {
		period := Row{From: f.from, Until: f.until}
		if f.provider == provider && f.mode == mode && period.ValidAt(at) && slices.ContainsFunc(f.models, matches(model)) {
			return f, true
		}
	}
	return modeFactor{}, false
}

// matches returns a function that reports whether model is the id, or has the beginning, that it is given.
func matches(model string) func(pattern string) bool {
	return func(pattern string) bool {
		beginning, open := strings.CutSuffix(pattern, "*")
		return model == pattern || (open && strings.HasPrefix(model, beginning))
	}
}

// peakSince is the beginning of DeepSeek's peak prices.
var peakSince = time.Date(2026, 8, 17, 0, 0, 0, 0, time.UTC)

// peak reports whether a row of DeepSeek has a peak price, which is halved off the peak; the others are flat.
func (r *Row) peak() bool {
	return r.Provider == "deepseek" && (r.Until.IsZero() || r.Until.After(peakSince))
}

// offPeak reports whether DeepSeek charges half at a time: outside Monday to Friday, 01:00 to 04:00 and 06:00 to 10:00 UTC,
// each without its end. Chinese public holidays, which are off the peak too, are not known here.
func offPeak(at time.Time) bool {
	at = at.UTC()
	hour, day := at.Hour(), at.Weekday()
	peak := (hour >= 1 && hour < 4) || (hour >= 6 && hour < 10)
	return !peak || day == time.Saturday || day == time.Sunday
}
