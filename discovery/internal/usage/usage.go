// Package usage reads the usage objects that providers send with their responses.
//
// Which count includes which other one differs from provider to provider, and between the APIs of one provider. A shape
// turns the counts of one API into disjoint ones, and refuses an object that contradicts itself or has fields of another
// provider.
package usage

import "strings"

// Usage is what a call used, in disjoint counts. The fields are those of discovery.Usage.
type Usage struct {
	Input, ToolInput, CacheRead, CacheWrite5m, CacheWrite1h, Output int64
	Mode, ChargedUSD                                                string
}

// Prompt returns the length of the prompt, which chooses the tier.
func (u *Usage) Prompt() int64 { return u.Input + u.CacheRead + u.CacheWrite5m + u.CacheWrite1h }

// Parse reads the usage object of a provider. The error is an *Error.
func Parse(provider string, data []byte) (Usage, error) {
	c, err := read(data)
	if err != nil {
		return Usage{}, err
	}
	s := shapeOf(provider, &c)
	if s == nil {
		return Usage{}, &Error{"usage", "is not a usage object of this provider"}
	}
	u, err := s.usage(&c)
	if err != nil {
		return Usage{}, err
	}
	c.media()
	u.Mode = strings.Join(c.modes, "+")
	return u, nil
}

// media adds the modes of tokens that are not of text.
func (c *counts) media() {
	if c.value[inputAudio] > 0 || c.value[outputAudio] > 0 {
		c.addMode("audio")
	}
	if c.value[inputImage] > 0 || c.value[outputImage] > 0 {
		c.addMode("image")
	}
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
	for f := range fields { // first, since this is what is wrong with the object of another provider
		if c.has(f) && allowed&(1<<f) == 0 {
			return Usage{}, &Error{names[f], "does not belong to the usage object of this provider"}
		}
	}
	for _, f := range s.required {
		if !c.has(f) {
			return Usage{}, &Error{names[f], "is missing"}
		}
	}
	return s.counts(c)
}

// shapeOf returns the shape of the API that sent the object, by the field that every object of that API has.
func shapeOf(provider string, c *counts) *shape {
	switch {
	case provider == "openai" && c.has(promptTokens):
		return &openAIChat
	case provider == "openai":
		return &openAIResponses
	case provider == "deepseek":
		return &deepSeekChat
	case provider == "anthropic":
		return &anthropicMessages
	case provider == "gemini" && c.has(totalInput):
		return &geminiInteractions
	case provider == "gemini":
		return &geminiGenerate
	case provider == "xai" && c.has(promptTokens):
		return &xaiChat
	case provider == "xai":
		return &xaiResponses
	}
	return nil
}

// within checks that a part is not more than the whole.
func (c *counts) within(whole field, parts ...field) error {
	for _, part := range parts {
		if c.value[part] > c.value[whole] {
			return &Error{names[part], "is more than " + names[whole]}
		}
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
