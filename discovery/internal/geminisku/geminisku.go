// Package geminisku reads the SKUs of Google's Cloud Billing catalog: the model, direction, modality, kind of request and
// length of prompt that a price is for, and the price itself.
//
// Nothing documents how descriptions are written, and there are several styles. The package understands known words only:
// a SKU with any other word has no price, so that an unknown kind of price is never taken for a list price.
package geminisku

import (
	"errors"
	"fmt"
	"slices"
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

// SKU is a row of a price list.
type SKU struct {
	Class
	ID, Description string
	// Price is in USD per million tokens, or nil, and Unit is the unit of the price.
	Price *float64
	Unit  string
}

// List is the price list at one time. It is read-only once made.
type List struct {
	// SKUs are the rows in their order.
	SKUs   []SKU
	models modelNames
}

// NewList returns the list with the prices that apply now.
func NewList(skus []cloudbilling.SKU, now time.Time) *List {
	l := &List{SKUs: make([]SKU, len(skus))}
	names := make([]string, len(skus))
	for i := range skus {
		s := &l.SKUs[i]
		s.Class, s.Price, s.Unit = read(&skus[i], now)
		s.ID, s.Description, names[i] = skus[i].SKUID, skus[i].Description, s.Model
	}
	l.models = newModelNames(names)
	return l
}

// ErrNoModel is the error of a hint that names no model of the list.
var ErrNoModel = errors.New("no SKU is for this model")

var errNoTier = errors.New("no SKU of the model is for prompts of this length")

// Price returns the list price of text of the one model that a hint means, for prompts of the given length. The error is the
// reason for a price that is not known.
func (l *List) Price(hint []string, d Direction, tokens int64) (*float64, error) {
	models, err := l.models.match(withoutVendor(hint))
	if err != nil {
		return nil, err
	}
	if len(models) == 0 {
		return nil, ErrNoModel
	}
	return l.price(models, ModeStandard, d, tokens)
}

// Tier is the prices of text of a model for prompts of one length and more, up to that of the next tier. A price that is not
// understood is nil.
type Tier struct {
	Threshold                int64
	Input, CacheRead, Output *float64
}

// Models returns the names of the models, as the SKUs spell them.
func (l *List) Models() []string {
	names := make([]string, len(l.models))
	for i := range l.models {
		names[i] = l.models[i].name
	}
	return names
}

// Tiers returns the tiers of the model with an id, the shortest first, and the names of its SKUs; nil when there is no such
// model.
func (l *List) Tiers(id []string) (tiers []Tier, names map[string]bool) {
	models := l.models.ofID(id)
	if len(models) == 0 {
		return nil, nil
	}
	known := func(mode string, d Direction, tokens int64) *float64 {
		price, _ := l.price(models, mode, d, tokens)
		return price
	}
	for _, threshold := range l.thresholds(models) {
		tiers = append(tiers, Tier{
			Threshold: threshold, Input: known(ModeStandard, Input, threshold), CacheRead: known(ModeCached, Input, threshold),
			Output: known(ModeStandard, Output, threshold),
		})
	}
	return tiers, models
}

// thresholds returns where the tiers of a model begin, in order, 0 included.
func (l *List) thresholds(models map[string]bool) []int64 {
	thresholds := []int64{0}
	for i := range l.SKUs {
		s := &l.SKUs[i]
		if models[s.Model] && s.Modality == ModalityText && s.Mode == ModeStandard {
			thresholds = append(thresholds, s.Threshold, s.Limit)
		}
	}
	slices.Sort(thresholds)
	return slices.Compact(thresholds)
}

// price returns the price of text that all SKUs of a tier have.
func (l *List) price(models map[string]bool, mode string, d Direction, tokens int64) (*float64, error) {
	skus, err := l.tier(models, mode, d, tokens)
	if err != nil {
		return nil, err
	}
	for _, s := range skus {
		switch {
		case s.Price == nil:
			return nil, fmt.Errorf("the price of the SKU %s is not understood", s.ID)
		case *s.Price != *skus[0].Price:
			return nil, fmt.Errorf("the SKUs %s and %s have different prices", skus[0].ID, s.ID)
		}
	}
	common := *skus[0].Price
	return &common, nil
}

// tier returns the SKUs of text for prompts of a length: those with the highest threshold that is not above it. SKUs without a
// price take part, since the price of another tier must not replace theirs. A SKU of the list price that may be for any length
// is an error.
func (l *List) tier(models map[string]bool, mode string, d Direction, tokens int64) ([]*SKU, error) {
	var best []*SKU
	missing := errors.New("no SKU of the model is a list price of text in this direction")
	for i := range l.SKUs {
		s := &l.SKUs[i]
		switch {
		case !models[s.Model] || s.Modality != ModalityText || s.Direction != d:
		case s.UnknownTier && mode == ModeStandard:
			return nil, fmt.Errorf("the SKU %s may be for prompts of this length: its description is not understood", s.ID)
		case s.Mode != mode:
		case s.Threshold > tokens:
			missing = errNoTier
		case len(best) == 0 || s.Threshold > best[0].Threshold:
			best = []*SKU{s}
		case s.Threshold == best[0].Threshold:
			best = append(best, s)
		}
	}
	if len(best) == 0 {
		return nil, missing
	}
	if slices.ContainsFunc(best, func(s *SKU) bool { return s.Limit > 0 && tokens >= s.Limit }) {
		return nil, errNoTier
	}
	return best, nil
}
