package discovery

import (
	"slices"

	"github.com/mesh-gateway/mesh-go/discovery/internal/pricelist"
)

// ListPrices returns the built-in price table of a provider: every model, period and tier, and the models that are known but
// not priced, whose prices are all nil. The list is the caller's own, and empty for an unknown provider.
//
// A price is in the table when the provider's own page has it or two independent sources agree; Source names them. A row with
// a TierThresholdTokens of N bills the whole request when the prompt has N tokens or more. The prices of DeepSeek from
// 2026-08-17 on are peak prices: [Client.CostOf] halves them at other hours.
func ListPrices(p Provider) []ProviderPricing {
	p = p.canonical()
	return pricingsOf(slices.DeleteFunc(slices.Clone(pricelist.Builtin().Rows()), func(r pricelist.Row) bool { return r.Provider != string(p) }))
}
