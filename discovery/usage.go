package discovery

import (
	"errors"

	"github.com/mesh-gateway/mesh-go/discovery/internal/usage"
)

// Usage is what one call used. Its token counts do not overlap: each token is in exactly one of them. The zero value is a call
// that used nothing.
type Usage struct {
	// Input is the part of the prompt that was neither read from the cache nor written to it.
	Input int64 `json:"input"`
	// ToolInput is input that tools added. It is billed as input, but does not count towards the length of the prompt that
	// selects the tier.
	ToolInput int64 `json:"tool_input"`
	// CacheRead is the part of the prompt that was read from the cache.
	CacheRead int64 `json:"cache_read"`
	// CacheWrite5m and CacheWrite1h are the parts of the prompt that were written to the cache, for five minutes and for an
	// hour. For OpenAI they are the writes for 30 minutes and for 12 hours.
	CacheWrite5m int64 `json:"cache_write_5m"`
	CacheWrite1h int64 `json:"cache_write_1h"`
	// Output is everything that the model generated, including reasoning.
	Output int64 `json:"output"`
	// Mode is what changes the price of the call, as the response spells it: a service tier such as "batch" or "priority", a
	// speed, or a region. Several are joined with "+". "" means a standard call. "audio", "image" and other media mean that
	// some tokens are not text, and "other-model" that some are billed at the prices of another model, as those of Anthropic's
	// advisor are; the cost of such a call is unknown.
	Mode string `json:"mode"`
	// ChargedUSD is the charge that the provider stated, as a decimal; "" if the response has none.
	ChargedUSD string `json:"charged_usd"`
}

// ParseUsage parses the usage object of a response from OpenAI's chat completions and responses, DeepSeek's chat completions,
// xAI's chat completions and responses, Anthropic's messages, or Gemini's generateContent and interactions. The providers'
// counts overlap in different ways; docs/providers.md has the rules.
//
// Unknown fields are ignored. The error is a [*ValueError] that names the field, and contains nothing of the object, if the
// object belongs to another provider, lacks a count that its API always sends, or contradicts itself (more cached than
// prompted, a total that is not the sum, a negative or fractional count).
//
// OpenAI sends the service tier beside the usage object: pass it as CostQuery.Mode. The counts of Anthropic's message_delta are
// cumulative: parse only the last one. It does not break down cache writes, so all of them count as writes for five minutes; if
// you write for an hour, parse the usage of the whole message.
func ParseUsage(p Provider, data []byte) (Usage, error) {
	known, err := ParseProvider(string(p))
	if err != nil {
		return Usage{}, err
	}
	u, err := usage.Parse(string(known), data)
	if err != nil {
		var wrong *usage.Error
		errors.As(err, &wrong)
		field := "usage"
		if wrong.Field != field {
			field += " field " + wrong.Field
		}
		return Usage{}, &ValueError{Field: field, Reason: wrong.Reason}
	}
	return Usage(u), nil
}

// maxTokens bounds a count, so that no sum of counts overflows.
const maxTokens = 1 << 53

func (u *Usage) check() error {
	for _, count := range [...]struct {
		name   string
		tokens int64
	}{
		{"input", u.Input}, {"tool input", u.ToolInput}, {"cache read", u.CacheRead},
		{"cache write 5m", u.CacheWrite5m}, {"cache write 1h", u.CacheWrite1h}, {"output", u.Output},
	} {
		if count.tokens < 0 || count.tokens > maxTokens {
			return &ValueError{Field: "usage " + count.name, Reason: "must be between 0 and 2^53 tokens"}
		}
	}
	return nil
}

// sum is the number of all tokens.
func (u *Usage) sum() int64 {
	return u.Input + u.ToolInput + u.CacheRead + u.CacheWrite5m + u.CacheWrite1h + u.Output
}
