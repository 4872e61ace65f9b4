package report

import (
	"fmt"
	"math/big"

	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
	"github.com/mesh-gateway/mesh-go/internal/decimal"
	"github.com/mesh-gateway/mesh-go/internal/money"
)

// Change splits the known cost's change exactly: USD is More plus Mix plus Dearer.
type Change struct {
	USD prices.USD `json:"usd"`
	// More is the number of additional calls times their earlier mean cost. It takes both
	// from the calls in Sum.Averaged.
	More prices.USD `json:"more"`
	// Mix is the change from calling other models: More computed by model, plus the cost of
	// new models, minus the cost of ended ones, minus More.
	Mix prices.USD `json:"mix"`
	// Dearer is the rest: calls to the same models cost more or less each. More and Mix are
	// rounded half to even to 12 places.
	Dearer prices.USD `json:"dearer"`
	// Models and Labels are the rows that changed most. Labels is parallel to Report.Labels.
	Models Movers   `json:"models"`
	Labels []Movers `json:"labels"`
}

// Sheet returns a rounding for display: the total change as shown is the difference
// between both totals as shown.
func (r *Report) Sheet() *money.Sheet {
	total := money.Exact(r.Total.USD)
	sheet := money.NewSheet(money.Places(total))
	sheet.Difference(total, money.Exact(r.Total.Previous.USD))
	return sheet
}

// Sentence explains the change in its three parts, which add up as shown.
func (c *Change) Sentence(sheet *money.Sheet, f money.Format) string {
	f.Plus = "+"
	change, exact := money.Exact(c.USD), []*big.Rat{money.Exact(c.More), money.Exact(c.Mix), money.Exact(c.Dearer)}
	texts := sheet.Texts(f, change, exact...)
	for i, words := range [][2]string{
		{"more calls", "fewer calls"}, {"a move to dearer models", "a move to cheaper models"}, {"dearer calls", "cheaper calls"},
	} {
		word := words[0]
		if exact[i].Sign() < 0 {
			word = words[1]
		}
		texts[i] += " from " + word
	}
	return fmt.Sprintf("%s is %s, %s, and %s of the same models.", sheet.Text(f, change), texts[0], texts[1], texts[2])
}

// Movers are up to six rows with the largest change, up or down, and a row for all
// others. Their ChangeUSD add up to Change.USD.
type Movers struct {
	// Name is the label, or "model".
	Name string  `json:"name"`
	Rows []Mover `json:"rows"`
}

// Mover is a row in Movers.
type Mover struct {
	Value string `json:"value"`
	// Provider and Platform are set for models.
	Provider models.Provider `json:"provider,omitempty"`
	Platform string          `json:"platform,omitempty"`
	// Others marks the row for all other values; Values counts them.
	Others    bool       `json:"others,omitempty"`
	Values    int        `json:"values,omitempty"`
	ChangeUSD prices.USD `json:"change_usd"`
	// Calls and PreviousCalls include failed calls.
	Calls         int `json:"calls"`
	PreviousCalls int `json:"previous_calls"`
}

// maxMovers does not count the others.
const maxMovers = 6

// split leaves the movers to its caller.
func split(total item, all []item) *Change {
	n0, n1 := int64(total.previous.Counted), int64(total.current.Counted)
	more := times(n1-n0, total.previous)
	mix := new(big.Rat).Neg(more)
	for _, it := range all {
		mix.Add(mix, moved(it.current, it.previous))
	}
	change, roundedMore, roundedMix := total.change(), decimal.Round(more, places), decimal.Round(mix, places)
	return &Change{
		USD: usdOf(change), More: usdOf(roundedMore), Mix: usdOf(roundedMix), Dearer: usdOf(change.Sub(roundedMore).Sub(roundedMix)),
	}
}

// moved returns a model's additional calls times its earlier mean cost. A new model has
// no such mean, so its whole cost counts.
func moved(current, previous *tally) *big.Rat {
	n0, n1 := int64(previous.orEmpty().Counted), int64(current.orEmpty().Counted)
	if n0 == 0 {
		return current.orEmpty().countedUSD().Rat()
	}
	return times(n1-n0, previous)
}

