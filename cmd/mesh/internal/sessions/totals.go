package sessions

import (
	"maps"
	"math"
	"math/big"
	"slices"
	"time"
)

// timeOf returns Unix nanoseconds.
func timeOf(text string) (int64, error) {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil || !storable(at) {
		return 0, errTime
	}
	return at.UnixNano(), nil
}

// storable reports whether int64 nanoseconds can represent the time.
func storable(at time.Time) bool {
	const first, last = 1678, 2261
	return at.UTC().Year() >= first && at.UTC().Year() <= last
}

// totals has a session's counts by model: our sums, and the totals that its program
// states.
type totals struct {
	calls, stated map[string]kinds
	last          int64 // last call
	statedAt      int64 // 0 until a total is stated
	project       string
	usd, ours     float64
	priced        bool
	droid         *call // with a session's total
}

func (r *run) total(program, session string) *totals {
	key := [2]string{program, session}
	t := r.totals[key]
	if t == nil {
		t = &totals{calls: map[string]kinds{}}
		r.totals[key] = t
		r.bytes += 500 + len(session)
	}
	return t
}

func (t *totals) add(model string, n counts, at int64) {
	sum := t.calls[model]
	sum.add(n.kinds(), 1)
	t.calls[model], t.last = sum, max(t.last, at)
}

// addTotal keeps a total that the line states for a model.
func (f *file) addTotal(model string, n counts, usd float64) {
	const most = 1000
	if len(model) <= longestText && len(f.line.states) < most {
		f.line.states = append(f.line.states, modelState{model, n.kinds(), usd})
	}
}

// state sets the program's totals from the line. They include calls until at. It ignores
// totals older than the known ones.
func (f *file) state(t *totals, at int64) {
	if at < t.statedAt {
		return
	}
	t.stated, t.statedAt = map[string]kinds{}, at
	for _, m := range f.line.states {
		t.stated[m.model] = m.kinds
		f.bytes += 8 * (50 + len(m.model))
	}
}

func (r *run) finishTotals() {
	keys := slices.SortedFunc(maps.Keys(r.totals), func(a, b [2]string) int { return slices.Compare(a[:], b[:]) })
	for _, key := range keys {
		t := r.totals[key]
		if t.droid != nil {
			r.finishDroid(key[1], t)
		}
		const exact = 1e-9
		if t.priced && math.Abs(t.usd-t.ours) > exact {
			r.notes.add(key[0], key[1], "it states a cost of %.6f USD, and the price list one of %.6f USD", t.usd, t.ours)
		}
		if t.statedAt == 0 || t.last > t.statedAt {
			continue
		}
		models := maps.Clone(t.calls)
		maps.Copy(models, t.stated)
		for _, model := range slices.Sorted(maps.Keys(models)) {
			more := t.stated[model]
			if more.add(t.calls[model], -1); more != (kinds{}) {
				r.notes.add(key[0], key[1], "the total of %s differs from the sum of its calls by %s", model, more.text())
			}
		}
	}
}

// setProjects fills in projects that a different file states.
func (r *run) setProjects() {
	for _, c := range r.calls {
		if t := r.totals[[2]string{c.program, c.session}]; t != nil && t.project != "" && c.project == "" {
			of := c.form
			of.project = t.project
			c.sharedForm = r.store.form(of)
		}
	}
}

// addCost adds a call's stated cost and our price for it. An unpriced call adds neither.
func (r *run) addCost(t *totals, c *call, usd float64) {
	one, err := r.record(c).Call()
	if err != nil {
		return
	}
	ours := usdOf(r.prices, one)
	if ours == nil {
		ours = new(big.Rat)
		usd = 0
	}
	got, _ := ours.Float64()
	t.usd, t.ours, t.priced = t.usd+usd, t.ours+got, true
}
