package meter

import (
	"maps"
	"slices"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
	"github.com/mesh-gateway/mesh-go/internal/budget"
	"github.com/mesh-gateway/mesh-go/internal/decimal"
)

// account is the state of a budget. The lock of the Meter guards it.
type account struct {
	budget         Budget
	limit, perCall decimal.Decimal
	warnAt         decimal.Decimal
	// period is the one of the clock, and previous the one that the clock had before. There are no balances of other earlier ones, but there
	// may be of later ones: the clock of the program that wrote a record may have been wrong.
	period, previous time.Time
	balances         map[balanceKey]*balance
	// warnings are those to deliver when the Meter is unlocked.
	warnings []BudgetWarning
}

// balanceKey selects a balance by the value of the label and by the period.
type balanceKey struct {
	label  string
	period time.Time
}

// balance is what was spent and what is set aside in a period.
type balance struct {
	label    string
	spent    decimal.Sum
	reserved decimal.Decimal
	warned   bool // that most of the budget is spent
}

// reservation is what an account has set aside for a call. The call settles with the balance that it reserved from, even if the
// period of the balance has ended.
type reservation struct {
	account *account
	balance *balance
}

func newAccount(b Budget) (*account, error) {
	a := &account{budget: b, balances: map[balanceKey]*balance{}}
	var err error
	a.limit, a.perCall, err = b.check()
	a.warnAt = a.limit.Mul(decimal.New(8, 1))
	return a, err
}

// advance sets the clock, and frees the balances of the periods before. The previous one stays: a clock that was ahead for a moment must not
// reopen the budget when it is set back.
func (a *account) advance(now time.Time) {
	period := a.budget.Per.began(now)
	if period == a.period {
		return
	}
	a.previous, a.period = a.period, period
	maps.DeleteFunc(a.balances, func(key balanceKey, _ *balance) bool { return key.period.Before(period) && key.period != a.previous })
}

// balance returns the balance of a call with labels in a period.
func (a *account) balance(labels map[string]string, period time.Time) *balance {
	key := balanceKey{period: period}
	if a.budget.Label != "" {
		key.label = labels[a.budget.Label]
	}
	b := a.balances[key]
	if b == nil {
		b = &balance{label: key.label}
		a.balances[key] = b
	}
	return b
}

// refuses reports whether another call exceeds the budget.
func (a *account) refuses(b *balance) bool {
	committed := b.committed()
	if a.perCall.IsZero() {
		return committed.Cmp(a.limit) >= 0
	}
	return committed.Add(a.perCall).Cmp(a.limit) > 0
}

func (b *balance) committed() decimal.Decimal { return b.spent.Total().Add(b.reserved) }

// spend adds what a call costs to the balance: nothing without a record. Subscriptions that cost nothing have no reservation. It notes a
// warning when that is due.
func (r reservation) spend(of *calls.Record) {
	a, b := r.account, r.balance
	if of != nil {
		b.spent.Add(budget.Expense(of, a.perCall, false))
	}
	if !b.warned && b.spent.Total().Cmp(a.warnAt) >= 0 {
		b.warned = true
		a.warnings = append(a.warnings, BudgetWarning{Budget: a.budget, Label: b.label, Spent: prices.USD(b.spent.Total().String())})
	}
}

// unknown is the record of a call of which nothing is known.
var unknown calls.Record

// settle returns what was set aside and spends what the call costs: nothing without a record.
func settle(reserved []reservation, of *calls.Record) {
	for _, r := range reserved {
		r.balance.reserved = r.balance.reserved.Sub(r.account.perCall)
		r.spend(of)
	}
}

// reserve sets PerCall of every budget aside, or of none.
func (m *Meter) reserve(now time.Time, labels map[string]string) ([]reservation, *BudgetError) {
	m.mu.Lock()
	defer m.mu.Unlock()
	reserved := make([]reservation, 0, len(m.budgets))
	for _, a := range m.budgets {
		a.advance(now)
		b := a.balance(labels, a.period)
		if m.unread != nil || a.refuses(b) {
			return nil, &BudgetError{Budget: a.budget, Label: b.label, Spent: prices.USD(b.spent.Total().String()), Reserved: prices.USD(b.reserved.String()), Unread: m.unread}
		}
		reserved = append(reserved, reservation{a, b})
	}
	for _, r := range reserved {
		r.balance.reserved = r.balance.reserved.Add(r.account.perCall)
	}
	return reserved, nil
}

// charge spends the cost of a call for which nothing was set aside. A budget has forgotten the periods before the previous one.
func (m *Meter) charge(r *calls.Record) {
	if m.free(r.Billing) {
		return
	}
	now := time.Now()
	for _, a := range m.budgets {
		a.advance(now)
		if period := a.budget.Per.began(r.Time); !period.Before(a.period) || period == a.previous {
			reservation{a, a.balance(r.Labels, period)}.spend(r)
		}
	}
}

// setsAside reports whether a budget has PerCall.
func (m *Meter) setsAside() bool {
	return slices.ContainsFunc(m.budgets, func(a *account) bool { return !a.perCall.IsZero() })
}
