package discovery

import (
	"slices"
	"strconv"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/internal/pricelist"
)

// ListPrices returns the built-in price table of a provider: every model, period and tier. Models without a known price have a
// row whose prices are all nil. For an unknown provider the list is empty.
//
// A price is in the table if the provider's own page has it or two independent sources agree; Source names them. A row with a
// TierThresholdTokens of N prices the whole request if the prompt has N or more tokens. DeepSeek's prices from 2026-08-17 on
// are peak prices: [Client.CostOf] halves them at other hours.
func ListPrices(p Provider) []ProviderPricing {
	p = p.canonical()
	return pricingsOf(slices.DeleteFunc(slices.Clone(pricelist.Builtin().Rows()), func(r pricelist.Row) bool { return r.Provider != string(p) }))
}

// PricingForAnthropicModel returns today's list price of an Anthropic model from the built-in table, and reports whether the
// table has the model. Source and VerifiedAt name the source of the price and its date; RawPricing and the cache fields have
// the prices of the cache.
//
// The id is looked up unchanged, then in lower case without vendor prefix and platform suffix, then without its build
// ([NormalizeModelID]), because a build of Claude has the price of its model. The price is that of a standard request to
// Anthropic, even if the prefix names another platform. Variants with -fast are not in the table.
//
// The price of claude-haiku-5-5 depends on the length of the prompt (input, cache reads and cache writes together). Its row is
// the one for up to 100,000 tokens. [ListAnthropicPricing] has the row for longer prompts under the same ModelHint; [PriceAt]
// chooses between them.
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

// ListAnthropicPricing returns the rows of the built-in table for Anthropic that are in force today: one for each priced id, or
// two if the price depends on the length of the prompt, the row for shorter prompts first. [ListPrices] returns all periods.
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

// pricingOf returns a row of the price table as callers see it.
func pricingOf(r *pricelist.Row) ProviderPricing {
	p := ProviderPricing{
		Provider: Provider(r.Provider), ModelHint: r.Model, SKUID: r.Model, SKUDescription: r.Model + " list price",
		InputPerMTok: r.Input.Float64(), OutputPerMTok: r.Output.Float64(), CacheReadPerMTok: r.CacheRead.Float64(),
		CacheWrite5mPerMTok: r.CacheWrite5m.Float64(), CacheWrite1hPerMTok: r.CacheWrite1h.Float64(),
		ValidFrom: nonEmpty(r.ValidFrom), ValidUntil: nonEmpty(r.ValidUntil), VerifiedAt: nonEmpty(r.VerifiedAt),
		Source: r.Source, Modality: ModalityText, Mode: ModeStandard,
	}
	if r.Above > 0 {
		p.TierThresholdTokens = r.Above + 1
		from := strconv.FormatInt(p.TierThresholdTokens, 10)
		p.SKUID += "@" + from
		p.SKUDescription += ", prompts from " + from + " tokens"
	}
	if r.ValidUntil != "" {
		p.SKUID += "@until-" + r.ValidUntil
		p.SKUDescription += ", until " + r.ValidUntil
	}
	if r.Provider == string(Anthropic) {
		p.RawPricing = rawPricing(r)
	}
	return p
}

// rawPricing returns the cache prices of an Anthropic model, nil unless all three are listed.
func rawPricing(r *pricelist.Row) *RawPricing {
	hour := r.CacheWrite1h
	if !hour.Known() {
		hour = r.SingleSourceWrite1h
	}
	if !r.CacheRead.Known() || !r.CacheWrite5m.Known() || !hour.Known() {
		return nil
	}
	return &RawPricing{CacheWrite5m: *r.CacheWrite5m.Float64(), CacheWrite1h: *hour.Float64(), CacheHit: *r.CacheRead.Float64()}
}

func nonEmpty(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}
