package pricelist

// Terms are what is charged besides the prices of tokens, and when and where those hold.
type Terms struct {
	Fees     []Fee
	factors  []modeFactor
	regions  []region
	textuals []textual
	hours    []hours
	holidays map[int64]bool
}

// WithoutFees returns the terms of a list without tools.
func (t *Terms) WithoutFees() *Terms {
	terms := *t
	terms.Fees = nil
	return &terms
}
