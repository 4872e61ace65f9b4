// Package usage reads the usage objects in provider responses.
//
// Which count includes which other one differs between providers, and even between one
// provider's APIs. A shape turns one API's counts into disjoint ones. It refuses an
// object that contradicts itself or has another provider's fields. Each provider has a
// file with its shapes; fields.go lists all fields.
//
// An unknown count is a top-level member whose name ends in _tokens or TokenCount, or a
// number in the details. Since it may be billed, it becomes the mode "count:" and its
// name, unless it is 0.
package usage

import (
	"cmp"
	"errors"
	"strings"
	"sync"

	"github.com/mesh-gateway/mesh-go/internal/jsonread"
)

// Usage has a call's tokens in disjoint counts.
type Usage = Typed[string]

// Typed is a Usage whose charge is a C. prices.Usage has the same fields and converts to
// Typed[prices.USD], a type that this package can't import.
type Typed[C ~string] struct {
	Input, ToolInput, CacheRead, CacheWrite5m, CacheWrite1h, Output int64

	AudioInput, AudioCacheRead, AudioOutput, ImageInput, ImageCacheRead, ImageOutput, VideoInput, VideoCacheRead int64

	ToolUses   map[string]int64
	Mode       string
	ChargedUSD C
	Iterations []Iteration
}

// As returns the usage with another type of charge.
func As[To, From ~string](u *Typed[From]) Typed[To] {
	return Typed[To]{
		u.Input, u.ToolInput, u.CacheRead, u.CacheWrite5m, u.CacheWrite1h, u.Output,
		u.AudioInput, u.AudioCacheRead, u.AudioOutput, u.ImageInput, u.ImageCacheRead, u.ImageOutput, u.VideoInput, u.VideoCacheRead,
		u.ToolUses, u.Mode, To(u.ChargedUSD), u.Iterations,
	}
}

// Iteration is one request behind a response. It is prices.Iteration.
type Iteration struct {
	// Model is an advisor's model, whose tokens are in no other count; "" if the tokens are
	// in the call's counts.
	Model        string `json:"model,omitempty"`
	Input        int64  `json:"input"`
	CacheRead    int64  `json:"cache_read"`
	CacheWrite5m int64  `json:"cache_write_5m"`
	CacheWrite1h int64  `json:"cache_write_1h"`
	Output       int64  `json:"output"`
}

// UsageOf returns an iteration's tokens.
func UsageOf[C ~string](i *Iteration) (u Typed[C]) {
	set(u.iterated(), i.counts())
	return u
}

func (i *Iteration) counts() [5]*int64 {
	return [...]*int64{&i.Input, &i.CacheRead, &i.CacheWrite5m, &i.CacheWrite1h, &i.Output}
}

// iterated returns pointers to the counts that an iteration has, too, in its order.
func (u *Typed[C]) iterated() [5]*int64 {
	return [...]*int64{&u.Input, &u.CacheRead, &u.CacheWrite5m, &u.CacheWrite1h, &u.Output}
}

func set(counts, to [5]*int64) {
	for i, n := range to {
		*counts[i] = *n
	}
}

// Counts returns pointers to all counts, in the same order as CountNames.
func (u *Typed[C]) Counts() [14]*int64 {
	return [...]*int64{
		&u.Input, &u.ToolInput, &u.CacheRead, &u.CacheWrite5m, &u.CacheWrite1h, &u.Output,
		&u.AudioInput, &u.AudioCacheRead, &u.AudioOutput, &u.ImageInput, &u.ImageCacheRead, &u.ImageOutput,
		&u.VideoInput, &u.VideoCacheRead,
	}
}

