package discovery

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/mesh-gateway/mesh-go/discovery/internal/geminisku"
	"github.com/mesh-gateway/mesh-go/internal/argument"
)

// Direction is the direction of tokens, input or output. The zero value means [Output].
type Direction string

// The directions.
const (
	Output Direction = "output"
	Input  Direction = "input"
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

func (q GeminiPriceQuery) check(hint []string) error {
	switch {
	case len(hint) == 0:
		return invalid("hint", "", "must not be empty")
	case q.Direction != "" && q.Direction != Input && q.Direction != Output:
		return invalid("Direction", string(q.Direction), "must be input or output")
	case q.TierThresholdTokens < 0:
		return invalid("TierThresholdTokens", fmt.Sprint(q.TierThresholdTokens), "must not be negative")
	}
	return notNegative("TTL", q.TTL)
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
	words := geminisku.Words(hint)
	if err := cmp.Or(c.ready(ctx), q.check(words)); err != nil {
		return nil, err
	}
	list, failure := c.keyedGeminiPrices(ctx, opPricingForGeminiModel, q.PricingOptions)
	if failure != nil {
		return nil, c.report(ctx, failure)
	}
	price, err := list.prices.Price(words, geminisku.Direction(cmp.Or(q.Direction, Output)), q.TierThresholdTokens)
	if err != nil {
		if name := argument.Shown(strings.Join(words, " ")); errors.Is(err, geminisku.ErrNoModel) && name != "" {
			err = fmt.Errorf("%w: %s", err, name)
		}
		return nil, c.report(ctx, newRequest(opPricingForGeminiModel, ServiceCloudBilling, Secret{}, 0).partial(err))
	}
	return price, nil
}
