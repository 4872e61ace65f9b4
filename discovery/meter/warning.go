package meter

import "github.com/mesh-gateway/mesh-go/discovery/prices"

// BudgetWarning is a [Budget] of which 80 % are spent.
type BudgetWarning struct {
	Budget
	// Label is the value of the budget's label; "" for a budget without one, and for calls without the label.
	Label string
	// Spent is what was spent in the period, in US dollars, a plain decimal.
	Spent prices.USD
}

// WithBudgetWarning sets a function that is called once for each budget, period and value of its label, when at least 80 % are spent. What is
// set aside is not spent. It is called on the goroutine that counts the call, in [Meter.Restore] or in [Meter.Follow], and must be safe for
// concurrent use. If it panics, the panic is logged.
func WithBudgetWarning(warn func(BudgetWarning)) Option {
	return func(m *config) error {
		if warn == nil {
			return invalid("warn", "", "must not be nil")
		}
		m.warn = warn
		return nil
	}
}

// unlock unlocks the Meter and delivers the warnings, which must not be called with the lock.
func (m *Meter) unlock() {
	var due []BudgetWarning
	for _, a := range m.budgets {
		due, a.warnings = append(due, a.warnings...), nil
	}
	m.mu.Unlock()
	if m.warn == nil {
		return
	}
	for _, w := range due {
		m.protect("the function of WithBudgetWarning", func() { m.warn(w) })
	}
}
