package report

import (
	"maps"
	"slices"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/prices"
	"github.com/mesh-gateway/mesh-go/internal/budget"
	"github.com/mesh-gateway/mesh-go/internal/calendar"
	"github.com/mesh-gateway/mesh-go/internal/decimal"
	"github.com/mesh-gateway/mesh-go/internal/money"
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

// Budget is what is left of a budget in its present period.
type Budget struct {
	// Text is the budget as it was given, such as "100/month" or "2/day/label:user".
	Text string `json:"text"`
	// LimitUSD, Per ("", "day" or "month") and Label are its parts.
	LimitUSD prices.USD `json:"limit_usd"`
	Per      string     `json:"per"`
	Label    string     `json:"label"`
	// Value is the value of the label that spent most in the present period; "" without a label.
	Value string `json:"value"`
	// SpentUSD is what the calls of the present day or month, or all that were read, cost, or cost at least where that is not known, and what
	// the providers behind OpenRouter bill besides it. Calls of a subscription count, unless Options.ChargesOnly is set.
	SpentUSD prices.USD `json:"spent_usd"`
	// LeftUSD is the rest, and negative above the limit. PerDayUSD is the rest for each day of the month that is left, with today, rounded
	// half to even to 12 places; "" for other budgets.
	LeftUSD   prices.USD `json:"left_usd"`
	PerDayUSD prices.USD `json:"per_day_usd"`
	// ForecastUSD is what will be spent at the end of the month, by the value ForecastValue, which will spend most; "" if that is not more
	// than the limit or not known, and for other budgets. Of a label, the first 1,000 values have a forecast.
	ForecastUSD   prices.USD `json:"forecast_usd"`
	ForecastValue string     `json:"forecast_value"`
	// Over reports whether more than the limit was spent, or will be at the end of the month by the forecast.
	Over bool `json:"over"`
}

// Sheet returns what rounds the amounts of the budget: what is left is the limit less what was spent, as shown.
func (b *Budget) Sheet() *money.Sheet {
	limit := money.Exact(b.LimitUSD)
	sheet := money.NewSheet(money.Places(limit))
	sheet.Difference(limit, money.Exact(b.SpentUSD))
	return sheet
}

// budgetSum is a budget with what was spent of it, by the value of its label.
type budgetSum struct {
	budget.Budget
	text  string
	limit decimal.Decimal
	// spent has at most maxValues values; others are left out.
	spent map[string]*decimal.Sum
	// days are those of which the forecast of a month is made.
	days map[string]history
}

func newBudgets(texts []string) (sums []*budgetSum, err error) {
	for _, text := range texts {
		b, err := budget.Parse("report", text)
		if err != nil {
			return nil, err
		}
		limit, _ := decimal.ParsePlain(b.USD)
		sums = append(sums, &budgetSum{b, text, limit, map[string]*decimal.Sum{}, map[string]history{}})
	}
	return sums, nil
}

// in reports whether a day is in the present period of the budget.
func (b *budgetSum) in(number, today int64) bool {
	switch b.Per {
	case "day":
		return number == today
	case "month":
		return number >= monthStart(dayTime(today)) && number <= today
	default:
		return true
	}
}

// maxForecasts is the number of values that have a forecast.
const maxForecasts = 1000

func (b *budgetSum) addDay(value string, number int64, usd decimal.Decimal) {
	value = cut(value)
	if b.days[value] == nil {
		if len(b.days) >= maxForecasts {
			return
		}
		b.days[value] = history{}
	}
	b.days[value].add(number, usd)
}

func (b *budgetSum) add(value string, usd decimal.Decimal) {
	value = cut(value)
	if b.spent[value] != nil || len(b.spent) < maxValues {
		made(b.spent, value).Add(usd)
	}
}

// highest returns the value with the highest amount: of equal ones the first, and "" only if there is no other.
func highest[V any](values map[string]V, amount func(value string) decimal.Decimal) (most string, usd decimal.Decimal) {
	for _, value := range slices.Sorted(maps.Keys(values)) {
		its := amount(value)
		if c := its.Cmp(usd); c > 0 || (c == 0 && most == "") {
			most, usd = value, its
		}
	}
	return most, usd
}

// state returns what is left of a budget.
func (b *budgetSum) state(month *Month, w *window) Budget {
	today := calendar.DayNumber(w.utc)
	daysLeft := int(monthStart(dayTime(monthStart(w.utc)).AddDate(0, 1, 0)) - today)
	value, usd := highest(b.spent, func(value string) decimal.Decimal { return b.spent[value].Total() })
	left := b.limit.Sub(usd)
	state := Budget{
		Text: b.text, LimitUSD: usdOf(b.limit), Per: b.Per, Label: b.Label, Value: value, SpentUSD: usdOf(usd), LeftUSD: usdOf(left), Over: left.Sign() < 0,
	}
	if b.Per == "month" {
		state.PerDayUSD = quotient(left, daysLeft)
		if month.Forecast != nil {
			value, usd := highest(b.days, func(value string) decimal.Decimal {
				return b.days[value].monthEnd(made(b.spent, value).Total(), today, daysLeft)
			})
			if usd.Cmp(b.limit) > 0 {
				state.ForecastValue, state.ForecastUSD, state.Over = value, usdOf(usd), true
			}
		}
	}
	return state
}

// monthStart returns the first day of the month of a time, in days since 1970.
func monthStart(at time.Time) int64 {
	year, month, _ := at.Date()
	return calendar.DayNumber(time.Date(year, month, 1, 0, 0, 0, 0, time.UTC))
}
