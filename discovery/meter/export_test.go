package meter

import "time"

// Balances returns the number of balances that a Meter keeps.
func Balances(m *Meter) (n int) {
	for _, a := range m.budgets {
		n += len(a.balances)
	}
	return n
}

// SetClock lets the budgets of a Meter know a time, as a call at that time does.
func SetClock(m *Meter, now time.Time) {
	for _, a := range m.budgets {
		a.advance(now)
	}
}
