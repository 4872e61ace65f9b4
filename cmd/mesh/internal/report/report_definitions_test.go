// Checks each number's definition with amounts computed by hand.

package report_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/report"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// join returns all calls after a free, failed one on the earlier period's first day.
// Without it, the files would begin within that period.
func join(lists ...[]calls.Record) []calls.Record {
	begin := priced(at(56), "0")
	begin.Status = http.StatusTooManyRequests
	all := []calls.Record{begin}
	for _, list := range lists {
		all = append(all, list...)
	}
	return all
}

// By default the period is the last 28 full days. If there are no earlier calls, it
// includes today.
func TestPeriods(t *testing.T) {
	t.Parallel()
	late := priced(at(0), "1")
	for name, row := range map[string]struct {
		o                report.Options
		records          []calls.Record
		from, to, before string
		days             int
		running          bool
		calls            int
	}{
		"default":       {report.Options{}, []calls.Record{late, priced(at(1), "1"), priced(at(28), "1"), priced(at(29), "1")}, "2026-10-25", "2026-11-22", "2026-09-27", 28, false, 2},
		"first run":     {report.Options{}, []calls.Record{late}, "2026-11-22", "2026-11-23", "2026-11-21", 1, true, 1},
		"younger":       {report.Options{}, []calls.Record{late, priced(at(27), "1")}, "2026-10-26", "2026-11-23", "2026-09-28", 28, true, 2},
		"just 28 days":  {report.Options{}, []calls.Record{late, priced(at(28), "1")}, "2026-10-25", "2026-11-22", "2026-09-27", 28, false, 1},
		"nothing":       {report.Options{}, nil, "2026-10-25", "2026-11-22", "2026-09-27", 28, false, 0},
		"old calls":     {report.Options{}, []calls.Record{priced(at(40), "1")}, "2026-10-25", "2026-11-22", "2026-09-27", 28, false, 0},
		"from":          {report.Options{From: day("2026-11-20")}, []calls.Record{late}, "2026-11-20", "2026-11-23", "2026-11-17", 3, true, 1},
		"to":            {report.Options{To: day("2026-11-20")}, []calls.Record{late}, "2026-10-23", "2026-11-20", "2026-09-25", 28, false, 0},
		"from and to":   {report.Options{From: day("2026-11-01"), To: day("2026-11-03")}, nil, "2026-11-01", "2026-11-03", "2026-10-30", 2, false, 0},
		"a future year": {report.Options{From: day("2027-01-01"), To: day("2027-02-01")}, []calls.Record{priced(day("2027-01-09"), "1")}, "2027-01-01", "2027-02-01", "2026-12-01", 31, false, 1},
	} {
		r := build(t, row.o, row.records...)
		checkReport(t, r)
		assert.Equal(t, report.Period{From: day(row.from), To: day(row.to), Days: row.days, Running: row.running}, r.Period, name)
		assert.Equal(t, day(row.before), r.Previous.From, name)
		assert.Equal(t, r.Period.From, r.Previous.To, name)
		assert.Equal(t, row.calls, r.Total.Calls, name)
	}
}

// c is the earlier period's mean cost per call.
func TestChange(t *testing.T) {
	t.Parallel()
	before, after := at(40), at(5)
	failed, rebate := priced(after, "0"), priced(after, "0.5")
	failed.Status, rebate.Status = http.StatusTooManyRequests, http.StatusInternalServerError
	for name, row := range map[string]struct {
		records                []calls.Record
		usd, more, mix, dearer prices.USD
	}{
		// c = 2; 5 more calls cost 10.
		"more": {join(repeat(5, priced(before, "2")), repeat(10, priced(after, "2"))), "10", "10", "0", "0"},
		// As many calls as before, but 4 moved to a model that costs 6 instead of 2.
		"mix": {join(repeat(5, priced(before, "2")), repeat(5, of(priced(before, "6"), "b")), repeat(1, priced(after, "2")), repeat(9, of(priced(after, "6"), "b"))), "16", "0", "16", "0"},
		"new": {join(repeat(4, priced(before, "2")), repeat(4, of(priced(after, "3"), "b"))), "4", "0", "4", "0"},
		// c = 2. 10 calls instead of 4: 6 · 2 = 12. Two use a model that costs 1 less:
		// -2. The other 8 cost 0.5 more each: 4.
		"all": {join(repeat(4, priced(before, "2")), repeat(8, priced(after, "2.5")), repeat(2, of(priced(after, "1"), "b"))), "14", "12", "-2", "4"},
		// c = 1/3, and there's one more call.
		"thirds":      {join(repeat(2, priced(before, "0")), repeat(1, priced(before, "1")), repeat(4, priced(after, "1"))), "3", "0.333333333333", "0", "2.666666666667"},
		"failed":      {join(repeat(4, priced(before, "2")), repeat(4, priced(after, "2")), repeat(100, failed)), "0", "0", "0", "0"},
		"failed paid": {join(repeat(4, priced(before, "2")), repeat(4, priced(after, "2")), repeat(3, rebate)), "1.5", "0", "0", "1.5"},
		"fewer":       {join(repeat(4, priced(before, "2")), repeat(1, priced(after, "2"))), "-6", "-6", "0", "0"},
		"none left":   {join(repeat(4, priced(before, "2"))), "-8", "-8", "0", "0"},
		"ended":       {join(repeat(2, priced(before, "2")), repeat(2, of(priced(before, "8"), "b")), repeat(4, priced(after, "2"))), "-12", "0", "-12", "0"},
	} {
		r := build(t, report.Options{}, row.records...)
		checkReport(t, r)
		require.NotNil(t, r.Change, name)
		assert.Equal(t, [4]prices.USD{row.usd, row.more, row.mix, row.dearer}, [4]prices.USD{r.Change.USD, r.Change.More, r.Change.Mix, r.Change.Dearer}, name)
	}
}

