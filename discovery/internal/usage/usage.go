// Package usage reads the usage objects that providers send with their responses.
//
// Which count includes which other one differs from provider to provider, and between the APIs of one provider. A shape
// turns the counts of one API into disjoint ones, and refuses an object that contradicts itself or has fields of another
// provider. Each provider has a file with its shapes; fields.go lists the fields of all of them.
//
// A count beside the known ones is a member of the object itself whose name ends in _tokens or TokenCount, or a number in the
// details. If it is not 0, it becomes the mode "count:" with its name, since it may be billed.
package usage

import (
	"cmp"
	"errors"
	"math/bits"
	"strings"
	"sync"

	"github.com/mesh-gateway/mesh-go/internal/jsonread"
)

// Usage is what a call used, in disjoint counts. The fields are those of prices.Usage.
type Usage struct {
	Input, ToolInput, CacheRead, CacheWrite5m, CacheWrite1h, Output int64

	AudioInput, AudioCacheRead, AudioOutput, ImageInput, ImageCacheRead, ImageOutput, VideoInput, VideoCacheRead int64

	Requests         map[string]int64
	Mode, ChargedUSD string
	Iterations       []Iteration
}

// Iteration is one of the requests behind a response. It is prices.Iteration.
type Iteration struct {
	// Model is the model of an advisor, whose tokens are in no other count; "" if the tokens are a part of the call's counts.
	Model        string `json:"model,omitempty"`
	Input        int64  `json:"input"`
	CacheRead    int64  `json:"cache_read"`
	CacheWrite5m int64  `json:"cache_write_5m"`
	CacheWrite1h int64  `json:"cache_write_1h"`
	Output       int64  `json:"output"`
}

// UsageOf returns the tokens of an iteration.
func UsageOf(i *Iteration) Usage {
	return Usage{Input: i.Input, CacheRead: i.CacheRead, CacheWrite5m: i.CacheWrite5m, CacheWrite1h: i.CacheWrite1h, Output: i.Output}
}

func (i *Iteration) counts() [5]*int64 {
	return [...]*int64{&i.Input, &i.CacheRead, &i.CacheWrite5m, &i.CacheWrite1h, &i.Output}
}

// Counts returns all counts, in the order of CountNames.
func (u *Usage) Counts() [14]*int64 {
	return [...]*int64{
		&u.Input, &u.ToolInput, &u.CacheRead, &u.CacheWrite5m, &u.CacheWrite1h, &u.Output,
		&u.AudioInput, &u.AudioCacheRead, &u.AudioOutput, &u.ImageInput, &u.ImageCacheRead, &u.ImageOutput,
		&u.VideoInput, &u.VideoCacheRead,
	}
}

// CountNames are the names of the fields with counts.
var CountNames = [...]string{
	"Input", "ToolInput", "CacheRead", "CacheWrite5m", "CacheWrite1h", "Output",
	"AudioInput", "AudioCacheRead", "AudioOutput", "ImageInput", "ImageCacheRead", "ImageOutput",
	"VideoInput", "VideoCacheRead",
}

// CountKinds are the kinds of tokens of the counts, as in the lines of a cost.
var CountKinds = [...]string{
	"input", "tool_input", "cache_read", "cache_write_5m", "cache_write_1h", "output",
	"audio_input", "audio_cache_read", "audio_output", "image_input", "image_cache_read", "image_output",
	"video_input", "video_cache_read",
}

// Prompt returns the length of the prompt, which chooses the tier.
func (u *Usage) Prompt() int64 {
	return u.Input + u.CacheRead + u.CacheWrite5m + u.CacheWrite1h + u.AudioInput + u.AudioCacheRead + u.ImageInput + u.ImageCacheRead +
		u.VideoInput + u.VideoCacheRead
}

// SetPath takes the path of the request: without details, what an endpoint of images generates is images.
func (u *Usage) SetPath(path string) {
	if u.ImageOutput == 0 && (strings.HasSuffix(path, "/images/generations") || strings.HasSuffix(path, "/images/edits")) {
		u.Output, u.ImageOutput = 0, u.Output
	}
}

