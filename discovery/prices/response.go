package prices

import (
	"bytes"
	"strings"

	"github.com/mesh-gateway/mesh-go/discovery/internal/response"
	"github.com/mesh-gateway/mesh-go/discovery/internal/usage"
	"github.com/mesh-gateway/mesh-go/discovery/models"
)

// Response is what a response of a provider states about a call.
type Response struct {
	// ID is the id of the response; "" if it has none.
	ID string `json:"id"`
	// Model is the model that answered. It may differ from the one that was requested. "" if the response does not name it.
	Model string `json:"model"`
	// Usage is what the call used, with everything that is billed: the counts of the usage object, the service tier and the tools.
	Usage Usage `json:"usage"`
	// Upstream is the provider behind OpenRouter that answered; "" if the response does not name one.
	Upstream string `json:"upstream,omitempty"`
	// BYOK reports that OpenRouter used a key of the caller for that provider. Then Usage.ChargedUSD is OpenRouter's fee alone, and
	// UpstreamUSD is what the provider charges beside it, as a decimal; "" if it is not known.
	BYOK        bool `json:"byok,omitempty"`
	UpstreamUSD USD  `json:"upstream_usd,omitempty"`
	// Complete reports whether Usage is final. A response without a usage object, an error, and a stream that ended early are not
	// complete. Their Usage is only what is known so far, so it has no cost: do not pass it to CostOf. But a charge that a
	// stream with an error states (Usage.ChargedUSD) is its cost.
	Complete bool `json:"complete"`
}

// ParseResponse parses the body of a response of the APIs that [ParseUsage] knows, or one line of the results of a batch, as the
// provider serves them; of xAI's results, one of the responses, and of Gemini's, one of the inlined responses. The Mode of a line
// is "batch". A body of Gemini's streamGenerateContent may be a JSON array, one of Ollama may have a JSON object in each line, and one
// of Bedrock may be an event stream (application/vnd.amazon.eventstream). For server-sent events use [NewStream].
//
// A body without a usage object is a Response that is not Complete. The error is a [*ValueError], which contains nothing of the
// body, if the body is not JSON or an event stream, as one that was cut, or if its usage object is invalid.
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

// eachLine reads the objects of a body that has one in each line. It reports whether all lines are objects.
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

// begins names what a body is that is neither JSON nor an event stream, if its first bytes tell.
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
		ID: result.ID, Model: result.Model, Usage: Usage(result.Usage), Complete: result.Complete,
		Upstream: result.Upstream, BYOK: result.BYOK, UpstreamUSD: USD(result.UpstreamUSD),
	}, usageError(err)
}

// The forms of bodies that are not those of a provider's own API. [ParseUsage], [ParseResponse] and [NewStream] take them, or the
// provider whose form a body has: [models.OpenAI] for OpenRouter, Groq, Mistral and other compatible hosts, [models.Anthropic] for
// Claude on Bedrock, Vertex and Azure, [models.Gemini] for Vertex.
const (
	// FormConverse is the form of Bedrock's Converse and ConverseStream.
	FormConverse models.Provider = usage.Converse
	// FormInvoke is the form of Bedrock's InvokeModel for any model: Claude's, OpenAI's, Nova's, Titan's or Llama's, by the counts that the
	// body has.
	FormInvoke models.Provider = usage.Invoke
	// FormCohere is the form of Cohere's own API. Its counts are the billed ones.
	FormCohere models.Provider = usage.Cohere
	// FormOllama is the form of Ollama's own API.
	FormOllama models.Provider = usage.Ollama
)

// formOf returns the name of a form, which is a provider in any spelling or one of the constants.
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
