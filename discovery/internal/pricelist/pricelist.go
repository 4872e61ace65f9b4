// Package pricelist reads the price tables, and chooses the row and factor that bill a
// call.
//
// Once a list is in use it is read-only, and safe for concurrent use.
package pricelist

import (
	"cmp"
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/internal/usage"
	"github.com/mesh-gateway/mesh-go/internal/decimal"
)

// Row has one model's prices for one prompt tier and period.
type Row struct {
	Provider, Model string
	// MinPrompt is the shortest prompt that the row is for.
	MinPrompt                                            int64
	Input, CacheRead, CacheWrite5m, CacheWrite1h, Output Price
	// SingleSourceWrite1h is a CacheWrite1h with a single source. It is shown, but not
	// used to bill.
	SingleSourceWrite1h Price
	// SingleSourceRead is a CacheRead with a single source, for lower bounds only.
	SingleSourceRead Price
	// The row applies from From until before Until; the zero time means no limit.
	From, Until time.Time
	Kind
	// Source describes who lists the price. Key is the short form for [Describe]; "" if
	// there is no shorter one.
	Source, Key string
	// VerifiedAt is when the newest source was read; "" if unknown.
	VerifiedAt string
	// SameAs is the original id if the row's model is an alias, or "".
	SameAs string
	// Live reports that the row is from a live list. Its period is the list's, not the
	// price's.
	Live bool
	// Index is the row's place in the list given to New.
	Index int
}

// Priced reports whether the row has any price. Some models are listed as known but not
// priced.
func (r *Row) Priced() bool { return r.Input != nil || r.Output != nil }

// List indexes rows by model.
type List struct {
	rows   []Row
	models map[modelKey][]Row
}

type modelKey struct{ provider, model string }

// New returns a list with the rows, and sets their Index. A model's rows need not be
// adjacent.
func New(rows []Row) *List {
	l := &List{rows: rows, models: make(map[modelKey][]Row)}
	for i := range rows {
		rows[i].Index = i
		key := modelKey{rows[i].Provider, rows[i].Model}
		l.models[key] = append(l.models[key], rows[i])
	}
	return l
}

// Rows returns all rows in their order. Callers must not modify them.
func (l *List) Rows() []Row {
	if l == nil {
		return nil
	}
	return l.rows
}

// Models returns the model ids in row order.
func (l *List) Models() []string {
	var ids []string
	seen := make(map[string]bool)
	for _, r := range l.Rows() {
		if !seen[r.Model] {
			seen[r.Model] = true
			ids = append(ids, r.Model)
		}
	}
	return ids
}

// Model returns a model's rows by its listed id, or nil. Callers must not modify them.
func (l *List) Model(provider, id string) []Row {
	if l == nil {
		return nil
	}
	return l.models[modelKey{provider, id}]
}

// AddName makes Model return rows under another id too, unless that id has its own. The
// list must not be in use yet.
func (l *List) AddName(provider, id string, rows []Row) {
	key := modelKey{provider, id}
	if l.models[key] == nil && rows != nil {
		l.models[key] = rows
	}
}

func readRow(cells []string) Row {
	key := cells[10]
	if cells[15] != "" {
		key += promotion + cells[15]
	}
	r := Row{
		Provider: cells[0], Model: cells[1],
		Input: ParsePrice(cells[3]), CacheRead: ParsePrice(cells[4]), CacheWrite5m: ParsePrice(cells[5]), CacheWrite1h: ParsePrice(cells[6]), Output: ParsePrice(cells[7]),
		Source: describe(cells[0], key), Key: key, VerifiedAt: cells[11], SameAs: cells[12],
		Kind: Kind{Mode: cells[13], Modality: cells[14]},
	}
	above, _ := strconv.ParseInt(cells[2], 10, 64)
	r.MinPrompt = minPrompt(above)
	r.From, _ = ParseTime(cells[8])
	r.Until, _ = ParseTime(cells[9])
	if single, ok := strings.CutSuffix(cells[6], "?"); ok {
		r.SingleSourceWrite1h = ParsePrice(single)
	}
	if single, ok := strings.CutSuffix(cells[4], "?"); ok {
		r.SingleSourceRead = ParsePrice(single)
	}
	return r
}

