package discovery

import (
	"encoding/json"

	"github.com/mesh-gateway/mesh-go/discovery/bills"
	"github.com/mesh-gateway/mesh-go/discovery/internal/decimal"
)

// anthropicPlace is what Anthropic's reports of costs and of usage have in common for the tokens of a model.
type anthropicPlace struct {
	Model   string `json:"model"`
	Tier    string `json:"service_tier"`
	Context string `json:"context_window"`
	Geo     string `json:"inference_geo"`
}

// anthropicCost is a result of the cost report that is grouped by description.
type anthropicCost struct {
	anthropicPlace
	Amount      string `json:"amount"` // in cents
	Description string `json:"description"`
	Type        string `json:"cost_type"`
	TokenType   string `json:"token_type"`
}

// anthropicUsage is a result of the usage report that is grouped by everything in anthropicPlace.
type anthropicUsage struct {
	anthropicPlace
	Input     int64 `json:"uncached_input_tokens"`
	CacheRead int64 `json:"cache_read_input_tokens"`
	Output    int64 `json:"output_tokens"`
	Written   struct {
		For5m int64 `json:"ephemeral_5m_input_tokens"`
		For1h int64 `json:"ephemeral_1h_input_tokens"`
	} `json:"cache_creation"`
}

// anthropicKinds are the kinds of token types.
var anthropicKinds = map[string]string{
	"uncached_input_tokens": "input", "cache_read_input_tokens": "cache_read", "output_tokens": "output",
	"cache_creation.ephemeral_5m_input_tokens": "cache_write_5m", "cache_creation.ephemeral_1h_input_tokens": "cache_write_1h",
}

// anthropicItems returns the line items of Anthropic's results by description, token type and service tier, with the tokens that the usage
// report has for them; nil for results that are not grouped by description.
func anthropicItems(results, usage []json.RawMessage) []billedItem {
	type line struct {
		anthropicPlace
		description, kind string
	}
	sums := map[line]decimal.Decimal{}
	for _, raw := range results {
		var cost anthropicCost
		if json.Unmarshal(raw, &cost) != nil || cost.Description == "" {
			return nil
		}
		cents, err := decimal.Parse(cost.Amount)
		if err != nil {
			return nil
		}
		key := line{cost.anthropicPlace, cost.Description, anthropicKinds[cost.TokenType]}
		if cost.Type != "tokens" && cost.Type != "" {
			key.kind = bills.KindFee
		}
		sums[key] = sums[key].Add(cents.Shift(2))
	}
	used := anthropicTokens(usage)
	var items []billedItem
	for key, usd := range sums {
		item := billedItem{name: key.description, model: key.Model, kind: key.kind, usd: usd}
		if key.Tier != "" && key.Tier != "standard" {
			item.name += ", " + key.Tier
		}
		if tokens, known := used[key.anthropicPlace][key.kind]; known {
			item.quantity = Quantity{decimal.New(tokens, 0).String(), unitTokens}
		}
		items = append(items, item)
	}
	return items
}

// anthropicTokens returns the tokens of the usage report by kind.
func anthropicTokens(results []json.RawMessage) map[anthropicPlace]map[string]int64 {
	all := map[anthropicPlace]map[string]int64{}
	for _, raw := range results {
		var u anthropicUsage
		if json.Unmarshal(raw, &u) != nil {
			return nil
		}
		kinds := all[u.anthropicPlace]
		if kinds == nil {
			kinds = map[string]int64{}
			all[u.anthropicPlace] = kinds
		}
		for kind, n := range map[string]int64{"input": u.Input, "cache_read": u.CacheRead, "output": u.Output, "cache_write_5m": u.Written.For5m, "cache_write_1h": u.Written.For1h} {
			kinds[kind] += n
		}
	}
	return all
}
