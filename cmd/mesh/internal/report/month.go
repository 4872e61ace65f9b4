package report

import (
	"github.com/mesh-gateway/mesh-go/discovery/prices"
	"github.com/mesh-gateway/mesh-go/internal/decimal"
)

// Week is the known cost of the last seven full days before Options.Now, and of the seven days before.
type Week struct {
	USD         prices.USD `json:"usd"`
	PreviousUSD prices.USD `json:"previous_usd"`
	// PerDayUSD is USD divided by 7, rounded half to even to 12 places.
	PerDayUSD prices.USD `json:"per_day_usd"`
	Change    *float64   `json:"change"`
}

// Estimate is an amount that is not exact.
type Estimate struct {
	USD prices.USD `json:"usd"`
	// Low and High are its bounds; both are "" if they are not known, as of a forecast.
	Low  prices.USD `json:"low"`
	High prices.USD `json:"high"`
	// Method is how it was made: "weekday-mean", "same-tokens" or "cost-buckets".
	Method string `json:"method"`
}

// The values of Estimate.Method.
const (
	// MethodWeekdayMean is the mean of the same weekday in the last two weeks, for each day that is left.
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
	USD prices.USD `json:"usd"`
	// DaysLeft is the number of days until the end, with today.
	DaysLeft int `json:"days_left"`
	// Forecast is what the whole month will cost; nil with less than 14 full days of calls before today. It has no range: the errors of
	// earlier forecasts do not bound the next one when costs grow or change, and of most files there are too few of them.
	Forecast *Estimate `json:"forecast"`
}

const (
	// forecastDays is the number of days that a forecast is made of: two of each weekday.
	forecastDays = 14
	// historyDays is the number of days before the periods, and before today, whose cost is kept.
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

func (h history) add(number int64, usd decimal.Decimal) { made(h, number).Add(usd) }

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

// month returns the month until now and its forecast.
func (h history) month(w *window) Month {
	begin := monthStart(w.now)
	end := monthStart(dayTime(begin).AddDate(0, 1, 0))
	spent := h.between(begin, w.today+1)
	m := Month{Month: w.now.Format("2006-01"), USD: usdOf(spent), DaysLeft: int(end - w.today)}
	if first, ok := h.first(); ok && first <= w.today-forecastDays {
		m.Forecast = &Estimate{USD: usdOf(h.monthEnd(spent, w.today, m.DaysLeft)), Method: MethodWeekdayMean}
	}
	return m
}

// week returns the last seven full days.
func (h history) week(today int64) Week {
	const days = 7
	usd, previous := h.between(today-days, today), h.between(today-2*days, today-days)
	return Week{USD: usdOf(usd), PreviousUSD: usdOf(previous), PerDayUSD: quotient(usd, days), Change: ratio(usd.Sub(previous), previous)}
}
