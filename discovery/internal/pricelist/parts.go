package pricelist

import (
	"slices"
	"strings"
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
	parts := []Part{
		{"input", u.Input, row.Input},
		{"tool_input", u.ToolInput, row.Input},
		{"cache_read", u.CacheRead, row.CacheRead},
		{"cache_write_5m", u.CacheWrite5m, row.CacheWrite5m},
		{"cache_write_1h", u.CacheWrite1h, row.CacheWrite1h},
		{"output", u.Output, row.Output},
	}
	if u.AudioInput+u.AudioCacheRead+u.AudioOutput > 0 {
		audio := c.media(media, Kind{row.Mode, "audio"})
		parts = append(parts, Part{"audio_input", u.AudioInput, audio.Input}, Part{"audio_cache_read", u.AudioCacheRead, audio.CacheRead}, Part{"audio_output", u.AudioOutput, audio.Output})
	}
	if u.ImageInput+u.ImageCacheRead+u.ImageOutput > 0 {
		image := c.media(media, Kind{row.Mode, "image"})
		parts = append(parts, Part{"image_input", u.ImageInput, image.Input}, Part{"image_cache_read", u.ImageCacheRead, image.CacheRead}, Part{"image_output", u.ImageOutput, image.Output})
	}
	return slices.DeleteFunc(parts, func(p Part) bool { return p.Tokens == 0 })
}

// media returns the row in force for audio or images, one without a price when there is none.
func (c *Call) media(rows []Row, kind Kind) *Row {
	if row, _ := InForce(rows, kind, c.At, c.Usage.Prompt()); row != nil {
		return row
	}
	return &Row{}
}
