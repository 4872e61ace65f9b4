package report

import (
	"maps"
	"slices"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/prices"
	"github.com/mesh-gateway/mesh-go/internal/budget"
	"github.com/mesh-gateway/mesh-go/internal/calendar"
	"github.com/mesh-gateway/mesh-go/internal/decimal"
)

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
func (b *budgetSum) in(number int64, w *window) bool {
	switch b.Per {
	case "day":
		return number == w.today
	case "month":
		return number >= monthStart(w.now) && number <= w.today
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
func (b *budgetSum) state(month *Month, today int64) Budget {
	value, usd := highest(b.spent, func(value string) decimal.Decimal { return b.spent[value].Total() })
	left := b.limit.Sub(usd)
	state := Budget{
		Text: b.text, LimitUSD: usdOf(b.limit), Per: b.Per, Label: b.Label, Value: value, SpentUSD: usdOf(usd), LeftUSD: usdOf(left), Over: left.Sign() < 0,
	}
	if b.Per == "month" {
		state.PerDayUSD = quotient(left, month.DaysLeft)
		if month.Forecast != nil {
			value, usd := highest(b.days, func(value string) decimal.Decimal {
				return b.days[value].monthEnd(made(b.spent, value).Total(), today, month.DaysLeft)
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
