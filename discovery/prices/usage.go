package prices

import (
	"errors"

	object "github.com/mesh-gateway/mesh-go/discovery/internal/usage"
	"github.com/mesh-gateway/mesh-go/discovery/models"
)

// Usage is what one call used. Its token counts do not overlap: each token is in exactly one of them. The zero value is a call
// that used nothing, which costs 0. It is also the Usage of a [Response] without counts, which is not Complete.
type Usage struct {
	// Input is the text of the prompt that was neither read from the cache nor written to it.
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
	// Output is the text that the model generated, including reasoning.
	Output int64 `json:"output"`
	// AudioInput, AudioCacheRead and AudioOutput are the audio of the prompt and of tools, of the cache, and of the answer.
	AudioInput     int64 `json:"audio_input"`
	AudioCacheRead int64 `json:"audio_cache_read"`
	AudioOutput    int64 `json:"audio_output"`
	// ImageInput and ImageCacheRead are the images and documents of the prompt, as far as the response counts them apart, and ImageOutput is
	// the images that the model generated. VideoInput and VideoCacheRead are the videos of the prompt.
	ImageInput     int64 `json:"image_input"`
	ImageCacheRead int64 `json:"image_cache_read"`
	ImageOutput    int64 `json:"image_output"`
	VideoInput     int64 `json:"video_input"`
	VideoCacheRead int64 `json:"video_cache_read"`
	// Requests are the uses of tools that are billed besides tokens, by the name of the tool: "web_search", "x_search",
	// "code_interpreter" (containers, for OpenAI), "file_search", "image_generation", "live_search" (sources), "grounding"
	// (queries; at most 1 before Gemini 3), "maps", or the name that the provider gave. It is nil without any.
	Requests map[string]int64 `json:"requests,omitempty"`
	// Mode is what changes the price of the call: a service tier such as "batch" or "priority", a speed, or a region, in lower
	// case. Several are joined with "+". "" means a standard call. "other-model" means that some tokens are billed at the prices
	// of another model, as after a fallback of Anthropic, and "count:NAME" that the count NAME of the usage object is not
	// known; the cost of such a call is unknown, unless the provider stated it.
	Mode string `json:"mode"`
	// ChargedUSD is the charge that the provider stated, as a decimal; "" if the response has none.
	ChargedUSD string `json:"charged_usd"`
	// Iterations are the requests behind a response of Anthropic that are priced one by one; nil for most calls.
	Iterations []Iteration `json:"iterations,omitempty"`
}

// Iteration is one of the requests behind a response, such as a turn between two server tools. Its fields are Model,
// Input, CacheRead, CacheWrite5m, CacheWrite1h and Output. An advisor has a Model, and its tokens are in no other count
// of the Usage. The tokens of all others are parts of these counts, and priced by the length of their own prompt.
type Iteration = object.Iteration

// ParseUsage parses the usage object of a response: of OpenAI's chat completions, responses, embeddings, images, Realtime API
// and Codex; of DeepSeek's chat completions, responses and messages; of Anthropic's messages; of Gemini's generateContent, Live
// API, interactions, and its endpoint that is compatible with OpenAI; and of xAI's chat completions, responses, images and SDK.
// The providers' counts overlap in different ways; docs/providers.md has the rules. [ParseResponse] reads a whole response, with
// what is billed beside the usage object: OpenAI's service tier and tools, and Gemini's grounding.
//
// Unknown fields are ignored, except a count beside the known ones or in their details: if it is not 0, the call may cost more than
// the known counts, and its name becomes the Mode "count:NAME". A transcription that is billed by duration has the Mode
// "count:seconds", and no cost. The error is a [*ValueError] that names the field, and contains nothing of the
// object, if the object belongs to another provider, lacks a count that its API always sends, or contradicts itself (more cached
// than prompted, a total that is not the sum, a negative or fractional count). If such an object states a charge, it is no error: all
// counts are 0, and the Mode has "count:" with the name of a count that is wrong.
//
// A stream of Anthropic has two usage objects. The object of message_start has the cache writes by lifetime; the one of the last
// message_delta has the final counts, without the lifetimes and in older versions without the input. Neither is enough: merge
// them with a [Stream].
//
// provider is the form of the object: a provider, or another form such as [FormConverse]. An object of OpenRouter has
// the form of OpenAI or Anthropic; its cost is the ChargedUSD. A cost that is negative, no number, or in another currency is an error.
func ParseUsage(provider models.Provider, usage []byte) (Usage, error) {
	form, err := formOf(provider)
	if err != nil {
		return Usage{}, err
	}
	u, err := object.Parse(form, usage)
	return Usage(u), usageError(err)
}

// usageError returns the error of a usage object as one of this package.
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

// maxTokens bounds a count, so that no sum of counts overflows.
const maxTokens = 1 << 53

func (u *Usage) check() error {
	for i, tokens := range (*object.Usage)(u).Counts() {
		if *tokens < 0 || *tokens > maxTokens {
			return invalid("Usage."+object.CountNames[i], "", "must be between 0 and 2^53 tokens")
		}
	}
	for _, n := range u.Requests {
		if n < 0 || n > maxTokens {
			return invalid("Usage.Requests", "", "must be between 0 and 2^53")
		}
	}
	if _, ok := (*object.Usage)(u).Rest(); !ok {
		return invalid("Usage.Iterations", "", "must not have more tokens than the counts, nor fewer than 0")
	}
	return nil
}

// sum is the number of all tokens.
func (u *Usage) sum() (tokens int64) {
	for _, n := range (*object.Usage)(u).Counts() {
		tokens += *n
	}
	return tokens
}
