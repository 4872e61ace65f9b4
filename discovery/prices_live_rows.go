package discovery

import (
	"slices"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/internal/geminisku"
	"github.com/mesh-gateway/mesh-go/discovery/internal/pricelist"
	"github.com/mesh-gateway/mesh-go/gen/xai"
)

// rows returns the standard text prices of a Gemini model, a row for each tier; nil when the list has no such model, or the
// name is ambiguous. A tier whose price is not understood is a row without prices.
func (l *priceList) rows(model string) []pricelist.Row {
	name, full := geminisku.WithoutVendor(geminisku.Words(model))
	if len(name) == 0 {
		return nil
	}
	models, err := l.models.Match(name, full)
	if err != nil || len(models) == 0 {
		return nil
	}
	var rows []pricelist.Row
	for _, threshold := range l.thresholds(models) {
		rows = append(rows, pricelist.Row{
			Provider: string(Gemini), Model: model, Above: threshold, Source: SourceCloudBilling, VerifiedAt: l.readAt.UTC().Format(time.RFC3339),
			Input: l.listPrice(models, Input, threshold), Output: l.listPrice(models, Output, threshold), CacheRead: l.cachedPrice(models, threshold),
		})
	}
	return rows
}

// thresholds returns where the tiers of a model begin, in order, 0 included.
func (l *priceList) thresholds(models map[string]bool) []int64 {
	thresholds := []int64{0}
	for i := range l.skus {
		s := &l.skus[i]
		if models[s.record.ModelHint] && s.record.Modality == ModalityText && s.record.Mode == ModeStandard {
			thresholds = append(thresholds, s.record.TierThresholdTokens, s.class.Limit)
		}
	}
	slices.Sort(thresholds)
	return slices.Compact(thresholds)
}

func (l *priceList) listPrice(models map[string]bool, d Direction, tokens int64) pricelist.Price {
	skus, err := l.tier(models, d, tokens)
	return agreed(skus, err)
}

// cachedPrice returns the price of cached input: that of the highest tier that is not above tokens.
func (l *priceList) cachedPrice(models map[string]bool, tokens int64) pricelist.Price {
	var best []*sku
	for i := range l.skus {
		s := &l.skus[i]
		switch threshold := s.record.TierThresholdTokens; {
		case !models[s.record.ModelHint] || s.record.Modality != ModalityText || s.record.Mode != ModeCached || s.direction() != Input:
		case s.class.UnknownTier:
			return pricelist.Price{}
		case threshold > tokens:
		case len(best) == 0 || threshold > best[0].record.TierThresholdTokens:
			best = []*sku{s}
		case threshold == best[0].record.TierThresholdTokens:
			best = append(best, s)
		}
	}
	if slices.ContainsFunc(best, func(s *sku) bool { return s.class.Limit > 0 && tokens >= s.class.Limit }) {
		return pricelist.Price{}
	}
	return agreed(best, nil)
}

// agreed returns the one price that SKUs have, or a price that is not known.
func agreed(skus []*sku, err error) pricelist.Price {
	if err != nil {
		return pricelist.Price{}
	}
	usd, err := commonPrice(skus)
	if err != nil {
		return pricelist.Price{}
	}
	return pricelist.FromFloat(usd)
}

// xaiRows returns the text prices of xAI's models, under their ids and aliases. A model without both prices of text has no
// row: those of images are listed with 0.
func xaiRows(models []xai.LanguageModel, readAt time.Time) []pricelist.Row {
	var rows []pricelist.Row
	for _, m := range models {
		if deref(m.PromptTextTokenPrice) <= 0 || deref(m.CompletionTextTokenPrice) <= 0 {
			continue
		}
		base := pricelist.Row{
			Provider: string(XAI), Source: SourceLanguageModels, VerifiedAt: readAt.UTC().Format(time.RFC3339),
			Input: xaiPrice(m.PromptTextTokenPrice), CacheRead: xaiPrice(m.CachedPromptTextTokenPrice), Output: xaiPrice(m.CompletionTextTokenPrice),
		}
		long := base
		long.Above = deref(m.LongContextThreshold) - 1 // the long context begins at the threshold itself
		long.Input, long.CacheRead = xaiPrice(m.PromptTextTokenPriceLongContext), xaiPrice(m.CachedPromptTextTokenPriceLongContext)
		long.Output = xaiPrice(m.CompletionTextTokenPriceLongContext)
		for _, id := range append([]string{m.ID}, m.Aliases...) {
			base.Model, long.Model = id, id
			rows = append(rows, base)
			if long.Above > 0 {
				rows = append(rows, long)
			}
		}
	}
	return rows
}

// xaiPrice reads a price in cents per 100 million tokens. 0 is what xAI lists where there is no price.
func xaiPrice(cents *int64) pricelist.Price {
	if deref(cents) <= 0 {
		return pricelist.Price{}
	}
	return pricelist.FromCentsPer100MTok(*cents)
}
