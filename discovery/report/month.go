package report

import (
	"math/big"
	"slices"

	"github.com/mesh-gateway/mesh-go/discovery/internal/decimal"
)

// Week is the known cost of the last seven full days before Options.Now, and of the seven days before.
type Week struct {
	USD         string `json:"usd"`
	PreviousUSD string `json:"previous_usd"`
	// PerDayUSD is USD divided by 7, rounded half to even to 12 places.
	PerDayUSD string   `json:"per_day_usd"`
	Change    *float64 `json:"change"`
}

// Estimate is an amount that is not exact.
type Estimate struct {
	USD string `json:"usd"`
	// Low and High are the range; both are "" if it is not known.
	Low  string `json:"low"`
	High string `json:"high"`
	// Method is how it was made: "weekday-mean", "same-tokens" or "cost-buckets".
	Method string `json:"method"`
}

// The values of Estimate.Method.
const (
	// MethodWeekdayMean is the mean of the same weekday in the last two weeks, for each day that is left. The range is the range of 80 % of
	// the same estimates of earlier days.
	MethodWeekdayMean = "weekday-mean"
	// MethodSameTokens is the price of the same tokens; another model can use more or fewer of them.
	MethodSameTokens = "same-tokens"
	// MethodCostBuckets adds up costs that are sorted in steps of 2 %.
	MethodCostBuckets = "cost-buckets"
)

// Month is a calendar month in UTC, until Options.Now.
type Month struct {
	// Month is such as "2026-11".
	Month string `json:"month"`
	// USD is the known cost until now.
	USD string `json:"usd"`
	// DaysLeft is the number of days until the end, with today.
	DaysLeft int `json:"days_left"`
	// Forecast is what the whole month will cost; nil with less than 14 full days of calls before today. Its range is not known with less
	// than 20 Backtests.
	Forecast *Estimate `json:"forecast"`
	// Backtests is the number of earlier days from which the same forecast was made, and TooLow how many of them were too low. LowError
	// and HighError are the errors of the range: -0.02 if the cost was 2 % less than the forecast.
	Backtests int      `json:"backtests"`
	TooLow    int      `json:"too_low"`
	LowError  *float64 `json:"low_error"`
	HighError *float64 `json:"high_error"`
}

const (
	// forecastDays is the number of days that a forecast is made of: two of each weekday.
	forecastDays = 14
	// minBacktests is the number of earlier forecasts that a range needs.
	minBacktests = 20
	// historyDays is the number of days before today from which forecasts are made, and of days before the periods that are looked at.
	historyDays = 1100
)

// history is the known cost by day, of days with calls.
type history map[int64]*decimal.Sum

// first returns the first day with calls; false without calls.
func (h history) first() (first int64, ok bool) {
	for number := range h {
		if !ok || number < first {
			first, ok = number, true
		}
	}
	return first, ok
}

func (h history) add(number int64, usd decimal.Decimal) {
	sum := h[number]
	if sum == nil {
		sum = &decimal.Sum{}
		h[number] = sum
	}
	sum.Add(usd)
}

func (h history) merge(o history) {
	for number, usd := range o {
		h.add(number, usd.Total())
	}
}

// cost returns the known cost of a day.
func (h history) cost(number int64) decimal.Decimal {
	if sum := h[number]; sum != nil {
		return sum.Total()
	}
	return decimal.Decimal{}
}

// between returns the known cost of days, the last exclusive.
func (h history) between(first, last int64) (usd decimal.Decimal) {
	for number := first; number < last; number++ {
		usd = usd.Add(h.cost(number))
	}
	return usd
}

// mean returns the mean of the same weekday in the last two weeks before a day.
func (h history) mean(number, before int64) decimal.Decimal {
	const week = 7
	last := number - (number-before+week)/week*week
	return h.cost(last).Add(h.cost(last - week)).Mul(decimal.New(5, 1)) // divided by 2
}

