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

// Week compares the last seven full days before Options.Now with the seven days before.
type Week struct {
	USD         prices.USD `json:"usd"`
	PreviousUSD prices.USD `json:"previous_usd"`
	// PerDayUSD is USD divided by 7, rounded half to even to 12 places.
	PerDayUSD prices.USD `json:"per_day_usd"`
	Change    *float64   `json:"change"`
}

// Estimate is an inexact amount.
type Estimate struct {
	USD prices.USD `json:"usd"`
	// Low and High are bounds; both are "" for a forecast.
	Low  prices.USD `json:"low"`
	High prices.USD `json:"high"`
	// Method is a constant, such as MethodWeekdayMean.
	Method string `json:"method"`
}

// Values for Estimate.Method.
const (
	// MethodWeekdayMean adds the weekday's mean in the last two weeks for each day left.
	MethodWeekdayMean = "weekday-mean"
	// MethodSameTokens prices the same tokens; another model can use more or fewer.
	MethodSameTokens = "same-tokens"
	// MethodCostBuckets adds up costs sorted into buckets 2 % apart.
	MethodCostBuckets = "cost-buckets"
)

// Month is the current calendar month in Options.Location, until Options.Now.
type Month struct {
	// Month is formatted like "2026-11".
	Month string     `json:"month"`
	USD   prices.USD `json:"usd"`
	// DaysLeft includes today.
	DaysLeft int `json:"days_left"`
	// Forecast is the expected cost for the whole month; nil if the first call is less than
	// 14 full days old. It has no range: past errors don't bound the next one if costs grow
	// or change, and most files have too few.
	Forecast *Estimate `json:"forecast"`
}

const (
	// forecastDays covers two of each weekday.
	forecastDays = 14
	// historyDays is kept before the earlier period and before today.
	historyDays = 1100
)

// history maps day number -> known cost, for days with calls.
type history map[int64]*decimal.Sum

func (h history) first() (first int64, ok bool) {
	for number := range h {
		if !ok || number < first {
			first, ok = number, true
		}
	}
	return first, ok
}

func (h history) add(number int64, usd decimal.Decimal) { made(h, number).Add(usd) }

func (h history) cost(number int64) decimal.Decimal {
	if sum := h[number]; sum != nil {
		return sum.Total()
	}
	return decimal.Decimal{}
}

// between adds up days from first up to last, exclusive.
func (h history) between(first, last int64) (usd decimal.Decimal) {
	for number := first; number < last; number++ {
		usd = usd.Add(h.cost(number))
	}
	return usd
}

// mean averages the last two days before `before` with the same weekday as number.
func (h history) mean(number, before int64) decimal.Decimal {
	const week = 7
	last := number - (number-before+week)/week*week
	return h.cost(last).Add(h.cost(last - week)).Mul(decimal.New(5, 1)) // divided by 2
}

func (h history) forecast(from int64, n int) (usd decimal.Decimal) {
	for i := range int64(n) {
		usd = usd.Add(h.mean(from+i, from))
	}
	return usd
}

// monthEnd adds forecasts for the days left, including today, to the month's cost before
// today. Today counts with its cost so far if that's higher.
func (h history) monthEnd(spent decimal.Decimal, today int64, left int) decimal.Decimal {
	cost := h.cost(today)
	above := most(cost.Sub(h.mean(today, today)), decimal.Decimal{})
	return spent.Sub(cost).Add(h.forecast(today, left)).Add(above)
}

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

func (h history) week(today int64) Week {
	const days = 7
	usd, previous := h.between(today-days, today), h.between(today-2*days, today-days)
	return Week{USD: usdOf(usd), PreviousUSD: usdOf(previous), PerDayUSD: quotient(usd, days), Change: ratio(usd.Sub(previous), previous)}
}

// Budget compares a budget with the spending so far.
type Budget struct {
	// Text is the budget from Options.Budgets, such as "100/month" or "2/day/label:user".
	Text string `json:"text"`
	// LimitUSD, Per ("", "day" or "month") and Label are parsed from Text.
	LimitUSD prices.USD `json:"limit_usd"`
	Per      string     `json:"per"`
	Label    string     `json:"label"`
	// Value is the label value that spent most; "" for budgets without a label.
	Value string `json:"value"`
	// SpentUSD is the cost today, this month or, if Per is "", of all calls. Unpriced calls
	// count with their lower bound, and OpenRouter calls include the underlying provider's
	// bill. Subscription calls count unless Options.ChargesOnly is set.
	SpentUSD prices.USD `json:"spent_usd"`
	// LeftUSD is negative above the limit. PerDayUSD divides it by the days left this month,
	// including today, rounded half to even to 12 places; "" unless Per is "month".
	LeftUSD   prices.USD `json:"left_usd"`
	PerDayUSD prices.USD `json:"per_day_usd"`
	// ForecastUSD is the expected spending at the month's end by ForecastValue, the label
	// value expected to spend most. It is "" if it's unknown or within the limit, and for
	// other periods. Only a label's first 1,000 values have a forecast.
	ForecastUSD   prices.USD `json:"forecast_usd"`
	ForecastValue string     `json:"forecast_value"`
	// Over reports whether the limit is exceeded, or will be according to the forecast.
	Over bool `json:"over"`
}

// Sheet returns a rounding for display: the amount left as shown is the limit minus the
// spending, both as shown.
func (b *Budget) Sheet() *money.Sheet {
	limit := money.Exact(b.LimitUSD)
	sheet := money.NewSheet(money.Places(limit))
	sheet.Difference(limit, money.Exact(b.SpentUSD))
	return sheet
}

type budgetSum struct {
	budget.Budget
	text  string
	limit decimal.Decimal
	// label value -> amount; at most maxValues, others are left out
	spent map[string]*decimal.Sum
	// label value -> recent days, for the forecast
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

// highest returns the first among equal amounts, and "" only if there is no other value.
func highest[V any](values map[string]V, amount func(value string) decimal.Decimal) (most string, usd decimal.Decimal) {
	for _, value := range slices.Sorted(maps.Keys(values)) {
		its := amount(value)
		if c := its.Cmp(usd); c > 0 || (c == 0 && most == "") {
			most, usd = value, its
		}
	}
	return most, usd
}

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

// monthStart returns a day number, counted from 1970.
func monthStart(at time.Time) int64 {
	year, month, _ := at.Date()
	return calendar.DayNumber(time.Date(year, month, 1, 0, 0, 0, 0, time.UTC))
}