// One call from 1970 next to 50 days would show a false change.
func TestChangeIsHidden(t *testing.T) {
	t.Parallel()
	assert.Nil(t, build(t, report.Options{}, priced(at(5), "1")).Change, "no earlier period")
	assert.Nil(t, build(t, report.Options{}, priced(at(50), "1"), priced(at(5), "1")).Change, "the files begin within the earlier period")
	assert.NotNil(t, build(t, report.Options{}, priced(at(56), "1"), priced(at(5), "1")).Change)
	assert.Nil(t, build(t, report.Options{}, join(repeat(2, priced(at(5), "1")))...).Change, "no earlier priced call")
	old := report.Options{From: day("2020-02-01"), To: day("2020-03-01")}
	assert.NotNil(t, build(t, old, priced(day("2019-12-01"), "1"), priced(day("2020-01-20"), "1"), priced(day("2020-02-01"), "1")).Change)
	assert.Nil(t, build(t, old, priced(day("2020-01-20"), "1"), priced(day("2020-02-01"), "1")).Change)
	clock := priced(time.Unix(0, 0), "1")
	assert.Nil(t, build(t, report.Options{}, clock, priced(at(50), "1"), priced(at(5), "1")).Change, "one clock is at 1970")
}

func TestComparable(t *testing.T) {
	t.Parallel()
	unpriced := calls.Record{Provider: models.OpenAI, Model: "x", Time: at(5), Unpriced: "why", Status: http.StatusOK}
	for _, row := range []struct {
		unpriced int
		want     bool
	}{{0, true}, {1, true}, {2, false}} {
		r := build(t, report.Options{}, join(repeat(9, priced(at(40), "1")), repeat(100-row.unpriced, priced(at(5), "1")), repeat(row.unpriced, unpriced))...)
		assert.Equal(t, row.want, r.Total.Comparable, row.unpriced)
	}
}

// month returns a call on every recent day, from 0.1 on Sundays to 0.7 on Saturdays, and
// factor calls today.
func month(days int, factor int) (all []calls.Record) {
	for ago := range days {
		when := at(ago + 1)
		all = append(all, priced(when, prices.USD(fmt.Sprintf("0.%d", int(when.Weekday())+1))))
	}
	return append(all, repeat(factor, priced(at(0), "0.1"))...)
}

func TestMonth(t *testing.T) {
	t.Parallel()
	// A week costs 2.8. November 2026 begins on a Sunday: three weeks until the 21st,
	// then today, a Sunday, and 8 days until Monday the 30th.
	const spent, left = 3 * 2.8, 0.2 + 0.3 + 0.4 + 0.5 + 0.6 + 0.7 + 0.1 + 0.2
	r := build(t, report.Options{Budgets: []string{"20/month", "11.5/month", "0.05/day", "100"}}, month(40, 1)...)
	assert.Equal(t, "2026-11", r.Month.Month)
	assert.Equal(t, 9, r.Month.DaysLeft)
	assert.EqualValues(t, "8.5", r.Month.USD)
	require.NotNil(t, r.Month.Forecast)
	assert.InDelta(t, spent+0.1+left, 11.5, 1e-9)
	assert.Equal(t, report.Month{
		Month: "2026-11", USD: "8.5", DaysLeft: 9, Forecast: &report.Estimate{USD: "11.5", Method: report.MethodWeekdayMean},
	}, r.Month)
	require.Len(t, r.Budgets, 4)
	assert.Equal(t, report.Budget{Text: "20/month", LimitUSD: "20", Per: "month", SpentUSD: "8.5", LeftUSD: "11.5", PerDayUSD: "1.277777777778"}, r.Budgets[0])
	assert.False(t, r.Budgets[1].Over, "exactly the forecast")
	assert.Equal(t, report.Budget{Text: "0.05/day", LimitUSD: "0.05", Per: "day", SpentUSD: "0.1", LeftUSD: "-0.05", Over: true}, r.Budgets[2])
	assert.EqualValues(t, "16.6", r.Budgets[3].SpentUSD, "five weeks of 2.8, Tuesday to Saturday, and today")

	r = build(t, report.Options{Budgets: []string{"11.59/month"}}, month(60, 2)...)
	assert.EqualValues(t, "11.6", r.Month.Forecast.USD, "today has already cost more than a Sunday")
	assert.True(t, r.Budgets[0].Over)
	assert.Equal(t, []string{report.CodeBudget}, r.Codes)

	assert.Nil(t, build(t, report.Options{}, month(13, 1)...).Month.Forecast, "13 full days")
	assert.NotNil(t, build(t, report.Options{}, month(14, 1)...).Month.Forecast, "14 full days")
}

