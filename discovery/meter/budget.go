package meter

import (
	"fmt"
	"math/big"
	"slices"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/internal/decimal"
)

// Period is the time for which a [Budget] is.
type Period string

// The periods. A day and a month begin at midnight UTC.
const (
	PeriodTotal Period = ""
	PeriodDay   Period = "day"
	PeriodMonth Period = "month"
)

// Budget limits what the calls of a [Meter] cost.
type Budget struct {
	// USD is the limit in US dollars, a plain decimal such as "12.50".
	USD string
	// Per is the period after which the budget begins again; by default it never does.
	Per Period
	// Label is the name of a label, each value of which has a budget of its own. Calls without the label share one.
	Label string
	// PerCall is set aside for each call while it runs, and returned when its cost is known. Only what a call costs beyond it can
	// exceed the budget. A call whose cost stays unknown costs PerCall, and a model without a price is refused. With "", calls
	// are sent until the budget is used up, and those that run then exceed it.
	PerCall string
}

// BudgetError is the error of a call that a budget refused. Nothing was sent.
type BudgetError struct {
	// Budget is the budget that is used up.
	Budget Budget
	// Label is the value of its label.
	Label string
	// Spent is what was spent in the period, and Reserved what is set aside for calls that run, in US dollars.
	Spent, Reserved string
	// Reason is why the call was refused although the budget is not used up; "" otherwise.
	Reason string
}

func (e *BudgetError) Error() string {
	of := ""
	if e.Budget.Label != "" {
		of = fmt.Sprintf(" of %s %q", e.Budget.Label, e.Label)
	}
	if e.Budget.Per != "" {
		of += " for this " + string(e.Budget.Per)
	}
	text := fmt.Sprintf("the budget of %s USD%s refuses the call: %s USD spent, %s USD set aside", e.Budget.USD, of, e.Spent, e.Reserved)
	if e.Reason != "" {
		text += "; " + e.Reason
	}
	return text
}

// account is the state of a budget. The lock of the Meter guards it.
type account struct {
	budget         Budget
	limit, perCall *big.Rat
	balances       map[string]*balance // by value of the label
}

// balance is what was spent in the newest period of an account.
type balance struct {
	period          string
	spent, reserved *big.Rat
}

// reservation is what an account has set aside for a call.
type reservation struct {
	account *account
	balance *balance
}

func newAccount(b Budget) (*account, error) {
	a := &account{budget: b, perCall: new(big.Rat), balances: map[string]*balance{}}
	var ok bool
	if a.limit, ok = amount(b.USD); !ok {
		return nil, &discovery.ValueError{Field: "USD", Value: b.USD, Reason: "must be a plain decimal such as 12.50"}
	}
	if b.PerCall != "" {
		if a.perCall, ok = amount(b.PerCall); !ok {
			return nil, &discovery.ValueError{Field: "PerCall", Value: b.PerCall, Reason: "must be a plain decimal such as 0.05"}
		}
	}
	switch b.Per {
	case PeriodTotal, PeriodDay, PeriodMonth:
		return a, nil
	}
	return nil, &discovery.ValueError{Field: "Per", Value: string(b.Per), Reason: "must be a Period"}
}

// at returns the balance for the value of the label at a time. What was spent in an earlier period is forgotten; a call that
// began in it settles with the balance that it reserved from.
func (a *account) at(label string, when time.Time) *balance {
	period := a.period(when)
	b := a.balances[label]
	if b == nil || b.period < period {
		b = &balance{period: period, spent: new(big.Rat), reserved: new(big.Rat)}
		a.balances[label] = b
	}
	return b
}

// period returns the name of the period of a time. Names compare as the periods do.
func (a *account) period(when time.Time) string {
	switch a.budget.Per {
	case PeriodDay:
		return when.UTC().Format(time.DateOnly)
	case PeriodMonth:
		return when.UTC().Format("2006-01")
	default: // PeriodTotal
		return ""
	}
}

// refuses reports whether another call exceeds the budget.
func (a *account) refuses(b *balance) bool {
	committed := new(big.Rat).Add(b.spent, b.reserved)
	if a.perCall.Sign() == 0 {
		return committed.Cmp(a.limit) >= 0
	}
	return committed.Add(committed, a.perCall).Cmp(a.limit) > 0
}

func (a *account) refusal(b *balance, label, reason string) *BudgetError {
	return &BudgetError{Budget: a.budget, Label: label, Spent: decimal.Text(b.spent), Reserved: decimal.Text(b.reserved), Reason: reason}
}

// reserve sets PerCall of every budget aside, or of none. unpriced is why the cost will not be known; "" if it may be.
func (m *Meter) reserve(when time.Time, labels map[string]string, unpriced string) ([]reservation, *BudgetError) {
	m.mu.Lock()
	defer m.mu.Unlock()
	reserved := make([]reservation, 0, len(m.budgets))
	for _, a := range m.budgets {
		label := labels[a.budget.Label]
		b := a.at(label, when)
		switch {
		case a.refuses(b):
			return nil, a.refusal(b, label, "")
		case unpriced != "" && a.perCall.Sign() > 0:
			return nil, a.refusal(b, label, unpriced)
		}
		reserved = append(reserved, reservation{a, b})
	}
	for _, r := range reserved {
		r.balance.reserved.Add(r.balance.reserved, r.account.perCall)
	}
	return reserved, nil
}

// setsAside reports whether a budget has PerCall.
func (m *Meter) setsAside() bool {
	return slices.ContainsFunc(m.budgets, func(a *account) bool { return a.perCall.Sign() > 0 })
}

// settle returns what was set aside and spends the cost; nil is a cost that is not known.
func settle(reserved []reservation, usd *big.Rat) {
	for _, r := range reserved {
		r.balance.reserved.Sub(r.balance.reserved, r.account.perCall)
		r.spend(usd)
	}
}

func (r reservation) spend(usd *big.Rat) {
	if usd == nil {
		usd = r.account.perCall
	}
	r.balance.spent.Add(r.balance.spent, usd)
}

// amount returns the value of a plain decimal that is not negative.
func amount(text string) (*big.Rat, bool) {
	money, ok := decimal.ParsePlain(text)
	if !ok {
		return nil, false
	}
	return money.Rat(), true
}