// Add adds the counts.
func (u *Typed[C]) Add(more *Typed[C]) {
	u.Input += more.Input
	u.ToolInput += more.ToolInput
	u.CacheRead += more.CacheRead
	u.CacheWrite5m += more.CacheWrite5m
	u.CacheWrite1h += more.CacheWrite1h
	u.Output += more.Output
	u.AudioInput += more.AudioInput
	u.AudioCacheRead += more.AudioCacheRead
	u.AudioOutput += more.AudioOutput
	u.ImageInput += more.ImageInput
	u.ImageCacheRead += more.ImageCacheRead
	u.ImageOutput += more.ImageOutput
	u.VideoInput += more.VideoInput
	u.VideoCacheRead += more.VideoCacheRead
}

// CountNames are the field names.
var CountNames = [...]string{
	"Input", "ToolInput", "CacheRead", "CacheWrite5m", "CacheWrite1h", "Output",
	"AudioInput", "AudioCacheRead", "AudioOutput", "ImageInput", "ImageCacheRead", "ImageOutput",
	"VideoInput", "VideoCacheRead",
}

// CountKinds are the names in a cost's lines.
var CountKinds = [...]string{
	"input", "tool_input", "cache_read", "cache_write_5m", "cache_write_1h", "output",
	"audio_input", "audio_cache_read", "audio_output", "image_input", "image_cache_read", "image_output",
	"video_input", "video_cache_read",
}

// Prompt returns the prompt length, which selects the tier.
func (u *Typed[C]) Prompt() int64 {
	return u.Input + u.CacheRead + u.CacheWrite5m + u.CacheWrite1h + u.AudioInput + u.AudioCacheRead + u.ImageInput + u.ImageCacheRead +
		u.VideoInput + u.VideoCacheRead
}

// SetPath takes the request path: if there are no details, an image endpoint's output is
// images.
func (u *Typed[C]) SetPath(path string) {
	if u.ImageOutput == 0 && (strings.HasSuffix(path, "/images/generations") || strings.HasSuffix(path, "/images/edits")) {
		u.Output, u.ImageOutput = 0, u.Output
	}
}

// Reader reads usage objects, one after the other. It is large: reuse it.
type Reader struct{ counts counts }

// Read reads the next value, which must be a usage object. After an *Error, d is within
// the object.
func (r *Reader) Read(d *jsonread.Decoder) error {
	r.counts = counts{}
	return r.counts.read(d)
}

// Usage returns the counts in the given form. Call it once per object, since it changes
// the counts.
//
// If counts are invalid, but the object states a charge, all counts are 0, and the mode
// has "count:" and a wrong count's name. If there is no charge, the error is an *Error,
// and the usage can still give a lower bound.
func (r *Reader) Usage(form string) (Usage, error) {
	c := &r.counts
	s := shapeOf(form, c)
	if s == nil {
		return Usage{}, &Error{"usage", "is not a usage object of this provider"}
	}
	u, err := s.usage(c)
	charged, wrong := c.charge(form)
	if err = firstError(c.wrong, err, wrong); err == nil { // errors.As allocates
		u.ChargedUSD = cmp.Or(charged, u.ChargedUSD)
	} else {
		u, err = c.invalid(u, charged, err)
	}
	u.Mode, u.ToolUses = c.allModes(), c.billed(form)
	return u, err
}

func (c *counts) invalid(u Usage, charged string, err error) (Usage, error) {
	var wrong *Error
	if charged != "" && errors.As(err, &wrong) {
		c.requests = nil
		c.addMode(unknownName(wrong.Field[strings.LastIndexByte(wrong.Field, '.')+1:]))
		return Usage{ChargedUSD: charged}, nil
	}
	for _, n := range u.Counts() {
		*n = max(*n, 0)
	}
	return u, err
}

// parser is too large to allocate for each of a million calls.
type parser struct {
	d jsonread.Decoder
	Reader
}

var pool = sync.Pool{New: func() any { return new(parser) }}

// Parse reads one usage object. Its error is an *Error.
func Parse(form string, data []byte) (Usage, error) {
	whole, err := ParseWhole(form, data)
	if err != nil {
		return Usage{}, err
	}
	return whole.Usage, nil
}

