package prices

import (
	"cmp"
	"errors"
	"slices"

	"github.com/mesh-gateway/mesh-go/discovery/internal/pricelist"
	"github.com/mesh-gateway/mesh-go/discovery/internal/ptr"
	"github.com/mesh-gateway/mesh-go/discovery/internal/usage"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/internal/decimal"
)

// bill sums the charges for one call, which may be several requests.
type bill struct {
	cost  Cost
	lines bool // whether the cost has Lines, Source and VerifiedAt
	sum   decimal.Decimal
	err   error
}

// addEach prices the iterations one by one, and the usage outside them as one more
// request.
func (b *bill) addEach(l *List, p models.Provider, call *Call) {
	rest, _ := (*usage.Typed[USD])(&call.Usage).Rest()
	one, iterations := *call, call.Usage.Iterations
	one.Usage = Usage(rest)
	own := slices.ContainsFunc(iterations, func(i Iteration) bool { return i.Model == "" })
	if !own || one.Usage.sum() > 0 || len(rest.ToolUses) > 0 {
		charge, err := l.charge(p, &one)
		b.add(&charge, err, "")
	}
	for i := range iterations {
		one.Model, one.Usage = cmp.Or(iterations[i].Model, call.Model), Usage(usage.UsageOf[USD](&iterations[i]))
		one.Usage.Mode = rest.Mode
		charge, err := l.charge(p, &one)
		b.add(&charge, err, iterations[i].Model)
	}
}

// add adds the known parts even if err is set, for BoundUSD. model is an advisor's id.
func (b *bill) add(charge *pricelist.Charge, err error, model string) {
	const perMillion = 6 // places
	if b.err == nil {
		b.err = err
	}
	if model == "" && charge.Row != nil {
		b.describe(charge)
	}
	for _, part := range charge.Parts {
		price := part.Price.Mul(charge.Factor)
		usd := price.Mul(decimal.New(part.Tokens, perMillion))
		b.sum = b.sum.Add(usd)
		if b.lines {
			b.line(Line{Kind: part.What, Tokens: part.Tokens, USDPerMTok: USD(price.String()), USD: USD(usd.String()), Model: model})
		}
	}
	for _, use := range charge.Uses {
		usd := use.USD.Mul(decimal.New(use.Requests, 0))
		b.sum = b.sum.Add(usd)
		if b.lines {
			b.line(Line{Kind: use.What, ToolUses: use.Requests, USDPerUse: USD(use.USD.String()), USD: USD(usd.String())})
		}
	}
}

// line adds the tokens to an existing line with the same price, if there is one.
func (b *bill) line(line Line) {
	for i := range b.cost.Lines {
		if l := &b.cost.Lines[i]; l.Kind == line.Kind && l.Model == line.Model && l.USDPerMTok == line.USDPerMTok {
			l.Tokens, l.USD = l.Tokens+line.Tokens, l.USD.Add(line.USD)
			return
		}
	}
	b.cost.Lines = append(b.cost.Lines, line)
}

// describe names the row with the highest threshold as the cost's source.
func (b *bill) describe(charge *pricelist.Charge) {
	row := charge.Row
	if b.cost.Mode != "" && row.MinPrompt <= b.cost.TierThresholdTokens {
		return
	}
	b.cost.SourceKey, b.cost.Mode = cmp.Or(row.Key, row.Source), cmp.Or(charge.Mode, ModeStandard)
	if b.cost.TierThresholdTokens = row.MinPrompt; b.lines {
		b.cost.Source, b.cost.VerifiedAt = row.Source, ptr.Of(row.VerifiedAt)
		if b.cost.Lines == nil {
			b.cost.Lines = make([]Line, 0, len(charge.Parts)+len(charge.Uses))
		}
	}
}

// If a price is unknown, the error's BoundUSD is the sum so far.
func (b *bill) total() (Cost, error) {
	if b.err == nil {
		b.cost.USD = USD(b.sum.String())
		return b.cost, nil
	}
	var unpriced *UnpricedError
	if errors.As(b.err, &unpriced) && !b.sum.IsZero() {
		unpriced.BoundUSD = USD(b.sum.String())
	}
	return Cost{}, b.err
}
