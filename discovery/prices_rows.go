package discovery

import (
	"strconv"

	"github.com/mesh-gateway/mesh-go/discovery/internal/pricelist"
)

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
