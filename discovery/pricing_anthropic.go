package discovery

import (
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// PricingForAnthropicModel returns today's list price of an Anthropic model from the built-in list, and reports whether the
// list has the model. Source and VerifiedAt name the source of the price and its date; RawPricing and the cache fields have
// the prices of the cache.
//
// The id is looked up unchanged, then in lower case without vendor prefix and platform suffix, then without its build
// ([NormalizeModelID]), because a build of Claude has the price of its model. The price is the price of a standard request to
// Anthropic, even if the prefix names another platform. Variants with -fast are not in the list.
//
// The price of claude-haiku-5-5 depends on the length of the prompt (input, cache reads and cache writes together). Its row is
// the one for up to 100,000 tokens. [ListAnthropicPricing] has the row for longer prompts under the same ModelHint; [PriceAt]
// chooses between them.
func PricingForAnthropicModel(id string) (*ProviderPricing, bool) {
	row, ok := prices.PricingForAnthropicModel(id)
	if !ok {
		return nil, false
	}
	pricing := PricingOf(row)
	return &pricing, true
}

// ListAnthropicPricing returns the rows of the built-in list for Anthropic that are in force today: one for each priced id, or
// two if the price depends on the length of the prompt, the row for shorter prompts first. [prices.List.Rows] returns all periods.
func ListAnthropicPricing() []ProviderPricing {
	rows := prices.ListAnthropicPricing()
	pricings := make([]ProviderPricing, len(rows))
	for i, row := range rows {
		pricings[i] = PricingOf(row)
	}
	return pricings
}