// minPrompt returns the shortest prompt above a length; 0 means all prompts.
func minPrompt(above int64) int64 {
	if above == 0 {
		return 0
	}
	return above + 1
}

// Price is in USD per million tokens. nil is unknown, which differs from 0.
type Price = *decimal.Decimal

// ParsePrice reads a plain decimal; anything else is an unknown price.
func ParsePrice[T ~string](text T) Price {
	if usd, ok := decimal.ParsePlain(text); ok {
		return &usd
	}
	return nil
}

// Text returns a price as a plain decimal, or "" if unknown.
func Text(p Price) string {
	if p == nil {
		return ""
	}
	return p.String()
}

// Float64 returns the nearest float64, or nil if the price is unknown.
func Float64(p Price) *float64 {
	if p == nil {
		return nil
	}
	usd := p.Float64()
	return &usd
}

// near reports whether two known prices differ by less than 0.001 USD: Google
// truncates.
func near(p, q Price) bool {
	if p == nil || q == nil {
		return false
	}
	apart := new(big.Rat).Sub(p.Rat(), q.Rat())
	return apart.Abs(apart).Cmp(big.NewRat(1, 1000)) < 0
}

// Part has the tokens for one kind that a call used.
type Part struct {
	What   string
	Tokens int64
	// Price is the listed price, before the charge's factor.
	Price Price
	// Single is a price with a single source, for lower bounds.
	Single Price
}

// kind returns the name for errors: the modality for media, the token kind for text.
func (p *Part) kind() string {
	for _, modality := range [...]string{"audio", "image", "video"} {
		if strings.HasPrefix(p.What, modality) {
			return modality
		}
	}
	return strings.TrimPrefix(p.What, "tool_")
}

// parts returns a Part for each token kind used, priced by the row for text and by
// media rows for the same mode.
func (c *Call) parts(row *Row, media []Row) []Part {
	used := c.Usage
	audio := c.media(&used, media, row, "audio", &used.AudioInput, &used.AudioCacheRead, used.AudioOutput)
	image := c.media(&used, media, row, "image", &used.ImageInput, &used.ImageCacheRead, used.ImageOutput)
	video := c.media(&used, media, row, "video", &used.VideoInput, &used.VideoCacheRead, 0)
	prices := [...]Price{
		row.Input, row.Input, row.CacheRead, row.CacheWrite5m, row.CacheWrite1h, row.Output,
		audio.Input, audio.CacheRead, audio.Output, image.Input, image.CacheRead, image.Output,
		video.Input, video.CacheRead,
	}
	parts := make([]Part, 0, 3) // most calls have no more: input, cached input and output
	for i, tokens := range used.Counts() {
		if *tokens != 0 {
			parts = append(parts, Part{What: usage.CountKinds[i], Tokens: *tokens, Price: prices[i]})
			if usage.CountKinds[i] == "audio_cache_read" {
				parts[len(parts)-1].Single = audio.SingleSourceRead
			}
		}
	}
	return parts
}

func (r *Row) prices() [5]*Price {
	return [...]*Price{&r.Input, &r.CacheRead, &r.CacheWrite5m, &r.CacheWrite1h, &r.Output}
}

// free reports whether the row declares its model free: it has prices, and all are 0.
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

// whole returns a free row with all prices 0.
func (r *Row) whole() *Row {
	free := *r
	for _, price := range free.prices() {
		*price = new(decimal.Decimal)
	}
	return &free
}

var unpriced Row

// media returns the row in force for a modality, or an unpriced one. A free row for
// text covers media, too. If the row has no price for input, and the provider documents
// the text price, media moves the input to u's text.
func (c *Call) media(u *usage.Usage, rows []Row, text *Row, modality string, input, read *int64, output int64) *Row {
	if *input|*read|output == 0 { // as nearly always
		return &unpriced
	}
	row, _ := InForce(rows, Kind{text.Mode, modality}, c.At, c.Usage.Prompt())
	if row == nil && text.free() {
		row = text
	}
	row = cmp.Or(row, &unpriced)
	if row.Input == nil && c.Terms.Textual(c.Provider, modality, text.Model) {
		u.Input, u.CacheRead = u.Input+*input, u.CacheRead+*read
		*input, *read = 0, 0
	}
	return row
}
