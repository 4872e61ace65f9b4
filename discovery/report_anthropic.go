package discovery

import (
	"encoding/json"

	"github.com/mesh-gateway/mesh-go/discovery/bills"
	"github.com/mesh-gateway/mesh-go/internal/decimal"
)

// anthropicPlace is what Anthropic's reports of costs and of usage have in common for the tokens of a model.
type anthropicPlace struct {
	Model   string `json:"model"`
	Tier    string `json:"service_tier"`
	Context string `json:"context_window"`
	Geo     string `json:"inference_geo"`
}

// plain returns the place, of which the reports write an unknown region in two ways.
func (p anthropicPlace) plain() anthropicPlace {
	if p.Geo == "not_available" {
		p.Geo = ""
	}
	return p
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
var anthropicKinds = map[string]string{ //nolint:gosec // names of counts, not credentials
	"uncached_input_tokens": "input", "cache_read_input_tokens": "cache_read", "output_tokens": "output",
	"cache_creation.ephemeral_5m_input_tokens": "cache_write_5m", "cache_creation.ephemeral_1h_input_tokens": "cache_write_1h",
}

// anthropicItems returns the line items of Anthropic's results: one for each model, kind of token and place, with the tokens that the usage
// report has for it, and one for each description of other costs; nil for results that are not grouped by description.
func anthropicItems(results, usage []json.RawMessage) []billedItem {
	type line struct {
		anthropicPlace
		kind, description string
	}
	sums, names := map[line]decimal.Decimal{}, map[line]string{}
	for _, raw := range results {
		var cost anthropicCost
		if json.Unmarshal(raw, &cost) != nil || cost.Description == "" {
			return nil
		}
		cents, err := decimal.Parse(cost.Amount)
		if err != nil {
			return nil
		}
		key := line{cost.plain(), anthropicKinds[cost.TokenType], ""}
		switch {
		case cost.Type != "tokens" && cost.Type != "":
			key.kind, key.description = bills.KindFee, cost.Description
		case key.kind == "":
			key.description = cost.Description
		}
		if names[key] == "" || cost.Description < names[key] {
			names[key] = cost.Description
		}
		sums[key] = sums[key].Add(cents.Shift(2))
	}
	used := anthropicTokens(usage)
	var items []billedItem
	for key, usd := range sums {
		item := billedItem{name: names[key], model: key.Model, kind: key.kind, usd: usd}
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

// maxTokens bounds a count of the usage report.
const maxTokens = 1 << 53

// anthropicTokens returns the tokens of the usage report by kind; nil if a count cannot be read.
func anthropicTokens(results []json.RawMessage) map[anthropicPlace]map[string]int64 {
	all := map[anthropicPlace]map[string]int64{}
	for _, raw := range results {
		var u anthropicUsage
		if json.Unmarshal(raw, &u) != nil {
			return nil
		}
		kinds := all[u.plain()]
		if kinds == nil {
			kinds = map[string]int64{}
			all[u.plain()] = kinds
		}
		for kind, n := range map[string]int64{"input": u.Input, "cache_read": u.CacheRead, "output": u.Output, "cache_write_5m": u.Written.For5m, "cache_write_1h": u.Written.For1h} {
			if n < 0 || n > maxTokens || kinds[kind] > maxTokens {
				return nil
			}
			kinds[kind] += n
		}
	}
	return all
}