// forecast returns the sum of the means of n days from a day on.
func (h history) forecast(from int64, n int) (usd decimal.Decimal) {
	for i := range int64(n) {
		usd = usd.Add(h.mean(from+i, from))
	}
	return usd
}

// monthEnd returns the forecast of the month, of which some was spent until now. Of today counts what it already cost, if that is more than
// the mean.
func (h history) monthEnd(spent decimal.Decimal, today int64, left int) decimal.Decimal {
	cost := h.cost(today)
	above := most(cost.Sub(h.mean(today, today)), decimal.Decimal{})
	return spent.Sub(cost).Add(h.forecast(today, left)).Add(above)
}

// backtests returns the ratios of the cost to the forecast, for each earlier day, sorted. first is the first full day. A forecast of 0 has no ratio.
func (h history) backtests(first, today int64, n int) (ratios []*big.Rat) {
	for from := max(first, today-historyDays) + forecastDays; from+int64(n) <= today; from++ {
		forecast := h.forecast(from, n)
		if !forecast.IsZero() {
			ratios = append(ratios, new(big.Rat).Quo(h.between(from, from+int64(n)).Rat(), forecast.Rat()))
		}
	}
	slices.SortFunc(ratios, (*big.Rat).Cmp)
	return ratios
}

// nearestRank returns the percentile of sorted ratios.
func nearestRank(sorted []*big.Rat, percent int) *big.Rat {
	return sorted[max((len(sorted)*percent+99)/100, 1)-1]
}

// month returns the month until now and its forecast.
func (h history) month(w *window) Month {
	first, ok := h.first()
	begin := monthStart(w.now)
	end := monthStart(dayTime(begin).AddDate(0, 1, 0))
	m := Month{Month: w.now.Format("2006-01"), USD: h.between(begin, w.today+1).String(), DaysLeft: int(end - w.today)}
	if !ok || first > w.today-forecastDays {
		return m
	}
	before, rest := h.between(begin, w.today), h.forecast(w.today, m.DaysLeft)
	// Of today counts what it already cost, if that is more than the mean.
	above := most(h.cost(w.today).Sub(h.mean(w.today, w.today)), decimal.Decimal{})
	m.Forecast = &Estimate{USD: before.Add(rest).Add(above).String(), Method: MethodWeekdayMean}
	ratios := h.backtests(first, w.today, m.DaysLeft)
	m.Backtests = len(ratios)
	one := big.NewRat(1, 1)
	for _, ratio := range ratios {
		if ratio.Cmp(one) > 0 {
			m.TooLow++
		}
	}
	if len(ratios) < minBacktests {
		return m
	}
	low, high := nearestRank(ratios, 10), nearestRank(ratios, 90)
	if low.Cmp(one) > 0 {
		low = one
	}
	if high.Cmp(one) < 0 {
		high = one
	}
	m.LowError, m.HighError = errorOf(low), errorOf(high)
	rest = rest.Add(above)
	m.Forecast.Low, m.Forecast.High = m.bound(before, rest, low), m.bound(before, rest, high)
	return m
}

// bound returns a bound of the month: the rest times a ratio. It is not less than what was spent.
func (m *Month) bound(before, rest decimal.Decimal, ratio *big.Rat) string {
	usd := before.Add(decimal.Round(new(big.Rat).Mul(rest.Rat(), ratio), places))
	return most(usd, decimal.FromText(m.USD)).String()
}

func errorOf(ratio *big.Rat) *float64 {
	f, _ := new(big.Rat).Sub(ratio, big.NewRat(1, 1)).Float64()
	return &f
}

// week returns the last seven full days.
func (h history) week(today int64) Week {
	const days = 7
	usd, previous := h.between(today-days, today), h.between(today-2*days, today-days)
	return Week{USD: usd.String(), PreviousUSD: previous.String(), PerDayUSD: quotient(usd, days), Change: ratio(usd.Sub(previous), previous)}
}
