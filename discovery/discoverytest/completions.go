package discoverytest

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
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
	if s.usage[op] == nil {
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
	form    string // the template of the response; that of a stream has " stream" at its end
}

var completionAPIs = []completionAPI{
	{CreateOpenAIChat, openAI, []string{"/v1/chat/completions"}, "messages", "chat"},
	{CreateOpenAIResponse, openAI, []string{"/v1/responses"}, "input", "response"},
	{CreateDeepSeekChat, deepSeek, []string{"/chat/completions", "/v1/chat/completions"}, "messages", "chat"},
	{CreateDeepSeekResponse, deepSeek, []string{"/responses", "/v1/responses"}, "input", "response"},
	{CreateXAIChat, xai, []string{"/v1/chat/completions"}, "messages", "chat"},
	{CreateXAIResponse, xai, []string{"/v1/responses"}, "input", "response"},
	{CreateAnthropicMessage, anthropic, []string{"/v1/messages"}, "messages", "message"},
	{GenerateGeminiContent, gemini, []string{"/v1beta/models/{call}", "/v1/models/{call}"}, "contents", "content"},
	{CreateGeminiChat, geminiChat, []string{"/v1beta/openai/chat/completions"}, "messages", "chat"},
}

// standardUsage has the usage of 100 input and 20 output tokens for each operation.
//
//go:embed completions_usage.json
var standardUsage []byte

func (s *Server) completionRoutes() []route {
	s.usage = embedded[map[Operation]json.RawMessage](standardUsage)
	var routes []route
	for _, api := range completionAPIs {
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
	c := completion{Service: api.service.name}
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
	case c.Model == "":
		return api.service.bad("A model is required.")
	case len(fields[api.content]) == 0:
		return api.service.bad(api.content + " is required.")
	case api.form == "message" && len(fields["max_tokens"]) == 0:
		return api.service.bad("max_tokens: Field required")
	case api.form == "message" && r.Header.Get("Anthropic-Version") == "":
		return api.service.bad("anthropic-version: header is required")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	set := s.completions[api.op]
	s.completed++
	c.Number, c.Model, c.Text = s.completed, cmp.Or(set.Model, c.Model), cmp.Or(set.Text, "Hello there.")
	if c.Usage = set.Usage; c.Usage == nil {
		c.Usage = s.usage[api.op]
	}
	return c.answer(api.form)
}

// readOptions reads the fields that decide on the form of a response. A field of another type is ignored.
func (c *completion) readOptions(fields map[string]json.RawMessage) {
	_ = json.Unmarshal(fields["model"], &c.Model)
	_ = json.Unmarshal(fields["stream"], &c.stream)
	_ = json.Unmarshal(fields["stream_options"], &c.Options)
}

// readGeminiCall reads a call such as gemini-2.5-flash:streamGenerateContent?alt=sse and reports whether its method is known.
func (c *completion) readGeminiCall(r *http.Request) bool {
	model, method, _ := strings.Cut(r.PathValue("call"), ":")
	c.Model, c.stream, c.header = model, method == "streamGenerateContent", googleJSON
	c.array = c.stream && r.URL.Query().Get("alt") != "sse"
	return c.stream || method == "generateContent"
}