func TestWeek(t *testing.T) {
	t.Parallel()
	r := build(t, report.Options{}, priced(at(0), "9"), priced(at(1), "1"), priced(at(7), "2"), priced(at(8), "4"), priced(at(14), "2"), priced(at(15), "9"))
	half := -0.5
	assert.Equal(t, report.Week{USD: "3", PreviousUSD: "6", PerDayUSD: "0.428571428571", Change: &half}, r.Week)
}

func TestFailedCalls(t *testing.T) {
	t.Parallel()
	usage := []byte(`{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}`)
	for name, row := range map[string]struct {
		record          calls.Record
		failed, counted int
	}{
		"200":                    {calls.Record{Status: 200, USD: "1"}, 0, 1},
		"299":                    {calls.Record{Status: 299, USD: "1"}, 0, 1},
		"300":                    {calls.Record{Status: 300, USD: "1"}, 1, 0},
		"199":                    {calls.Record{Status: 199, USD: "1"}, 1, 0},
		"429":                    {calls.Record{Status: 429, USD: "0"}, 1, 0},
		"minimal":                {calls.Record{USD: "1"}, 0, 1},
		"no response":            {calls.Record{Unpriced: "there was no response"}, 1, 0},
		"unpriced with usage":    {calls.Record{Unpriced: "no price", Usage: usage}, 0, 0},
		"unpriced with response": {calls.Record{Status: 200, Unpriced: "no counts"}, 0, 0},
	} {
		row.record.Provider, row.record.Model, row.record.Time = models.OpenAI, "m", at(1)
		r := build(t, report.Options{}, row.record)
		assert.Equal(t, []int{row.failed, row.counted}, []int{r.Total.Failed, r.Total.Averaged}, name)
		checkReport(t, r)
	}
}

// Retries are separate in errors and latency, but costs include them.
func TestRetries(t *testing.T) {
	t.Parallel()
	var records []calls.Record
	for attempt := range 4 {
		for _, status := range []int{200, 200, 200, 529} {
			r := priced(at(2), "1")
			r.Attempt, r.Status, r.Duration = attempt, status, time.Duration(attempt+1)*time.Second
			records = append(records, r)
		}
	}
	records[0].Incomplete = true // has no latency
	r := build(t, report.Options{}, records...)
	assert.EqualValues(t, "16", r.Total.USD)
	first, retries := r.Failures.First, r.Failures.Retries
	assert.Equal(t, []int{8, 2, 5}, []int{first.Calls, first.Failed, first.Timed}, "attempts 0 and 1")
	assert.Equal(t, []int{8, 2, 6}, []int{retries.Calls, retries.Failed, retries.Timed})
	assert.InEpsilon(t, 2000, *first.P50MS, 0.01)
	assert.InEpsilon(t, 3000, *retries.P50MS, 0.01)
	assert.InEpsilon(t, 4000, *retries.P95MS, 0.01)
	assert.Equal(t, 0.25, *r.Failures.Rate)
	assert.Equal(t, []report.Status{{Status: 529, Calls: 4}}, r.Failures.Statuses)
	require.Len(t, r.Latency, 1)
	assert.Equal(t, first, r.Latency[0].First)
}

func TestUsersPerDay(t *testing.T) {
	t.Parallel()
	user := func(name string, ago int, usd prices.USD) calls.Record {
		return labelled(priced(at(ago), usd), "user", name)
	}
	r := build(t, report.Options{}, user("a", 1, "1"), user("a", 1, "2"), user("a", 2, "3"), user("b", 1, "1"), priced(at(1), "100"), user("a", 30, "5"))
	assert.Equal(t, &report.Users{Days: 3, PerDayUSD: "2.333333333333", PreviousDays: 1, PreviousPerDayUSD: "5"}, r.Users)
	assert.Nil(t, build(t, report.Options{}, priced(at(1), "1")).Users)
}
