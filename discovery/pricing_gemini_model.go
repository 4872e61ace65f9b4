package discovery

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mesh-gateway/mesh-go/discovery/internal/geminisku"
	"github.com/mesh-gateway/mesh-go/internal/secret"
)

// GeminiPriceQuery selects a price of a model. The zero value means the output price for short prompts.
type GeminiPriceQuery struct {
	// Direction is [Input] or [Output]; "" means Output.
	Direction Direction
	// TierThresholdTokens is the length of the prompt in tokens, or the threshold of a tier, such as 200,000 for the prices
	// above 200K.
	TierThresholdTokens int64
	PricingOptions
}

// Format prints the query without the key. Without it, fmt would use the method of the embedded options and print only them.
func (q GeminiPriceQuery) Format(f fmt.State, verb rune) {
	_, _ = fmt.Fprintf(f, fmt.FormatString(f, verb), struct {
		Direction           Direction
		TierThresholdTokens int64
		PricingOptions      any
	}{q.Direction, q.TierThresholdTokens, q.PricingOptions})
}

// GobEncode encodes the query without its key. Without this method the one of the embedded options would be promoted.
func (q GeminiPriceQuery) GobEncode() ([]byte, error) { return json.Marshal(q) }

// GobDecode decodes a query. APIKey is "".
func (q *GeminiPriceQuery) GobDecode(data []byte) error { return decodeWithoutKey(data, q) }

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

// PricingForGeminiModel returns the list price of a standard text request, in USD per million tokens, or nil. It never returns
// the price of cached, batch, flex, priority, live or free use, or of another modality.
//
// The hint is an API id, as in "gemini-3-flash-preview", or words from the SKUs, as in "3.1 flash lite". docs/providers.md,
// section "Gemini prices", has the rules by which it is matched. A hint that may mean several models is ambiguous and has no
// price.
//
// The tier is the one that [PriceAt] chooses for TierThresholdTokens. If the price is nil, a [Failure] has the reason:
// [ReasonPartial] if no SKU or more than one model matches, or if the matching SKUs disagree or are not understood; otherwise
// the Failure of [Client.FetchGeminiPricing]. An empty hint, an unknown direction, a negative threshold and a negative TTL are
// a [*ValueError].
func (c *Client) PricingForGeminiModel(ctx context.Context, hint string, q GeminiPriceQuery) (*float64, error) {
	if err := c.ready(ctx); err != nil {
		return nil, err
	}
	words := geminisku.Words(hint)
	if err := q.check(words); err != nil {
		return nil, err
	}
	list, err := c.geminiPrices(ctx, opPricingForGeminiModel, q.PricingOptions)
	if list == nil {
		return nil, err
	}
	price, err := list.price(words, q.Direction.orDefault(), q.TierThresholdTokens)
	if err != nil {
		return nil, c.report(ctx, newRequest(opPricingForGeminiModel, ServiceCloudBilling, secret.Secret{}, 0).partial(err))
	}
	return price, nil
}

// What can be missing in a price list.
var (
	errNoModel     = errors.New("no SKU is for this model")
	errNoTextPrice = errors.New("no SKU of the model is a list price of text in this direction")
	errNoTier      = errors.New("no SKU of the model is for prompts of this length")
)

// price returns the list price of a model.
func (l *priceList) price(words []string, d Direction, tokens int64) (*float64, error) {
	hint, anchored := geminisku.WithoutVendor(words)
	models, err := l.models.Match(hint, anchored)
	if err != nil {
		return nil, err
	}
	if len(models) == 0 {
		if name := showable(strings.Join(words, " ")); name != "" {
			return nil, fmt.Errorf("%w: %s", errNoModel, name)
		}
		return nil, errNoModel
	}
	skus, err := l.tier(models, d, tokens)
	if err != nil {
		return nil, err
	}
	return commonPrice(skus)
}

// tier returns the SKUs of the list price for prompts of a length: those with the highest threshold that is not above it. SKUs
// without a price take part, since the price of another tier must not replace theirs. A SKU that may be for any length is an
// error.
func (l *priceList) tier(models map[string]bool, d Direction, tokens int64) ([]*sku, error) {
	var best []*sku
	missing := errNoTextPrice
	for i := range l.skus {
		s := &l.skus[i]
		switch threshold := s.record.TierThresholdTokens; {
		case !models[s.record.ModelHint] || s.record.Modality != ModalityText || s.direction() != d:
		case s.class.UnknownTier:
			return nil, fmt.Errorf("the SKU %s may be for prompts of this length: its description is not understood", s.record.SKUID)
		case s.record.Mode != ModeStandard:
		case threshold > tokens:
			missing = errNoTier
		case len(best) == 0 || threshold > best[0].record.TierThresholdTokens:
			best = []*sku{s}
		case threshold == best[0].record.TierThresholdTokens:
			best = append(best, s)
		}
	}
	if len(best) == 0 {
		return nil, missing
	}
	if slices.ContainsFunc(best, func(s *sku) bool { return s.class.Limit > 0 && tokens >= s.class.Limit }) {
		return nil, errNoTier
	}
	return best, nil
}

// commonPrice returns the price that all SKUs of a tier have.
func commonPrice(skus []*sku) (*float64, error) {
	var common *float64
	for i, s := range skus {
		price := s.record.price(s.direction())
		switch {
		case price == nil:
			return nil, fmt.Errorf("the price of the SKU %s is not understood", s.record.SKUID)
		case i > 0 && *price != *common:
			return nil, fmt.Errorf("the SKUs %s and %s have different prices", skus[0].record.SKUID, s.record.SKUID)
		}
		common = price
	}
	return copied(common), nil
}

func (s *sku) direction() Direction { return Direction(s.class.Direction) }
