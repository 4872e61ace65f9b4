package discovery

import (
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

// orDefault returns d, or Output if d is "".
func (d Direction) orDefault() Direction {
	if d == "" {
		return Output
	}
	return d
}

func (d Direction) check() error {
	if d = d.orDefault(); d != Input && d != Output {
		return invalid("Direction", string(d), "must be input or output")
	}
	return nil
}

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
	if len(hint) == 0 {
		return invalid("hint", "", "must not be empty")
	}
	if err := q.Direction.check(); err != nil {
		return err
	}
	if q.TierThresholdTokens < 0 {
		return invalid("TierThresholdTokens", fmt.Sprint(q.TierThresholdTokens), "must not be negative")
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
	list, failure := c.keyedGeminiPrices(ctx, opPricingForGeminiModel, q.PricingOptions)
	if failure != nil {
		return nil, c.report(ctx, failure)
	}
	price, err := list.prices.Price(words, geminisku.Direction(q.Direction.orDefault()), q.TierThresholdTokens)
	if err != nil {
		if name := argument.Shown(strings.Join(words, " ")); errors.Is(err, geminisku.ErrNoModel) && name != "" {
			err = fmt.Errorf("%w: %s", err, name)
		}
		return nil, c.report(ctx, newRequest(opPricingForGeminiModel, ServiceCloudBilling, Secret{}, 0).partial(err))
	}
	return price, nil
}