// Whole is everything a usage object states.
type Whole struct {
	Usage
	// BYOK reports a call with the caller's own key for the provider behind OpenRouter.
	// UpstreamUSD is that provider's charge; "" if unknown.
	BYOK        bool
	UpstreamUSD string
}

// ParseWhole is [Parse] for everything the object states. With an error, Usage is what
// [Reader.Usage] returns.
func ParseWhole(form string, data []byte) (whole Whole, err error) {
	p, _ := pool.Get().(*parser)
	defer pool.Put(p)
	if whole.Usage, err = p.parse(form, data); err == nil && states(form) {
		whole.BYOK, whole.UpstreamUSD = p.counts.stated.upstream()
	}
	return whole, err
}

func (p *parser) parse(form string, data []byte) (Usage, error) {
	p.d.Reset(data)
	defer p.d.Reset(nil) // the pool must not keep data
	if err := p.Read(&p.d); err != nil {
		return Usage{}, err
	}
	if !p.d.AtEnd() {
		return Usage{}, &Error{"usage", "must be one JSON object"}
	}
	u, err := p.Usage(form)
	if err != nil && p.counts.seen == 0 {
		var wrong *Error
		if found := members(data); errors.As(err, &wrong) && found != "" {
			err = &Error{wrong.Field, wrong.Reason + "; the object has " + found}
		}
	}
	return u, err
}

// shape is one API's usage object.
type shape struct {
	// Fields outside these two sets are an error.
	required, optional fieldSet
	counts             func(*counts) (Usage, error)
}

func (s *shape) usage(c *counts) (Usage, error) {
	for others := c.seen &^ (s.required | s.optional); others != 0; others &= others - 1 { // first, since it's typical for another provider's object
		if f := others.first(); !c.harmless(f) {
			return Usage{}, &Error{names[f], "does not belong to the usage object of this provider"}
		}
	}
	for wrong := c.mistyped; wrong != 0; wrong &= wrong - 1 {
		c.addMode(unknownName(names[wrong.first()]))
	}
	u, err := s.counts(c)
	if missing := s.required &^ c.seen; missing != 0 {
		return u, &Error{names[missing.first()], "is missing"}
	}
	if wrong := s.required & c.mistyped; wrong != 0 {
		return u, &Error{names[wrong.first()], "must be a number"}
	}
	return u, err
}

// shapeOf picks the shape by a field that every object from that API has.
func shapeOf(form string, c *counts) *shape {
	switch form {
	case "openai":
		return openAIShape(c)
	case "deepseek":
		return deepSeekShape(c)
	case "anthropic":
		return anthropicShape(c)
	case "gemini":
		return geminiShape(c)
	case "xai":
		return xaiShape(c)
	case Converse:
		return &converse
	case Invoke:
		return shapeOf(Vendor(c.has(inputTokens), c.has(promptTokens)), c)
	case Cohere:
		return &cohere
	case Ollama:
		return &ollama
	}
	return nil
}

// within limits each part to the whole. It returns an error for the first part that was
// larger.
func (c *counts) within(whole field, parts ...field) (err error) {
	for _, part := range parts {
		if c.value[part] > c.value[whole] {
			c.value[part] = c.value[whole]
			err = firstError(err, &Error{names[part], "is more than " + names[whole]})
		}
	}
	return err
}

// sum is like exactly, but accepts a missing total.
func (c *counts) sum(total, a, b field) error {
	if !c.has(total) {
		return nil
	}
	return c.exactly(total, a, b)
}

// exactly checks that a whole, 0 if absent, is the sum of two parts.
func (c *counts) exactly(whole, a, b field) error {
	if c.value[whole] != c.value[a]+c.value[b] {
		return &Error{names[whole], "is not the sum of " + names[a] + " and " + names[b]}
	}
	return nil
}
