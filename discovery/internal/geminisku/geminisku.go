// Package geminisku reads SKUs from Google's Cloud Billing catalog: the model, direction,
// modality, request kind and prompt length for a price, and the price itself.
//
// Descriptions aren't documented, and come in several styles. The package understands
// only known words. A SKU with any other word has no price, so that an unknown kind of
// price is never taken for a list price.
package geminisku

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/mesh-gateway/mesh-go/gen/cloudbilling"
)

// Direction is input or output.
type Direction string

// Directions.
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

// Class is the meaning of a SKU description.
type Class struct {
	// Model is in lower case and starts with "gemini", or is "".
	Model string
	// Direction is "" if the SKU doesn't price tokens.
	Direction Direction
	Modality  string
	Mode      string
	// The price applies to prompts from Threshold up to Limit. 0 means no limit.
	Threshold, Limit int64
	// UnknownTier means that the SKU would have a list price, but its prompt length isn't
	// understood.
	UnknownTier bool
}

// read returns a SKU's class, its unit, and its current price in USD per million tokens
// or nil.
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

// SKU is a price list row.
type SKU struct {
	Class
	ID, Description string
	// Price is in USD per million tokens, or nil. Unit is the catalog's unit.
	Price *float64
	Unit  string
}

// List is a price list at one time. It's read-only.
type List struct {
	// SKUs are in the catalog's order.
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

// ErrNoModel is returned if a hint matches no model in the list.
var ErrNoModel = errors.New("no SKU for this model")

var errNoTier = errors.New("the model has no SKU for this prompt length")

// Price returns the list price for text, for the one model that hint means and the given
// prompt length. If the price is unknown, the error tells why.
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

// Tier has a model's text prices for prompts from Threshold up to the next tier. A price
// that isn't understood is nil.
type Tier struct {
	Threshold                int64
	Input, CacheRead, Output *float64
}

// Models returns the model names, spelled as in SKUs.
func (l *List) Models() []string {
	names := make([]string, len(l.models))
	for i := range l.models {
		names[i] = l.models[i].name
	}
	return names
}

// Tiers returns the tiers of the model with an id, shortest prompts first, and its names
// in SKUs. If there is no such model, it returns nil.
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

// thresholds returns the start of each tier, in order, including 0.
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

// price returns the text price that all SKUs in a tier share.
func (l *List) price(models map[string]bool, mode string, d Direction, tokens int64) (*float64, error) {
	skus, err := l.tier(models, mode, d, tokens)
	if err != nil {
		return nil, err
	}
	for _, s := range skus {
		switch {
		case s.Price == nil:
			return nil, fmt.Errorf("cannot interpret the price of SKU %s", s.ID)
		case *s.Price != *skus[0].Price:
			return nil, fmt.Errorf("the SKUs %s and %s have different prices", skus[0].ID, s.ID)
		}
	}
	common := *skus[0].Price
	return &common, nil
}

// tier returns the text SKUs for a prompt length: those with the highest threshold up to
// it. SKUs without a price take part, because another tier's price must not replace
// theirs. A list price SKU that may be for any length is an error.
func (l *List) tier(models map[string]bool, mode string, d Direction, tokens int64) ([]*SKU, error) {
	var best []*SKU
	missing := errors.New("the model has no list price SKU for text in this direction")
	for i := range l.SKUs {
		s := &l.SKUs[i]
		switch {
		case !models[s.Model] || s.Modality != ModalityText || s.Direction != d:
		case s.UnknownTier && mode == ModeStandard:
			return nil, fmt.Errorf("SKU %s may apply to this prompt length: cannot interpret its description", s.ID)
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
