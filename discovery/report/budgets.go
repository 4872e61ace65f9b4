package report

import (
	"cmp"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/internal/budget"
	"github.com/mesh-gateway/mesh-go/discovery/internal/decimal"
)

// budgetSum is a budget with its limit.
type budgetSum struct {
	budget.Budget
	text  string
	limit decimal.Decimal
}

func newBudgets(texts []string) (sums []*budgetSum, err error) {
	for _, text := range texts {
		b, err := budget.Parse("report", text)
		if err != nil {
			return nil, err
		}
		limit, _ := decimal.ParsePlain(b.USD)
		sums = append(sums, &budgetSum{b, text, limit})
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

// spending is what was spent of a budget, by the value of its label.
type spending struct {
	sums   map[string]*decimal.Sum
	others decimal.Sum
}

func newSpending() *spending { return &spending{sums: map[string]*decimal.Sum{}} }

func (s *spending) add(value string, usd decimal.Decimal) { s.sum(value).Add(usd) }

// sum returns the sum of a value, or of the others.
func (s *spending) sum(value string) *decimal.Sum {
	value = cut(value)
	sum := s.sums[value]
	switch {
	case sum != nil:
	case len(s.sums) >= maxValues:
		sum = &s.others
	default:
		sum = &decimal.Sum{}
		s.sums[value] = sum
	}
	return sum
}

func (s *spending) merge(o *spending) {
	s.others.Merge(&o.others)
	for value, usd := range o.sums {
		s.sum(value).Merge(usd)
	}
}

// most returns the value that spent most.
func (s *spending) most() (value string, usd decimal.Decimal) {
	for name, sum := range s.sums {
		if c := sum.Total().Cmp(usd); c > 0 || (c == 0 && (value == "" || cmp.Less(name, value))) {
			value, usd = name, sum.Total()
		}
	}
	return value, usd
}

// state returns what is left of a budget.
func (b *budgetSum) state(spent *spending, month *Month) Budget {
	value, usd := spent.most()
	left := b.limit.Sub(usd)
	state := Budget{
		Text: b.text, LimitUSD: b.limit.String(), Per: b.Per, Label: b.Label, Value: value, SpentUSD: usd.String(), LeftUSD: left.String(), Over: left.Sign() < 0,
	}
	if b.Per == "month" {
		state.PerDayUSD = quotient(left, month.DaysLeft)
		if b.Label == "" && month.Forecast != nil {
			state.Over = state.Over || decimal.FromText(month.Forecast.USD).Cmp(b.limit) > 0
		}
	}
	return state
}

// monthStart returns the first day of the month of a time, in days since 1970.
func monthStart(at time.Time) int64 {
	year, month, _ := at.Date()
	return dayNumber(time.Date(year, month, 1, 0, 0, 0, 0, time.UTC))
}