// Reader reads usage objects, one after the other. It is large: reuse it.
type Reader struct{ counts counts }

// Read reads the next value of d, which must be a usage object. The error is an *Error, after which d is within the object.
func (r *Reader) Read(d *jsonread.Decoder) error {
	r.counts = counts{}
	return r.counts.read(d)
}

// Usage returns the usage of the object that was read, for the form that it has: a provider, or one of the other forms. It changes the
// counts, so it must not be called twice for an object. Invalid counts beside a charge are not known: the usage has none of them, and the
// mode "count:" with the name of the first one. Without a charge they are an *Error, beside a usage that is good for a lower bound.
func (r *Reader) Usage(form string) (Usage, error) {
	c := &r.counts
	s := shapeOf(form, c)
	if s == nil {
		return Usage{}, &Error{"usage", "is not a usage object of this provider"}
	}
	u, err := s.usage(c)
	charged, wrong := c.charge(form)
	if err = first(c.wrong, err, wrong); err == nil { // errors.As allocates
		u.ChargedUSD = cmp.Or(charged, u.ChargedUSD)
	} else {
		u, err = c.invalid(u, charged, err)
	}
	u.Mode, u.Requests = c.allModes(), c.billed(form)
	return u, err
}

// invalid returns what is left of a usage with an error.
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

// parser is what Parse needs. It is too large to be made for each of a million calls.
type parser struct {
	d jsonread.Decoder
	Reader
}

var pool = sync.Pool{New: func() any { return new(parser) }}

// Parse reads a usage object of a form. The error is an *Error.
func Parse(form string, data []byte) (Usage, error) {
	whole, err := ParseWhole(form, data)
	if err != nil {
		return Usage{}, err
	}
	return whole.Usage, nil
}

// Whole is everything that a usage object states.
type Whole struct {
	Usage
	// BYOK reports a call with the caller's own key at the provider behind OpenRouter. UpstreamUSD is that provider's charge; "" if it
	// is not known.
	BYOK        bool
	UpstreamUSD string
}

// ParseWhole is [Parse] for everything that the object states. Beside an error, the Usage is that of [Reader.Usage].
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

// shape is the usage object of one API.
type shape struct {
	// required fields must be there, and no others than those and the optional ones may.
	required, optional []field
	counts             func(*counts) (Usage, error)
}

func (s *shape) usage(c *counts) (Usage, error) {
	allowed := uint64(0)
	for _, f := range s.required {
		allowed |= 1 << f
	}
	for _, f := range s.optional {
		allowed |= 1 << f
	}
	for others := c.seen &^ allowed; others != 0; others &= others - 1 { // first, since this is what is wrong with the object of another provider
		if f := field(bits.TrailingZeros64(others)); !c.harmless(f) { //nolint:gosec // less than 64
			return Usage{}, &Error{names[f], "does not belong to the usage object of this provider"}
		}
	}
	u, err := s.counts(c)
	for _, f := range s.required {
		if !c.has(f) {
			return u, &Error{names[f], "is missing"}
		}
	}
	return u, err
}

// shapeOf returns the shape of the API that sent the object, by the field that every object of that API has, or nil.
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

// within checks that a part is not more than the whole, and limits it.
func (c *counts) within(whole field, parts ...field) (err error) {
	for _, part := range parts {
		if c.value[part] > c.value[whole] {
			c.value[part] = c.value[whole]
			err = first(err, &Error{names[part], "is more than " + names[whole]})
		}
	}
	return err
}

// sum checks that a total, where there is one, is the sum of two parts.
func (c *counts) sum(total, a, b field) error {
	if !c.has(total) {
		return nil
	}
	return c.exactly(total, a, b)
}

// exactly checks that a whole, or 0 where it is absent, is the sum of two parts.
func (c *counts) exactly(whole, a, b field) error {
	if c.value[whole] != c.value[a]+c.value[b] {
		return &Error{names[whole], "is not the sum of " + names[a] + " and " + names[b]}
	}
	return nil
}

// first returns the first error.
func first(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
