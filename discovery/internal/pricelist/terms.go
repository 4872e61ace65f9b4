package pricelist

// Terms has fees, and the factors, places and hours that change token prices.
type Terms struct {
	Fees     []Fee
	factors  []modeFactor
	regions  []region
	textuals []textual
	hours    []hours
	holidays map[int64]bool
}

// WithoutFees returns terms for a list without tools.
func (t *Terms) WithoutFees() *Terms {
	terms := *t
	terms.Fees = nil
	return &terms
}