// times multiplies the mean cost per counted call by n.
func times(n int64, t *tally) *big.Rat {
	mean := fraction(t.countedUSD(), t.Counted)
	return mean.Mul(mean, new(big.Rat).SetInt64(n))
}

// movers returns the items that changed most, up or down. It sorts items in place.
func movers(name string, items []item) Movers {
	sortBy(items, func(it *item) decimal.Decimal { return most(it.change(), it.change().Neg()) })
	m := Movers{Name: name, Rows: []Mover{}}
	for _, it := range fold(items, maxMovers) {
		m.Rows = append(m.Rows, it.mover())
	}
	return m
}

func (it *item) mover() Mover {
	calls, previous := it.calls()
	return Mover{
		Value: it.value, Provider: it.id.Provider, Platform: it.id.Platform, Others: it.others, Values: it.values,
		ChangeUSD: usdOf(it.change()), Calls: calls, PreviousCalls: previous,
	}
}

// isComparable reports whether the unpriced shares differ by at most one percentage
// point.
func isComparable(current, previous *tally) bool {
	if current.Calls == 0 || previous.Calls == 0 {
		return true
	}
	a, b := big.NewRat(int64(current.Unpriced), int64(current.Calls)), big.NewRat(int64(previous.Unpriced), int64(previous.Calls))
	difference := a.Sub(a, b)
	return difference.Abs(difference).Cmp(big.NewRat(1, 100)) <= 0
}

// Cache has the tokens read from caches and the money they saved.
type Cache struct {
	// Ratio is the share of input tokens read from caches, and PreviousRatio the same for
	// Previous.
	Ratio         *float64 `json:"ratio"`
	PreviousRatio *float64 `json:"previous_ratio"`
	// SavedUSD is the extra cost if all cached tokens had been plain input. Cache writes
	// cost more than input, so it can be negative. WithoutUSD adds SavedUSD to the known
	// cost.
	SavedUSD   prices.USD `json:"saved_usd"`
	WithoutUSD prices.USD `json:"without_usd"`
	// Calls counts calls with cached tokens. Skipped counts those left out of SavedUSD
	// because the price list doesn't reproduce their recorded cost.
	Calls   int `json:"calls"`
	Skipped int `json:"skipped"`
	// Models had cached tokens; the one that saved most comes first.
	Models []CacheRow `json:"models"`
}

// CacheRow is one model in Cache.
type CacheRow struct {
	ModelID
	Others bool       `json:"others,omitempty"`
	Ratio  *float64   `json:"ratio"`
	USD    prices.USD `json:"usd"`
	// SavedUSD and WithoutUSD are "" if all calls were skipped.
	SavedUSD   prices.USD `json:"saved_usd"`
	WithoutUSD prices.USD `json:"without_usd"`
}

type caching struct {
	calls, skipped int
	saved          decimal.Sum
}

func (s *caching) add(c *call, list *prices.List) {
	s.calls++
	if saved, ok := savedBy(c, list); ok {
		s.saved.Add(saved)
	} else {
		s.skipped++
	}
}

// savedBy returns the extra cost if all cached tokens had been plain input. ok is false
// if the price list doesn't reproduce the recorded cost.
func savedBy(c *call, list *prices.List) (saved decimal.Decimal, ok bool) {
	if !c.known || !c.HasCounts {
		return saved, false
	}
	now, _ := c.Call()
	now.Usage.ChargedUSD = ""
	cost, err := list.CostOf(now)
	if err != nil || decimal.FromText(cost.USD).Cmp(c.usd) != 0 {
		return saved, false
	}
	now.Usage = uncached(now.Usage)
	without, err := list.CostOf(now)
	if err != nil {
		return saved, false
	}
	return decimal.FromText(without.USD).Sub(c.usd), true
}

// uncached counts all cached tokens as input.
func uncached(u prices.Usage) prices.Usage {
	u.Input += u.CacheRead + u.CacheWrite5m + u.CacheWrite1h
	u.AudioInput += u.AudioCacheRead
	u.ImageInput += u.ImageCacheRead
	u.VideoInput += u.VideoCacheRead
	u.CacheRead, u.CacheWrite5m, u.CacheWrite1h, u.AudioCacheRead, u.ImageCacheRead, u.VideoCacheRead = 0, 0, 0, 0, 0, 0
	return u
}
