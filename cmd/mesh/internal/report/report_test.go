package report_test

import (
	"math/big"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/report"
	"github.com/mesh-gateway/mesh-go/discovery/bills"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
	"github.com/mesh-gateway/mesh-go/internal/test/whole"
)

func amount[T ~string](t *testing.T, text T) *big.Rat {
	t.Helper()
	r, ok := new(big.Rat).SetString(string(text))
	require.True(t, ok, "%q is not a decimal", text)
	return r
}

func plus(t *testing.T, amounts ...prices.USD) prices.USD {
	t.Helper()
	sum := prices.USD("0")
	for _, usd := range amounts {
		sum = sum.Add(usd)
	}
	return sum
}

// addUp sums rows to compare them with their total.
func addUp(t *testing.T, sums ...report.Sum) (all report.Sum) {
	t.Helper()
	all.USD, all.BoundUSD, all.SubscriptionUSD = "0", "0", "0"
	for _, s := range sums {
		all.Calls, all.Failed, all.Unpriced, all.Bounded, all.Averaged = all.Calls+s.Calls, all.Failed+s.Failed, all.Unpriced+s.Unpriced, all.Bounded+s.Bounded, all.Averaged+s.Averaged
		all.USD, all.BoundUSD = plus(t, all.USD, s.USD), plus(t, all.BoundUSD, s.BoundUSD)
		all.SubscriptionUSD = plus(t, all.SubscriptionUSD, s.SubscriptionUSD)
		all.Input, all.Cached, all.Written, all.Output = all.Input+s.Input, all.Cached+s.Cached, all.Written+s.Written, all.Output+s.Output
	}
	return all
}

// checkRows checks that rows add up to the total, in both periods.
func checkRows(t *testing.T, r *report.Report, rows []report.Row, what string) {
	t.Helper()
	now, before, shares, changes := []report.Sum{}, []report.Sum{}, 0.0, []prices.USD{}
	for _, row := range rows {
		now, before, changes = append(now, row.Sum), append(before, row.Previous), append(changes, row.ChangeUSD)
		if row.Share != nil {
			shares += *row.Share
		}
	}
	if len(rows) == 0 {
		assert.Zero(t, r.Total.Calls+r.Total.Previous.Calls, what)
		return
	}
	want, wantBefore := r.Total.Sum, r.Total.Previous
	want.PerCallUSD, wantBefore.PerCallUSD = "", ""
	assert.Equal(t, want, addUp(t, now...), what)
	assert.Equal(t, wantBefore, addUp(t, before...), what)
	assert.Equal(t, r.Total.ChangeUSD, plus(t, changes...), what)
	if r.Total.Share != nil {
		assert.InDelta(t, 1, shares, 1e-9, what)
	}
}

// checkReport checks that all parts of a report add up.
func checkReport(t *testing.T, r *report.Report) {
	t.Helper()
	var models []report.Row
	for _, m := range r.Models {
		models = append(models, m.Row)
	}
	checkRows(t, r, models, "models")
	checkRows(t, r, r.Providers, "providers")
	checkRows(t, r, r.Platforms, "platforms")
	for _, l := range r.Labels {
		checkRows(t, r, l.Rows, l.Name)
	}
	checkDays(t, r)
	checkChange(t, r)
	checkCalls(t, r)
	checkCache(t, r)
	assert.LessOrEqual(t, len(r.Advice), 5)
	for _, a := range r.Advice {
		assert.Contains(t, r.Codes, a.Code)
	}
}

func checkDays(t *testing.T, r *report.Report) {
	t.Helper()
	var days []report.Sum
	for _, d := range r.Days.Rows {
		days = append(days, d.Sum)
		require.Len(t, d.Models, len(r.Days.Models)+1)
		assert.Equal(t, d.USD, plus(t, d.Models...), d.Day)
	}
	want := r.Total.Sum
	want.PerCallUSD = ""
	assert.Equal(t, want, addUp(t, days...), "days")
	for i, id := range r.Days.Models {
		usd := []prices.USD{}
		for _, d := range r.Days.Rows {
			usd = append(usd, d.Models[i])
		}
		for _, m := range r.Models {
			if m.ModelID == id {
				assert.Equal(t, m.USD, plus(t, usd...), "days of %v", id)
			}
		}
	}
}

