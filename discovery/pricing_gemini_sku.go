package discovery

import (
	"time"

	"github.com/mesh-gateway/mesh-go/gen/cloudbilling"
)

// sku is a row of the price list, with what choosing a price needs besides.
type sku struct {
	record ProviderPricing
	// direction is there even where there is no price.
	direction Direction
	// limit is the length of the prompt up to which the price holds; 0 is no limit.
	limit int64
	// noTier is that it would be a list price if it were known for prompts of which length.
	noTier bool
}

// readSKU reads one SKU, with the price in force now. What it does not understand has no price.
func readSKU(s *cloudbilling.SKU, now time.Time) sku {
	c := classify(s.Description)
	if s.Category != nil && s.Category.UsageType != "" && s.Category.UsageType != "OnDemand" {
		c.mode, c.noTier = ModeUnknown, false // a commitment, or capacity that can be taken away
	}
	verified := now.UTC().Format(time.RFC3339)
	record := ProviderPricing{
		Provider: Gemini, ModelHint: c.model, SKUID: s.SKUID, SKUDescription: s.Description, TierThresholdTokens: c.threshold,
		Source: SourceCloudBilling, VerifiedAt: &verified, Modality: c.modality, Mode: c.mode,
	}
	expression := inForce(s.PricingInfo, now)
	if expression != nil {
		record.UsageUnit = copied(known(&expression.UsageUnit))
	}
	price := pricePerMillion(expression)
	if c.mode == ModeUnknown || c.direction == "" {
		price = nil
	}
	if price != nil && *price == 0 && c.mode == ModeStandard {
		record.Mode = ModeFree
	}
	record.setPrice(c.direction, price)
	return sku{record: record, direction: c.direction, limit: c.limit, noTier: c.noTier}
}

func (p *ProviderPricing) setPrice(d Direction, price *float64) {
	if d == Input {
		p.InputPerMTok = price
		return
	}
	p.OutputPerMTok = price
}
