package prices

import (
	"bytes"
	"strings"

	"github.com/mesh-gateway/mesh-go/discovery/internal/response"
	"github.com/mesh-gateway/mesh-go/discovery/internal/usage"
	"github.com/mesh-gateway/mesh-go/discovery/models"
)

// Response is a parsed model response with its usage.
type Response struct {
	// ID is the response id; "" if the response lacks it.
	ID string `json:"id"`
	// Model is the model that answered, which may differ from the requested one. It is ""
	// if the response does not name it.
	Model string `json:"model"`
	// Usage has everything that is billed: the usage object's counts, the service tier and
	// the tools.
	Usage Usage `json:"usage"`
	// Upstream is the provider that answered behind OpenRouter; "" if it is not named.
	Upstream string `json:"upstream,omitempty"`
	// BYOK reports that OpenRouter used your own key for Upstream. Then two companies
	// charge: OpenRouter Usage.ChargedUSD, and Upstream UpstreamUSD, which is "" if
	// unknown.
	BYOK        bool `json:"byok,omitempty"`
	UpstreamUSD USD  `json:"upstream_usd,omitempty"`
	// Complete reports whether Usage is final. It is false for a response without a usage
	// object, an error, and a stream that ended early. Their Usage is partial, so don't
	// pass it to CostOf. But if a stream with an error states a charge (Usage.ChargedUSD),
	// that charge is its cost.
	Complete bool `json:"complete"`
}

// ParseResponse parses a response body from any API that [ParseUsage] knows. A body
// without a usage object gives a Response that is not Complete. For server-sent events
// use [NewStream].
//
// The error is a [*ValueError], which quotes nothing from the body, in these cases:
//   - The body is neither JSON nor an event stream, for example because it was cut.
//   - Its usage object is invalid.
//
// # Other bodies
//
// The body may also be:
//   - one line from a batch result file, as the provider serves it; for xAI's results
//     one response, for Gemini's one inlined response. A line's Mode is "batch".
//   - Gemini's streamGenerateContent as a JSON array
//   - Ollama's stream, with a JSON object in each line
//   - Bedrock's event stream (application/vnd.amazon.eventstream)
func ParseResponse(provider models.Provider, body []byte) (Response, error) {
	form, err := formOf(provider)
	if err != nil {
		return Response{}, err
	}
	if binary(body) {
		return parseEventStream(provider, body)
	}
	reader := response.New(form)
	if form == string(models.Gemini) && bytes.HasPrefix(bytes.TrimSpace(body), []byte("[")) {
		if !response.EachOf(body, reader.Event) {
			return Response{}, invalid("body", "", "must be a JSON array of objects")
		}
		return resultOf(reader)
	}
	doc, ok := reader.Parse(body)
	switch {
	case ok:
		reader.Body(doc)
	case form != string(FormOllama) || !eachLine(reader, body):
		return Response{}, invalid("body", "", "must be a JSON object"+begins(body))
	}
	return resultOf(reader)
}

// eachLine reports whether all lines are objects.
func eachLine(reader *response.Reader, body []byte) bool {
	for line := range bytes.Lines(bytes.TrimSpace(body)) {
		doc, ok := reader.Parse(line)
		if !ok {
			return false
		}
		reader.Event(doc)
	}
	return true
}

// begins tells from the first bytes why a body isn't JSON.
func begins(body []byte) string {
	text := bytes.TrimSpace(body)
	switch {
	case bytes.HasPrefix(text, []byte("data:")), bytes.HasPrefix(text, []byte("event:")), bytes.HasPrefix(text, []byte(":")):
		return ", and is server-sent events"
	case bytes.HasPrefix(text, []byte("\x1f\x8b")):
		return ", and is gzip"
	case bytes.HasPrefix(text, []byte("<")):
		return ", and is HTML or XML"
	}
	return ""
}

func resultOf(reader *response.Reader) (Response, error) {
	result, err := reader.Result()
	if err != nil {
		result.Usage = usage.Usage{}
	}
	return Response{
		ID: result.ID, Model: result.Model, Usage: Usage(usage.As[USD](&result.Usage)), Complete: result.Complete,
		Upstream: result.Upstream, BYOK: result.BYOK, UpstreamUSD: USD(result.UpstreamUSD),
	}, usageError(err)
}

// Forms that belong to no provider's own API. [ParseUsage], [ParseResponse] and
// [NewStream] take them, or a provider with the same form: [models.OpenAI] for
// OpenRouter, Groq, Mistral and other compatible hosts, [models.Anthropic] for Claude
// on Bedrock, Vertex and Azure, [models.Gemini] for Vertex.
const (
	// FormConverse is for Bedrock's Converse and ConverseStream.
	FormConverse models.Provider = usage.Converse
	// FormInvoke is for Bedrock's InvokeModel with any model: Claude, OpenAI, Nova, Titan
	// or Llama. The body's counts tell which.
	FormInvoke models.Provider = usage.Invoke
	// FormCohere is for Cohere's own API. It uses the billed counts.
	FormCohere models.Provider = usage.Cohere
	// FormOllama is for Ollama's own API.
	FormOllama models.Provider = usage.Ollama
)

// formOf accepts providers in any spelling, and the constants above.
func formOf(form models.Provider) (string, error) {
	for _, own := range usage.Forms {
		if string(form) == own {
			return own, nil
		}
	}
	known, err := models.ParseProvider(string(form))
	if err == nil {
		return string(known), nil
	}
	names := make([]string, 0, len(usage.Forms)+len(models.Providers()))
	for _, p := range models.Providers() {
		names = append(names, string(p))
	}
	names = append(names, usage.Forms...)
	return "", invalid("provider", string(form), "is not one of "+strings.Join(names, ", "))
}
