package discovery

import (
	"slices"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/internal/pricelist"
)

// PricingForAnthropicModel returns the list price of an Anthropic model that is in force today, from the built-in table. It
// reports whether the table has the model. Source and VerifiedAt of the row describe what the price rests on, and RawPricing
// and the cache fields have the prices of the cache. The row is the caller's own.
//
// The id is looked up as it is, then without case, vendor prefix and platform suffix, then without its build
// ([NormalizeModelID]), because a build of Claude costs what its model costs. The price is Anthropic's own for a standard
// request, whatever platform the prefix names. A -fast variant is not in the table.
//
// For claude-haiku-5-5, whose price depends on the length of the prompt, the row is the one for prompts of up to 100,000
// tokens: input, cache reads and cache writes together. The row for longer prompts is in [ListAnthropicPricing] under the same
// ModelHint; [PriceAt] chooses between them.
func PricingForAnthropicModel(id string) (*ProviderPricing, bool) {
	list := pricelist.Builtin()
	rows := findRows(list, Anthropic, id)
	if len(rows) > 0 && rows[0].SameAs != "" {
		rows = list.Model(string(Anthropic), rows[0].SameAs)
	}
	row, _ := pricelist.InForce(rows, time.Now(), 0)
	if row == nil || !row.Priced() {
		return nil, false
	}
	pricing := pricingOf(row)
	return &pricing, true
}

// ListAnthropicPricing returns the rows of the built-in table for Anthropic that are in force today: one for each priced id,
// dated or not, and two for a model whose price depends on the length of the prompt, the one for shorter prompts first. The
// list is the caller's own. [ListPrices] has the other periods too.
func ListAnthropicPricing() []ProviderPricing {
	today := pricelist.DayOf(time.Now())
	rows := slices.DeleteFunc(slices.Clone(pricelist.Builtin().Rows()), func(r pricelist.Row) bool {
		return r.Provider != string(Anthropic) || r.SameAs != "" || !r.Priced() || !r.ValidOn(today)
	})
	return pricingsOf(rows)
}

// findRows returns the rows of a model under any spelling of its id. A build that is not listed is not its model, which may
// have another price; only the builds of Claude are known to cost the same.
func findRows(list *pricelist.List, p Provider, id string) []pricelist.Row {
	if rows := list.Model(string(p), id); rows != nil {
		return rows
	}
	rules := dialect(p)
	for _, name := range rules.Spellings(id) {
		if rows := list.Model(string(p), name); rows != nil {
			return rows
		}
	}
	if p == Anthropic {
		return list.Model(string(p), rules.Normalize(id))
	}
	return nil
}

// pricingsOf returns the rows as their callers see them.
func pricingsOf(rows []pricelist.Row) []ProviderPricing {
	pricings := make([]ProviderPricing, len(rows))
	for i := range rows {
		pricings[i] = pricingOf(&rows[i])
	}
	return pricings
}
