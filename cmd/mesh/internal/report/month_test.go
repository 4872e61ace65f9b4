package report_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/report"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/meter"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// weekly returns daily costs with noise; weekends cost a third.
func weekly(random *rand.Rand, from time.Time, days int) (costs []float64) {
	for i := range days {
		usd := 10 * math.Exp(random.NormFloat64()/4)
		if at := from.AddDate(0, 0, i).Weekday(); at == time.Saturday || at == time.Sunday {
			usd /= 3
		}
		costs = append(costs, usd)
	}
	return costs
}

// simulated returns the forecast's and the run rate's errors for a month with weekly
// patterns. days counts days with calls before today, left the days that remain.
func simulated(t *testing.T, random *rand.Rand, days, left int) (forecast, rate float64) {
	t.Helper()
	end := time.Date(2026, time.Month(random.IntN(12))+1, 1, 0, 0, 0, 0, time.UTC)
	today, begin := end.AddDate(0, 0, -left), end.AddDate(0, -1, 0)
	from := today.AddDate(0, 0, -days)
	var records []calls.Record
	var spent, whole float64
	for i, usd := range weekly(random, from, days+left) {
		at := from.AddDate(0, 0, i)
		if at.Before(today) {
			records = append(records, priced(at, prices.USD(strconv.FormatFloat(usd, 'f', 6, 64))))
		}
		if !at.Before(begin) {
			whole += usd
			if at.Before(today) {
				spent += usd
			}
		}
	}
	r := build(t, report.Options{Now: today.Add(time.Minute)}, records...)
	require.NotNil(t, r.Month.Forecast)
	assert.Empty(t, r.Month.Forecast.Low+r.Month.Forecast.High, "a forecast has no range")
	usd := r.Month.Forecast.USD.Float64()
	return math.Abs(usd/whole - 1), math.Abs(spent/today.Sub(begin).Hours()*end.Sub(begin).Hours()/whole - 1)
}

// With 9 to 23 days left, the forecast's mean error is below 5 % and below the run
// rate's. The seed is fixed.
func TestForecastOfWeeklyCosts(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(46, 80))
	for _, days := range []int{45, 90, 180} {
		var off, offRate float64
		const months = 150
		for i := range months {
			forecast, rate := simulated(t, random, days, 9+i%15)
			off, offRate = off+forecast/months, offRate+rate/months
		}
		assert.Less(t, off, 0.05, "%d days", days)
		assert.Less(t, off, offRate, "%d days", days)
	}
}

// budgetsOf returns a report on records, and its only budget.
func budgetsOf(t *testing.T, o report.Options, records ...calls.Record) (*report.Report, report.Budget) {
	t.Helper()
	r, err := report.Build(func(yield func(calls.Record, error) bool) {
		for _, r := range records {
			r.Provider, r.Model, r.Status = models.OpenAI, "gpt-4o", 200
			_ = yield(r, nil)
		}
	}, o)
	require.NoError(t, err)
	require.Len(t, r.Budgets, 1)
	return r, r.Budgets[0]
}

// A meter and a report must compute the same spending.
func TestBudgetsAreThoseOfAMeter(t *testing.T) {
	t.Parallel()
	now := time.Now().UTC()
	records := []calls.Record{
		{Time: now, USD: "1", Status: 200}, {Time: now, BoundUSD: "3", Unpriced: "closed"}, {Time: now, USD: "2", Billing: "subscription"},
		{Time: now, USD: "0.25", UpstreamUSD: "0.5", BYOK: true}, {Time: now, Unpriced: "no price"},
	}
	for chargesOnly, want := range map[bool]string{false: "6.75", true: "4.75"} {
		opts := []meter.Option{meter.WithBudget(meter.Budget{USD: "5", Per: meter.PeriodDay})}
		if chargesOnly {
			opts = append(opts, meter.WithChargesOnly())
		}
		m, err := meter.New(opts...)
		require.NoError(t, err)
		require.NoError(t, m.Restore(func(yield func(calls.Record, error) bool) {
			for _, r := range records {
				r.Provider, r.Model = models.OpenAI, "gpt-4o"
				_ = yield(r, nil)
			}
		}))
		_, b := budgetsOf(t, report.Options{Now: now, Budgets: []string{"5/day"}, ChargesOnly: chargesOnly}, records...)
		assert.Equal(t, []string{want, want}, []string{string(m.Budgets()[0].SpentUSD), string(b.SpentUSD)})
		assert.Equal(t, !chargesOnly, b.Over)
	}
}

// daily returns a team's calls, one a day up to now.
func daily(now time.Time, days int, team string, usd, upstream prices.USD) (records []calls.Record) {
	for i := range days {
		records = append(records, calls.Record{Time: now.AddDate(0, 0, -i), USD: usd, UpstreamUSD: upstream, Labels: map[string]string{"team": team}})
	}
	return records
}

// A monthly budget by label has a forecast for each value. Forecasts include what
// providers behind OpenRouter bill.
func TestBudgetsAreForecast(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	teams := append(daily(now, 22, "search", "90", ""), daily(now, 22, "ads", "10", "")...)
	r, b := budgetsOf(t, report.Options{Now: now, Budgets: []string{"2400/month/label:team"}}, teams...)
	assert.Equal(t, []string{"1980", "2700", "search"}, []string{string(b.SpentUSD), string(b.ForecastUSD), b.ForecastValue})
	assert.True(t, b.Over)
	assert.Contains(t, r.Codes, report.CodeBudget)
	assert.Contains(t, r.Advice[0].Text, "2400/month/label:team will be exceeded by team search: about 2,700.00 USD are expected")

	r, b = budgetsOf(t, report.Options{Now: now, Budgets: []string{"290/month"}}, daily(now, 22, "", "1", "9")...)
	assert.Equal(t, []any{"220", "300", true}, []any{string(b.SpentUSD), string(b.ForecastUSD), b.Over})
	assert.EqualValues(t, "30", r.Month.Forecast.USD, "without upstream costs")

	many := daily(now, 22, "big", "90", "")
	for i := range 1100 {
		many = append(many, daily(now, 1, fmt.Sprint(i), "0.01", "")...)
	}
	_, b = budgetsOf(t, report.Options{Now: now, Budgets: []string{"2400/month/label:team"}}, many...)
	assert.Equal(t, "big", b.ForecastValue)
}
