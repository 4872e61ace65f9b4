package discovery

import (
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/internal/geminisku"
	"github.com/mesh-gateway/mesh-go/gen/cloudbilling"
)

// sku is a row of the price list, with what choosing a price needs besides.
type sku struct {
	record ProviderPricing
	class  geminisku.Class
}

// readSKU reads one SKU, with the price in force now. What it does not understand has no price.
func readSKU(s *cloudbilling.SKU, now time.Time) sku {
	class, price, unit := geminisku.Read(s, now)
	verified := now.UTC().Format(time.RFC3339)
	record := ProviderPricing{
		Provider: Gemini, ModelHint: class.Model, SKUID: s.SKUID, SKUDescription: s.Description, TierThresholdTokens: class.Threshold,
		Source: SourceCloudBilling, VerifiedAt: &verified, Modality: class.Modality, Mode: class.Mode, UsageUnit: nonZero(&unit),
	}
	if class.Direction == geminisku.Input {
		record.InputPerMTok = price
	} else {
		record.OutputPerMTok = price
	}
	return sku{record: record, class: class}
}