func checkChange(t *testing.T, r *report.Report) {
	t.Helper()
	c := r.Change
	if c == nil {
		return
	}
	assert.Equal(t, r.Total.ChangeUSD, c.USD)
	assert.Equal(t, c.USD, plus(t, c.More, c.Mix, c.Dearer))
	for _, m := range append(c.Labels, c.Models) {
		usd, n, before := []prices.USD{}, 0, 0
		for _, row := range m.Rows {
			usd, n, before = append(usd, row.ChangeUSD), n+row.Calls, before+row.PreviousCalls
		}
		assert.LessOrEqual(t, len(m.Rows), 7)
		assert.Equal(t, c.USD, plus(t, usd...), m.Name)
		assert.Equal(t, r.Total.Calls, n, m.Name)
		assert.Equal(t, r.Total.Previous.Calls, before, m.Name)
	}
}

// checkCalls checks call counts by try, status and reason.
func checkCalls(t *testing.T, r *report.Report) {
	t.Helper()
	tries := func(a report.Tries, b report.Tries) [3]int {
		return [3]int{a.Calls + b.Calls, a.Failed + b.Failed, a.Timed + b.Timed}
	}
	var models [3]int
	for _, l := range r.Latency {
		for i, n := range tries(l.First, l.Retries) {
			models[i] += n
		}
	}
	all := tries(r.Failures.First, r.Failures.Retries)
	assert.Equal(t, all, models)
	assert.Equal(t, [2]int{r.Total.Calls, r.Total.Failed}, [2]int{all[0], all[1]})
	failed := 0
	for _, s := range r.Failures.Statuses {
		failed += s.Calls
	}
	assert.Equal(t, r.Total.Failed, failed)
	n, before, bounded, more := 0, 0, 0, prices.USD("0")
	for _, g := range r.Unpriced.Groups {
		n, before, bounded, more = n+g.Calls, before+g.PreviousCalls, bounded+g.Bounded, plus(t, more, g.BoundUSD)
		ofModels := 0
		for _, m := range g.Models {
			ofModels += m.Calls
		}
		assert.Equal(t, g.Calls, ofModels, g.Text)
	}
	assert.Equal(t, []int{r.Total.Unpriced, r.Total.Previous.Unpriced, r.Total.Bounded}, []int{n, before, bounded})
	assert.Equal(t, []int{n, before}, []int{r.Unpriced.Calls, r.Unpriced.PreviousCalls})
	assert.Equal(t, r.Total.BoundUSD, more)
}

func checkCache(t *testing.T, r *report.Report) {
	t.Helper()
	saved := []prices.USD{}
	for _, m := range r.Cache.Models {
		if m.SavedUSD == "" {
			assert.Empty(t, m.WithoutUSD)
			continue
		}
		saved = append(saved, m.SavedUSD)
		assert.Equal(t, m.WithoutUSD, plus(t, m.USD, m.SavedUSD))
	}
	assert.Equal(t, r.Cache.SavedUSD, plus(t, saved...))
	assert.Equal(t, r.Cache.WithoutUSD, plus(t, r.Total.USD, r.Cache.SavedUSD))
}

// Random calls, on a few days and on many.
func TestPartsAddUpToWholes(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		n, days int
		o       report.Options
	}{
		{0, 1, report.Options{}},
		{1, 1, report.Options{}},
		{50, 1, report.Options{}},
		{500, 20, report.Options{}},
		{500, 45, report.Options{}},
		{10_000, 90, report.Options{Budgets: []string{"5/day", "500/month", "2/day/label:user"}, Bills: []*bills.Comparison{compared(t, "3.2", 0, billed("gpt-5.2", "3.21"))}}},
		{5000, 90, report.Options{From: at(33), To: at(12), Labels: []string{"user", "none", "thread"}}},
		{5000, 90, report.Options{From: at(3)}},
		{5000, 90, report.Options{To: at(-3)}},
		{5000, 400, report.Options{From: at(400)}},
	} {
		n := row.n / whole.Cases(1, 5)
		r := build(t, row.o, someRecords(n, row.days)...)
		checkReport(t, r)
		assert.Equal(t, n, r.Source.Calls)
	}
}
