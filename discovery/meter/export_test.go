package meter

import "time"

// Balances counts the balances that a Meter keeps.
func Balances(m *Meter) (n int) {
	for _, a := range m.budgets {
		n += len(a.balances)
	}
	return n
}

// SetClock tells a Meter's budgets the time, like a call at that time would.
func SetClock(m *Meter, now time.Time) {
	for _, a := range m.budgets {
		a.advance(now)
	}
}
