// Package geminisku reads the SKUs of Google's Cloud Billing catalog: the model, direction, modality, kind of request and
// length of prompt that a price is for, and the price itself.
//
// Nothing documents how descriptions are written, and there are several styles. The package understands known words only:
// a SKU with any other word has no price, so that an unknown kind of price is never taken for a list price.
package geminisku

import (
	"time"

	"github.com/mesh-gateway/mesh-go/gen/cloudbilling"
)

// Direction is the direction of tokens.
type Direction string

// The directions.
const (
	Output Direction = "output"
	Input  Direction = "input"
)

// Modalities and modes, as documented in package discovery.
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

// Class is the content of the description of a SKU.
type Class struct {
	// Model is the model in lower case, beginning with "gemini", or "".
	Model string
	// Direction is "" for a SKU that does not price tokens.
	Direction Direction
	Modality  string
	Mode      string
	// Threshold is the length of the prompt from which the price applies, and Limit the one up to which; 0 means no limit.
	Threshold, Limit int64
	// UnknownTier is true when the SKU would have a list price, but its length of prompt is not understood.
	UnknownTier bool
}

// read returns the class of a SKU, the price that applies now in USD per million tokens, or nil, and the unit of the price.
func read(s *cloudbilling.SKU, now time.Time) (c Class, price *float64, unit string) {
	c = classify(s.Description)
	if s.Category != nil && s.Category.UsageType != "" && s.Category.UsageType != "OnDemand" {
		c.Mode, c.UnknownTier = ModeUnknown, false // a commitment, or preemptible capacity
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
