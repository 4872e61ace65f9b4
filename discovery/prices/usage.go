package prices

import (
	"errors"

	object "github.com/mesh-gateway/mesh-go/discovery/internal/usage"
	"github.com/mesh-gateway/mesh-go/discovery/models"
)

// Usage has the counts for one call. They don't overlap: each token is in exactly one.
// The zero value is a call that used nothing, which costs 0. It is also the Usage in a
// [Response] without counts, which is not Complete.
type Usage struct {
	// Input is prompt text neither read from the cache nor written to it.
	Input int64 `json:"input"`
	// ToolInput is input that tools added. It is billed as input, but does not count
	// towards the prompt length that selects the tier.
	ToolInput int64 `json:"tool_input"`
	// CacheRead counts prompt tokens read from the cache.
	CacheRead int64 `json:"cache_read"`
	// CacheWrite5m and CacheWrite1h count prompt tokens written to the cache, for five
	// minutes and for an hour. For OpenAI they are the writes for 30 minutes and for 12
	// hours.
	CacheWrite5m int64 `json:"cache_write_5m"`
	CacheWrite1h int64 `json:"cache_write_1h"`
	// Output is the text that the model generated, including reasoning.
	Output int64 `json:"output"`
	// AudioInput is audio in the prompt and from tools, AudioCacheRead audio from the
	// cache, and AudioOutput audio in the answer.
	AudioInput     int64 `json:"audio_input"`
	AudioCacheRead int64 `json:"audio_cache_read"`
	AudioOutput    int64 `json:"audio_output"`
	// ImageInput and ImageCacheRead are prompt images and documents, if the response
	// counts them separately. ImageOutput is generated images. VideoInput and
	// VideoCacheRead are prompt videos.
	ImageInput     int64 `json:"image_input"`
	ImageCacheRead int64 `json:"image_cache_read"`
	ImageOutput    int64 `json:"image_output"`
	VideoInput     int64 `json:"video_input"`
	VideoCacheRead int64 `json:"video_cache_read"`
	// ToolUses counts tool uses that are billed in addition to tokens; nil if there are
	// none. The keys are "web_search", "x_search", "code_interpreter" (containers, for
	// OpenAI), "file_search", "image_generation", "live_search" (sources), "grounding"
	// (queries; at most 1 before Gemini 3), "maps", or the provider's own name for a tool.
	ToolUses map[string]int64 `json:"requests,omitempty"`
	// Mode changes the call's price: a service tier such as "batch" or "priority", a
	// speed, or a region, in lower case. Several are joined with "+". "" means a standard
	// call.
	//
	// Two values make the cost unknown, unless the provider stated it: "other-model" means
	// that some tokens have another model's prices, as after an Anthropic fallback.
	// "count:NAME" means that the usage object has an unknown count NAME.
	Mode string `json:"mode"`
	// ChargedUSD is the charge that the provider stated, as a decimal; "" if it stated
	// none.
	ChargedUSD USD `json:"charged_usd"`
	// Iterations are the requests behind an Anthropic response if they are priced one by
	// one; nil for most calls.
	Iterations []Iteration `json:"iterations,omitempty"`
}

// Iteration is one request behind a response, such as a turn between two server tools.
// Its fields are Model, Input, CacheRead, CacheWrite5m, CacheWrite1h and Output.
//
// An advisor's iteration has a Model, and its tokens are in no other count. All other
// iterations are included in the Usage counts, and priced by their own prompt length.
type Iteration = object.Iteration

// ParseUsage parses a response's usage object. [ParseResponse] reads a whole response,
// including OpenAI's service tier and tools, and Gemini's grounding.
//
// provider is the object's form: a provider, or another form such as [FormConverse].
// docs/providers.md explains how each provider's counts overlap.
//
// # APIs
//
//   - OpenAI: chat completions, responses, embeddings, images, Realtime API, Codex
//   - DeepSeek: chat completions, responses, messages
//   - Anthropic: messages
//   - Gemini: generateContent, Live API, interactions, the OpenAI-compatible endpoint
//   - xAI: chat completions, responses, images, SDK
//   - OpenRouter: an object in OpenAI's or Anthropic's form; its cost is the ChargedUSD
//
// # Unknown counts
//
// Unknown fields are ignored, except counts next to the known ones or in their details.
// If such a count isn't 0, the call may cost more than the known counts, and the Mode
// becomes "count:NAME". A transcription billed by duration has the Mode "count:seconds"
// and no cost.
//
// # Errors
//
// The error is a [*ValueError] that names the field and quotes nothing from the object,
// if:
//   - The object belongs to another provider.
//   - It lacks a count that its API always sends.
//   - It contradicts itself: more cached than prompted, a total that isn't the sum, a
//     negative or fractional count.
//   - Its cost is negative, not a number, or in another currency.
//
// If an object with wrong counts states a charge, ParseUsage returns no error. All
// counts are 0, and the Mode is "count:" with the name of a wrong count.
//
// # Anthropic streams
//
// An Anthropic stream has two usage objects. The one in message_start has the cache
// writes by lifetime. The one in the last message_delta has the final counts, without
// lifetimes and in older versions without input. Neither is enough: merge them with a
// [Stream].
func ParseUsage(provider models.Provider, usage []byte) (Usage, error) {
	form, err := formOf(provider)
	if err != nil {
		return Usage{}, err
	}
	u, err := object.Parse(form, usage)
	return Usage(object.As[USD](&u)), usageError(err)
}

func usageError(err error) error {
	if err == nil { // errors.As allocates
		return nil
	}
	var wrong *object.Error
	if !errors.As(err, &wrong) {
		return err
	}
	field := "usage"
	if wrong.Field != field {
		field += "." + wrong.Field
	}
	return invalid(field, "", wrong.Reason)
}

// maxTokens bounds a count so that sums can't overflow.
const maxTokens = 1 << 53

func (u *Usage) check() error {
	for i, tokens := range (*object.Typed[USD])(u).Counts() {
		if *tokens < 0 || *tokens > maxTokens {
			return invalid("Usage."+object.CountNames[i], "", "must be between 0 and 2^53 tokens")
		}
	}
	for _, n := range u.ToolUses {
		if n < 0 || n > maxTokens {
			return invalid("Usage.ToolUses", "", "must be between 0 and 2^53")
		}
	}
	if _, ok := (*object.Typed[USD])(u).Rest(); !ok {
		return invalid("Usage.Iterations", "", "must not have more tokens than the counts, nor fewer than 0")
	}
	return nil
}

func (u *Usage) sum() (tokens int64) {
	for _, n := range (*object.Typed[USD])(u).Counts() {
		tokens += *n
	}
	return tokens
}
