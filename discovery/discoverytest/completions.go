package discoverytest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/mesh-gateway/mesh-go/discovery"
)

// Completion is what the server returns to requests for a completion.
type Completion struct {
	// Text is the answer of the model; "" means "Hello there." A stream has an event for each word.
	Text string
	// Model is the model of the response; "" means the model of the request.
	Model string
	// Usage is the usage object in the form of the API, or null. Nil means 100 input and 20 output tokens. In a stream it is
	// where the provider sends it: OpenAI's chat API, for example, sends it only with stream_options.include_usage.
	Usage json.RawMessage
}

// SetCompletion sets what an operation returns from now on. It panics if the operation has no completions, or if Usage is not
// JSON.
func (s *Server) SetCompletion(op Operation, c Completion) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, known := s.completions[op]; !known {
		panic(fmt.Sprintf("discoverytest: SetCompletion: operation %q has no completions", op))
	}
	if c.Usage != nil && !json.Valid(c.Usage) {
		panic("discoverytest: SetCompletion: Usage is not JSON")
	}
	s.completions[op] = c
}

// completionAPI is an API with completions at one provider.
type completionAPI struct {
	op      Operation
	service service
	paths   []string
	content string // the required field with the content
	usage   string // the standard usage
	write   func(completion) answer
}

// completion is a response to one request.
type completion struct {
	service      discovery.Service
	number       int // of the responses of this server, from 1
	model, text  string
	usage        json.RawMessage
	stream       bool
	includeUsage bool // a stream of the chat API was asked for the usage
	array        bool // a stream of Gemini is a JSON array
}

// created is the time of all completions, 2026-11-22.
const created = 1_795_305_600

// words returns the parts of the text that a stream sends.
func (c completion) words() []string { return strings.SplitAfter(c.text, " ") }

func (s *Server) completionRoutes() []route {
	var routes []route
	for _, api := range completionAPIs() {
		s.completions[api.op] = Completion{}
		for _, path := range api.paths {
			routes = append(routes, route{
				op: api.op, service: api.service, pattern: "POST " + path,
				run: func(r *http.Request) answer { return s.complete(api, r) },
			})
		}
	}
	return routes
}

// complete responds to a request for a completion.
func (s *Server) complete(api completionAPI, r *http.Request) answer {
	var fields map[string]json.RawMessage
	c := completion{service: api.service.name}
	if err := json.NewDecoder(r.Body).Decode(&fields); err != nil {
		return api.service.bad("The body is not a JSON object.")
	}
	isGemini := r.PathValue("call") != ""
	if !isGemini {
		c.readOptions(fields)
	}
	switch {
	case isGemini && !c.readGeminiCall(r):
		return notFound(r)
	case c.model == "":
		return api.service.bad("A model is required.")
	case len(fields[api.content]) == 0:
		return api.service.bad(api.content + " is required.")
	case api.service.name == discovery.ServiceAnthropic && len(fields["max_tokens"]) == 0:
		return api.service.bad("max_tokens: Field required")
	case api.service.name == discovery.ServiceAnthropic && r.Header.Get("Anthropic-Version") == "":
		return api.service.bad("anthropic-version: header is required")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	set := s.completions[api.op]
	s.completed++
	c.number, c.model, c.text = s.completed, cmp.Or(set.Model, c.model), cmp.Or(set.Text, "Hello there.")
	if c.usage = set.Usage; c.usage == nil {
		c.usage = json.RawMessage(api.usage)
	}
	return api.write(c)
}

// readOptions reads the fields that decide on the form of a response. A field of another type is ignored.
func (c *completion) readOptions(fields map[string]json.RawMessage) {
	var options struct {
		IncludeUsage bool `json:"include_usage"`
	}
	_ = json.Unmarshal(fields["model"], &c.model)
	_ = json.Unmarshal(fields["stream"], &c.stream)
	_ = json.Unmarshal(fields["stream_options"], &options)
	c.includeUsage = options.IncludeUsage
}

// completionAPIs returns the APIs with their standard usage.
func completionAPIs() []completionAPI {
	const (
		chat = `{"prompt_tokens":100,"completion_tokens":20,"total_tokens":120,"prompt_tokens_details":{"cached_tokens":0},` +
			`"completion_tokens_details":{"reasoning_tokens":0}}`
		deepSeekChat = `{"prompt_tokens":100,"completion_tokens":20,"total_tokens":120,"prompt_tokens_details":{"cached_tokens":0},` +
			`"prompt_cache_hit_tokens":0,"prompt_cache_miss_tokens":100}`
		xaiChat = `{"prompt_tokens":100,"completion_tokens":20,"total_tokens":120,"prompt_tokens_details":{"cached_tokens":0},` +
			`"completion_tokens_details":{"reasoning_tokens":0},"num_sources_used":0,"cost_in_usd_ticks":500000}`
		openAICompatible = `{"prompt_tokens":100,"completion_tokens":20,"total_tokens":120}`
		responses        = `{"input_tokens":100,"input_tokens_details":{"cached_tokens":0},"output_tokens":20,` +
			`"output_tokens_details":{"reasoning_tokens":0},"total_tokens":120}`
		xaiResponses = `{"input_tokens":100,"input_tokens_details":{"cached_tokens":0},"output_tokens":20,` +
			`"output_tokens_details":{"reasoning_tokens":0},"total_tokens":120,"num_sources_used":0,"cost_in_usd_ticks":500000}`
		messages = `{"input_tokens":100,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,` +
			`"cache_creation":{"ephemeral_5m_input_tokens":0,"ephemeral_1h_input_tokens":0},"output_tokens":20,` +
			`"service_tier":"standard","inference_geo":"not_available"}`
		contents = `{"promptTokenCount":100,"candidatesTokenCount":20,"totalTokenCount":120,` +
			`"promptTokensDetails":[{"modality":"TEXT","tokenCount":100}]}`
	)
	return []completionAPI{
		{CreateOpenAIChat, openAI, []string{"/v1/chat/completions"}, "messages", chat, writeChat},
		{CreateOpenAIResponse, openAI, []string{"/v1/responses"}, "input", responses, writeResponse},
		{CreateDeepSeekChat, deepSeek, []string{"/chat/completions", "/v1/chat/completions"}, "messages", deepSeekChat, writeChat},
		{CreateDeepSeekResponse, deepSeek, []string{"/responses", "/v1/responses"}, "input", responses, writeResponse},
		{CreateXAIChat, xai, []string{"/v1/chat/completions"}, "messages", xaiChat, writeChat},
		{CreateXAIResponse, xai, []string{"/v1/responses"}, "input", xaiResponses, writeResponse},
		{CreateAnthropicMessage, anthropic, []string{"/v1/messages"}, "messages", messages, writeMessage},
		{GenerateGeminiContent, gemini, []string{"/v1beta/models/{call}", "/v1/models/{call}"}, "contents", contents, writeGeminiContent},
		{CreateGeminiChat, geminiChat, []string{"/v1beta/openai/chat/completions"}, "messages", openAICompatible, writeChat},
	}
}
