package pricelist

import (
	"strings"

	"github.com/mesh-gateway/mesh-go/discovery/internal/usage"
	"github.com/mesh-gateway/mesh-go/internal/decimal"
)

// Part is the tokens of one kind that a call used.
type Part struct {
	What   string
	Tokens int64
	// Price is the listed one, before the factor of the charge.
	Price Price
}

// kind returns what an error names: the modality of media, and for text the kind of token.
func (p *Part) kind() string {
	for _, modality := range [...]string{"audio", "image"} {
		if strings.HasPrefix(p.What, modality) {
			return modality
		}
	}
	return strings.TrimPrefix(p.What, "tool_")
}

// parts returns a part for each kind of token that was used, by the row for text and by those of media for the same mode.
func (c *Call) parts(row *Row, media []Row) []Part {
	audio, image := c.media(media, row, "audio"), c.media(media, row, "image")
	prices := [...]Price{
		row.Input, row.Input, row.CacheRead, row.CacheWrite5m, row.CacheWrite1h, row.Output,
		audio.Input, audio.CacheRead, audio.Output, image.Input, image.CacheRead, image.Output,
	}
	parts := make([]Part, 0, 3) // most calls have no more: input, cached input and output
	for i, tokens := range c.Usage.Counts() {
		if *tokens != 0 {
			parts = append(parts, Part{usage.CountKinds[i], *tokens, prices[i]})
		}
	}
	return parts
}

// prices returns all prices that bill.
func (r *Row) prices() [5]*Price {
	return [...]*Price{&r.Input, &r.CacheRead, &r.CacheWrite5m, &r.CacheWrite1h, &r.Output}
}

// free reports whether a row declares its model free: it has prices, and all of them are 0.
func (r *Row) free() bool {
	given := false
	for _, price := range r.prices() {
		if *price != nil && !(*price).IsZero() {
			return false
		}
		given = given || *price != nil
	}
	return given
}

// whole returns a free row with all prices.
func (r *Row) whole() *Row {
	free := *r
	for _, price := range free.prices() {
		*price = new(decimal.Decimal)
	}
	return &free
}

// unpriced is a row without a price.
var unpriced Row

// media returns the row in force for audio or images, one without a price when there is none. A free row for text is for
// them too.
func (c *Call) media(rows []Row, text *Row, modality string) *Row {
	if row, _ := InForce(rows, Kind{text.Mode, modality}, c.At, c.Usage.Prompt()); row != nil {
		return row
	}
	if text.free() {
		return text
	}
	return &unpriced
}
