package meter

// Balances returns the number of balances that a Meter keeps.
func Balances(m *Meter) (n int) {
	for _, a := range m.budgets {
		n += len(a.balances)
	}
	return n
}
