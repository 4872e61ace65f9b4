package pricelist

import (
	"strings"

	"github.com/mesh-gateway/mesh-go/discovery/internal/decimal"
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
	u := &c.Usage
	parts := make([]Part, 0, 3) // most calls have no more: input, cached input and output
	add := func(what string, tokens int64, price Price) {
		if tokens != 0 {
			parts = append(parts, Part{what, tokens, price})
		}
	}
	add("input", u.Input, row.Input)
	add("tool_input", u.ToolInput, row.Input)
	add("cache_read", u.CacheRead, row.CacheRead)
	add("cache_write_5m", u.CacheWrite5m, row.CacheWrite5m)
	add("cache_write_1h", u.CacheWrite1h, row.CacheWrite1h)
	add("output", u.Output, row.Output)
	if u.AudioInput+u.AudioCacheRead+u.AudioOutput > 0 {
		audio := c.media(media, row, "audio")
		add("audio_input", u.AudioInput, audio.Input)
		add("audio_cache_read", u.AudioCacheRead, audio.CacheRead)
		add("audio_output", u.AudioOutput, audio.Output)
	}
	if u.ImageInput+u.ImageCacheRead+u.ImageOutput > 0 {
		image := c.media(media, row, "image")
		add("image_input", u.ImageInput, image.Input)
		add("image_cache_read", u.ImageCacheRead, image.CacheRead)
		add("image_output", u.ImageOutput, image.Output)
	}
	return parts
}

// free reports whether a row declares its model free: it has prices, and all of them are 0.
func (r *Row) free() bool {
	given := false
	for _, price := range [...]Price{r.Input, r.CacheRead, r.CacheWrite5m, r.CacheWrite1h, r.Output} {
		if price != nil && !price.IsZero() {
			return false
		}
		given = given || price != nil
	}
	return given
}

// whole returns a free row with all prices.
func (r *Row) whole() *Row {
	free, zero := *r, decimal.Decimal{}
	free.Input, free.CacheRead, free.CacheWrite5m, free.CacheWrite1h, free.Output = &zero, &zero, &zero, &zero, &zero
	return &free
}

// media returns the row in force for audio or images, one without a price when there is none. A free row for text is for
// them too.
func (c *Call) media(rows []Row, text *Row, modality string) *Row {
	if row, _ := InForce(rows, Kind{text.Mode, modality}, c.At, c.Usage.Prompt()); row != nil {
		return row
	}
	if text.free() {
		return text
	}
	return &Row{}
}
