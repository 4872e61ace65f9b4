package discovery

import "slices"

// PricingForAnthropicModel returns the list price of one of Anthropic's models, from a table that is part of this package
// (SPEC.md, pricing for provider C model; WIRE.md section 9); false when the table does not know the model. The row says
// whom it rests on (Source), of which day it is (VerifiedAt, [ProviderPricing.Age]), and has the prices of the cache in
// RawPricing. It is the caller's own.
//
// The id is looked up as it is, then without case, vendor prefix and platform suffix, then without its build
// ([NormalizeModelID]); a build of a model in the table is thus answered with the price of the model. The price is
// Anthropic's own, whatever platform the prefix names, for a plain request: batches cost half, and a -fast variant is priced
// apart and unknown.
//
// For claude-haiku-5-5, whose price depends on the length of the prompt, this is the row for prompts of up to 100,000 tokens:
// input, cache reads and cache writes together. Above, every token of the request costs what the other row says, which
// [PriceAt] finds among the rows of [ListAnthropicPricing] that have this row's ModelHint.
//
// It asks nobody, and is safe for concurrent use.
func PricingForAnthropicModel(id string) (*ProviderPricing, bool) {
	table := anthropicPrices()
	for _, name := range append(append([]string{id}, dialect(Anthropic).Spellings(id)...), NormalizeModelID(Anthropic, id)) {
		i := slices.IndexFunc(table, func(p ProviderPricing) bool { return p.ModelHint == name })
		if i >= 0 {
			row := table[i].clone()
			return &row, true
		}
	}
	return nil, false
}

// ListAnthropicPricing lists the whole table: a row for each id, dated or not, and two for a model with prices by the length
// of the prompt, the shorter one first (SPEC.md, list provider C pricing). The list is the caller's own.
//
// It asks nobody, and is safe for concurrent use.
func ListAnthropicPricing() []ProviderPricing {
	table := anthropicPrices()
	list := make([]ProviderPricing, len(table))
	for i := range table {
		list[i] = table[i].clone()
	}
	return list
}
