// Package geminisku reads what the SKUs of Google's billing catalog say: which model, direction, modality, kind of request and
// length of prompt a price is for, and the price itself.
package geminisku

import (
	"time"

	"github.com/mesh-gateway/mesh-go/gen/cloudbilling"
)

// Direction is which way tokens go.
type Direction string

const (
	Output Direction = "output"
	Input  Direction = "input"
)

// Modalities and modes, documented in package discovery.
const (
	ModalityText  = "text"
	ModalityImage = "image"
	ModalityAudio = "audio"
	ModalityVideo = "video"

	ModeStandard  = "standard"
	ModeCached    = "cached"
	ModeBatch     = "batch"
	ModeFlex      = "flex"
	ModePriority  = "priority"
	ModeLive      = "live"
	ModeFree      = "free"
	ModeUnknown   = "unknown"
	ModeStorage   = "storage"
	ModeGrounding = "grounding"
	ModeOther     = "other"
)

// Read classifies a SKU and returns the price in force now, in USD per million tokens, with its unit.
func Read(s *cloudbilling.SKU, now time.Time) (c Class, price *float64, unit string) {
	c = classify(s.Description)
	if s.Category != nil && s.Category.UsageType != "" && s.Category.UsageType != "OnDemand" {
		c.Mode, c.NoTier = ModeUnknown, false // a commitment, or capacity that can be taken away
	}
	expression := inForce(s.PricingInfo, now)
	if expression != nil {
		unit = expression.UsageUnit
	}
	if price = pricePerMillion(expression); c.Mode == ModeUnknown || c.Direction == "" {
		price = nil
	}
	if price != nil && *price == 0 && c.Mode == ModeStandard {
		c.Mode = ModeFree
	}
	return c, price, unit
}
