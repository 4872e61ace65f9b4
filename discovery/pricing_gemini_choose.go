package discovery

import (
	"context"
	"fmt"
	"slices"

	"github.com/mesh-gateway/mesh-go/discovery/internal/geminisku"
)

// GeminiPriceQuery says which price of a model is wanted. The zero value means its output price for short prompts.
type GeminiPriceQuery struct {
	// Direction is [Input] or [Output]; "" means Output.
	Direction Direction
	// TierThresholdTokens is the length of the prompt in tokens, or the threshold of the tier: 128,000 for the one over 128K.
	TierThresholdTokens int64
	PricingOptions
}

// Format prints the query without the key. Without it there would be only what the options print of themselves.
func (q GeminiPriceQuery) Format(f fmt.State, verb rune) {
	_, _ = fmt.Fprintf(f, fmt.FormatString(f, verb), struct {
		Direction           Direction
		TierThresholdTokens int64
		PricingOptions      any
	}{q.Direction, q.TierThresholdTokens, q.PricingOptions})
}

func (q GeminiPriceQuery) check(hint []string) error {
	if len(hint) == 0 {
		return &ValueError{Field: "model hint", Reason: "is empty"}
	}
	if err := q.Direction.check(); err != nil {
		return err
	}
	if q.TierThresholdTokens < 0 {
		return &ValueError{Field: "tier threshold", Value: fmt.Sprint(q.TierThresholdTokens), Reason: "is negative"}
	}
	return q.PricingOptions.check()
}

// PricingForGeminiModel returns what a plain request with text costs, in USD per million tokens, or nil (SPEC.md, pricing for
// provider D model; WIRE.md section 8). It is right or nil: cached, batch, flex, priority, live and free SKUs, and those for
// images, audio and video, never answer. [Client.FetchGeminiPricing] lists them.
//
// The hint is matched against what the SKUs call the model; case, and whether words are parted by a blank, a hyphen or an
// underscore, make no difference, and neither does a leading "gemini", "google/" or "models/". The first of these that
// applies decides:
//
//  1. the hint is the model, in full
//  2. the hint with nothing but "preview" or a build behind it is the model ("3.1 flash lite" is 3.1 flash lite preview)
//  3. the hint stands in the name of one model alone as whole words, with nothing behind it that would make it another model:
//     "3.5 flash" is not answered with 3.5 flash lite, nor "3 pro" with 3 pro image. One that had a leading "gemini" stands
//     at the beginning: "gemini-2" is not answered with robotics er 2
//
// When that leaves several models, or only ones that may be another than is meant, the price is nil and a [Failure] of
// [ReasonPartial] lists them; so it is when the SKUs of a model disagree.
//
// The tier is the one that [PriceAt] picks for TierThresholdTokens. Where the list has no SKU for prompts of that length,
// and the one for shorter prompts names its limit, the price is nil. Where a SKU of the model may be for prompts of
// some length that its description does not say in known words, the price is nil for every length, and a Failure of
// ReasonPartial names the SKU.
//
// It is nil too when no SKU matches, when the price of the one that does is not understood, and, with the Failure of
// [Client.FetchGeminiPricing], when there is no key or the list cannot be had. An empty hint, an unknown direction, a
// negative threshold and a negative TTL are a [*ValueError].
func (c *Client) PricingForGeminiModel(ctx context.Context, hint string, q GeminiPriceQuery) (*float64, error) {
	words := geminisku.Words(hint)
	if err := q.check(words); err != nil {
		return nil, err
	}
	list := c.geminiPrices(ctx, opPricingForGeminiModel, q.PricingOptions)
	if list.skus == nil {
		return nil, list.failure
	}
	price, err := list.choose(words, q.Direction.orDefault(), q.TierThresholdTokens)
	if err != nil {
		return nil, c.report(ctx, &Failure{Operation: opPricingForGeminiModel, Provider: Gemini, Reason: ReasonPartial, Err: err})
	}
	return price, nil
}

// choose returns the list price of a model. An error says what is ambiguous.
func (l *priceList) choose(hint []string, d Direction, tokens int64) (*float64, error) {
	name, full := geminisku.WithoutVendor(hint)
	models, err := l.models.Match(name, full)
	if err != nil {
		return nil, err
	}
	skus, err := l.tier(models, d, tokens)
	if err != nil {
		return nil, err
	}
	return onePrice(skus)
}

// tier returns the SKUs of the list price at that length of the prompt: those with the highest threshold that is not above
// it. Those whose price is not known take part: another tier's price must not stand in for theirs. An error names a SKU that
// may be for any length.
func (l *priceList) tier(models map[string]bool, d Direction, tokens int64) ([]*sku, error) {
	var best []*sku
	for i := range l.skus {
		s := &l.skus[i]
		switch threshold := s.record.TierThresholdTokens; {
		case !models[s.record.ModelHint] || s.record.Modality != ModalityText || s.direction() != d:
		case s.class.NoTier:
			return nil, fmt.Errorf("the SKU %s may be for prompts of this length: its description is not understood", s.record.SKUID)
		case s.record.Mode != ModeStandard || threshold > tokens:
		case len(best) == 0 || threshold > best[0].record.TierThresholdTokens:
			best = []*sku{s}
		case threshold == best[0].record.TierThresholdTokens:
			best = append(best, s)
		}
	}
	if slices.ContainsFunc(best, func(s *sku) bool { return s.class.Limit > 0 && tokens >= s.class.Limit }) {
		return nil, nil
	}
	return best, nil
}

// onePrice returns the price that all SKUs of a tier have.
func onePrice(skus []*sku) (*float64, error) {
	var price *float64
	for i, s := range skus {
		p := s.record.price(s.direction())
		switch {
		case p == nil:
			return nil, nil //nolint:nilnil // nil is the documented answer for a price that is not known
		case i > 0 && *p != *price:
			return nil, fmt.Errorf("the SKUs %s and %s have different prices", skus[0].record.SKUID, s.record.SKUID)
		}
		price = p
	}
	return copied(price), nil
}

func (s *sku) direction() Direction { return Direction(s.class.Direction) }
