package discovery

import (
	"github.com/mesh-gateway/mesh-go/discovery/internal/decimal"
)

// DriftCause is what the drift of a part of a bill comes from, as far as the tokens on both sides show it.
type DriftCause string

const (
	// CauseAnotherPrice means that about the same tokens were billed and counted, so that the provider has another price: the tokens differ
	// by less than a tenth of the fraction by which the amounts differ.
	CauseAnotherPrice DriftCause = "another_price"
	// CauseMissingCalls means that the tokens differ: if more was billed there are calls that were not counted, else the bill lacks calls,
	// such as calls of another organization.
	CauseMissingCalls DriftCause = "missing_calls"
)

// tokenSum is a number of tokens, as far as it is known.
type tokenSum struct {
	tokens         decimal.Decimal
	given, unknown bool
}

// addItem adds the tokens of a line item. An amount without a quantity makes the sum unknown, unless no call can have it; other units are
// no tokens.
func (s *tokenSum) addItem(item *billedItem) {
	switch {
	case item.quantity.Unit == "tokens":
		s.add(decimal.FromText(item.quantity.Amount))
	case item.quantity.Unit == "1000_tokens":
		s.add(decimal.FromText(item.quantity.Amount).Mul(decimal.New(1000, 0)))
	case item.quantity.Unit == "" && item.usd != 0 && !isBesideCalls(item.name):
		s.unknown = true
	}
}

// addCalls adds the tokens that the calls of a model have.
func (s *tokenSum) addCalls(byModel map[string]int64, model string) {
	n, known := byModel[model]
	s.add(decimal.New(n, 0))
	s.unknown = s.unknown || !known
}

func (s *tokenSum) add(tokens decimal.Decimal) {
	s.tokens, s.given = s.tokens.Add(tokens), true
}

func (s *tokenSum) merge(more *tokenSum) {
	s.tokens, s.given, s.unknown = s.tokens.Add(more.tokens), s.given || more.given, s.unknown || more.unknown
}

// setTokens sets the tokens, and the cause of the drift. compared reports whether all calls are known.
func (p *billPart) setTokens(compared bool) {
	if p.billed.unknown || !p.billed.given {
		return
	}
	p.BilledTokens = p.billed.tokens.String()
	if !compared || p.counted.unknown || p.Unpriced > 0 {
		return
	}
	p.CountedTokens = p.counted.tokens.String()
	p.Cause = p.cause()
}

// cause compares the fractions by which tokens and amounts differ. The kinds of tokens of a model differ by up to ten times in price, so a
// few tokens can be a large amount.
func (p *billPart) cause() DriftCause {
	const kinds = 10
	drift, counted := decimal.FromText(p.DriftUSD), decimal.FromText(p.CountedUSD)
	if drift.IsZero() {
		return ""
	}
	more := p.billed.tokens.Sub(p.counted.tokens)
	// |more| / counted tokens * kinds < |drift| / counted amount, without a division
	left := magnitude(more.Mul(counted)).Mul(decimal.New(kinds, 0))
	if left.Cmp(magnitude(drift.Mul(p.counted.tokens))) < 0 {
		return CauseAnotherPrice
	}
	return CauseMissingCalls
}

func magnitude(d decimal.Decimal) decimal.Decimal {
	if d.Cmp(decimal.Decimal{}) < 0 {
		return d.Mul(decimal.New(-1, 0))
	}
	return d
}
