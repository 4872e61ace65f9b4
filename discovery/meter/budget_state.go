package meter

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/prices"
	"github.com/mesh-gateway/mesh-go/internal/decimal"
)

// BudgetState is what has become of a [Budget] in the present period, or of the budget of one value of its label. Amounts are exact, in
// US dollars.
type BudgetState struct {
	Budget Budget `json:"budget"`
	// Label is the value of the budget's label; "" for a budget without one, and for calls without the label.
	Label string `json:"label"`
	// Period is the day or month in UTC, such as "2026-11-22" or "2026-11"; "" for a budget that never begins again.
	Period string `json:"period"`
	// Spent is what was spent, and Reserved what is set aside for calls that run and for responses in the background.
	Spent    prices.USD `json:"spent"`
	Reserved prices.USD `json:"reserved"`
	// Left is what neither was spent nor is set aside. It is never negative.
	Left prices.USD `json:"left"`
}

// String returns a line such as "2026-11-22 ann: spent 3.5 USD of 10".
func (s BudgetState) String() string {
	text := fmt.Sprintf("spent %s USD of %s", s.Spent, s.Budget.USD)
	if of := strings.TrimSpace(s.Period + " " + s.Label); of != "" {
		text = of + ": " + text
	}
	return text
}

// Budgets returns the state of each budget, in the order of [WithBudget]. A budget with a label has one for each value that had a
// call in the present period, sorted, and none before the first call.
func (m *Meter) Budgets() []BudgetState {
	now, states := time.Now(), []BudgetState{}
	if m.ready() != nil {
		return states
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, a := range m.budgets {
		a.advance(now)
		states = append(states, a.states()...)
	}
	return states
}

func (a *account) states() (states []BudgetState) {
	if a.budget.Label == "" {
		a.balance(nil, a.period) // also before the first call
	}
	for key, b := range a.balances {
		if key.period != a.period {
			continue
		}
		left := a.limit.Sub(b.committed())
		if left.Cmp(decimal.Decimal{}) < 0 {
			left = decimal.Decimal{}
		}
		states = append(states, BudgetState{
			Budget: a.budget, Label: b.label, Period: a.period.Format(layouts[a.budget.Per]),
			Spent: prices.USD(b.spent.Total().String()), Reserved: prices.USD(b.reserved.String()), Left: prices.USD(left.String()),
		})
	}
	slices.SortFunc(states, func(x, y BudgetState) int { return cmp.Compare(x.Label, y.Label) })
	return states
}
