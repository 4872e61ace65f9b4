package discoverytest

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strconv"
	"strings"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/internal/endpoints"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// Completion is the response to a completion request.
type Completion struct {
	// Text is the model's output. "" means "Hello there." A stream sends an event per word.
	Text string
	// Model is the response's model. "" means the requested model.
	Model string
	// Usage is the API's usage object, or null. Nil means 100 input and 20 output tokens.
	// A stream sends it where the provider would: OpenAI's chat API, for example, sends
	// it only if stream_options.include_usage is set.
	Usage json.RawMessage
}

// SetCompletion sets the response for all further requests to op. It panics if op has no
// completions, or if Usage isn't JSON.
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

type completionAPI struct {
	op      Operation
	service service
	paths   []string
	content string // required field that has the content
	form    string // response template; " stream" is appended for a stream
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

// standardUsage maps operations to a usage object with 100 input and 20 output tokens.
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
				run: func(r *http.Request) response { return s.complete(api, r) },
			})
		}
	}
	return routes
}

func (s *Server) complete(api completionAPI, r *http.Request) response {
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
	c.ID, c.Model, c.Text = s.nextID(), cmp.Or(set.Model, c.Model), cmp.Or(set.Text, "Hello there.")
	if c.Usage = set.Usage; c.Usage == nil {
		c.Usage = s.usage[api.op]
	}
	return c.response(api.form)
}

// nextID is called with mu held.
func (s *Server) nextID() string {
	s.completed++
	return s.idPrefix + strconv.Itoa(s.completed)
}

// readOptions ignores fields with a wrong type.
func (c *completion) readOptions(fields map[string]json.RawMessage) {
	_ = json.Unmarshal(fields["model"], &c.Model)
	_ = json.Unmarshal(fields["stream"], &c.stream)
	_ = json.Unmarshal(fields["stream_options"], &c.Options)
}

// readGeminiCall reads a call such as gemini-2.5-flash:streamGenerateContent?alt=sse. It
// reports whether the method is known.
func (c *completion) readGeminiCall(r *http.Request) bool {
	model, method, _ := strings.Cut(r.PathValue("call"), ":")
	c.Model, c.stream, c.header = model, method == "streamGenerateContent", googleJSON
	c.array = c.stream && r.URL.Query().Get("alt") != "sse"
	return c.stream || method == "generateContent"
}

// completion is a response. Templates use its exported names.
type completion struct {
	Service     discovery.Service
	ID          string // after the provider's prefix
	Model, Text string
	Usage       json.RawMessage
	Options     struct {
		IncludeUsage bool `json:"include_usage"` // for streams in the chat API
	}

	stream   bool
	array    bool        // Gemini streams a JSON array
	header   http.Header // unless it's an event stream
	sequence int
}

// Words returns the parts that a stream sends.
func (c *completion) Words() []string { return strings.SplitAfter(c.Text, " ") }

// Sequence numbers the events in a stream, from 0.
func (c *completion) Sequence() int {
	c.sequence++
	return c.sequence - 1
}

// FirstUsage is the usage at the start of an Anthropic stream, with one output token.
func (c *completion) FirstUsage() json.RawMessage {
	return c.editedUsage(func(fields map[string]json.RawMessage) {
		if fields["output_tokens"] != nil {
			fields["output_tokens"] = json.RawMessage("1")
		}
	})
}

// FinalUsage is the usage at the end of an Anthropic stream. It lacks fields that only
// the first usage has.
func (c *completion) FinalUsage() json.RawMessage {
	return c.editedUsage(func(fields map[string]json.RawMessage) {
		for _, name := range []string{"cache_creation", "service_tier", "inference_geo", "speed"} {
			delete(fields, name)
		}
	})
}

// PromptUsage is Gemini's usage without output.
func (c *completion) PromptUsage() json.RawMessage {
	return c.editedUsage(func(fields map[string]json.RawMessage) {
		delete(fields, "candidatesTokenCount")
		delete(fields, "candidatesTokensDetails")
		if prompt := fields["promptTokenCount"]; prompt != nil {
			fields["totalTokenCount"] = prompt
		}
	})
}

// editedUsage changes fields and keeps the other values exact. If the usage isn't an
// object, it stays unchanged.
func (c *completion) editedUsage(change func(fields map[string]json.RawMessage)) json.RawMessage {
	var fields map[string]json.RawMessage
	if json.Unmarshal(c.Usage, &fields) != nil {
		return c.Usage
	}
	change(fields)
	text, _ := json.Marshal(fields) // it was valid
	return text
}

func (c *completion) response(form string) response {
	if c.stream {
		form += " stream"
	}
	text := fill(form, c)
	if !c.stream {
		return response{Status: http.StatusOK, Header: c.header, Body: json.RawMessage(text)}
	}
	events := strings.SplitAfter(strings.TrimSuffix(text, "\n\n"), "\n\n")
	events[len(events)-1] += "\n\n"
	if c.array {
		return response{Status: http.StatusOK, Header: c.header, Events: arrayOf(events)}
	}
	return response{Status: http.StatusOK, Header: http.Header{"Content-Type": {"text/event-stream; charset=utf-8"}}, Events: events}
}

// arrayOf turns events into the parts of a JSON array, with Google's separators.
func arrayOf(events []string) []string {
	before := "["
	for i, event := range events {
		events[i] = before + strings.TrimSuffix(strings.TrimPrefix(event, "data: "), "\n\n")
		before = "\n,\r\n"
	}
	events[len(events)-1] += "\n]\n"
	return events
}

// Platform operations.
const (
	CreateOpenRouterChat Operation = "openrouter.createChatCompletion"
	ConverseBedrock      Operation = "bedrock.converse"
	PredictVertex        Operation = "vertex.rawPredict" // for Claude
	CreateAzureChat      Operation = "azure.createChatCompletion"
)

//go:embed platforms.json
var platformAnswers []byte

// platformRoutes serve one recorded response per platform, for any request and any key.
func (s *Server) platformRoutes() []route {
	bodies := embedded[map[Operation]map[string]json.RawMessage](platformAnswers)
	var routes []route
	for _, of := range []struct {
		op       Operation
		platform prices.Platform
		path     string
	}{
		{CreateOpenRouterChat, prices.PlatformOpenRouter, "/api/v1/chat/completions"},
		{ConverseBedrock, prices.PlatformBedrock, "/model/{id}/converse"},
		{PredictVertex, prices.PlatformVertex, "/v1/projects/{project}/locations/{location}/publishers/anthropic/models/{call}"},
		{CreateAzureChat, prices.PlatformAzure, "/openai/deployments/{deployment}/chat/completions"},
		{CreateAzureChat, prices.PlatformAzure, "/openai/v1/chat/completions"},
	} {
		routes = append(routes, route{op: of.op, service: service{name: discovery.Service(of.platform)}, pattern: "POST " + of.path, run: func(r *http.Request) response {
			if call := r.PathValue("call"); call != "" && !strings.HasSuffix(call, ":rawPredict") {
				return notFound(r)
			}
			return ok(s.withOwnID(bodies[of.op]))
		}})
	}
	return routes
}

// withOwnID appends a number to the id, if the body has one.
func (s *Server) withOwnID(body map[string]json.RawMessage) map[string]json.RawMessage {
	s.mu.Lock()
	defer s.mu.Unlock()
	if id := body["id"]; id != nil {
		body = maps.Clone(body)
		body["id"] = fmt.Appendf(nil, `%s-%s"`, bytes.TrimSuffix(id, []byte(`"`)), s.nextID())
	}
	return body
}

// Transport returns a transport that sends requests for official hosts, such as
// https://api.openai.com or https://bedrock-runtime.us-east-1.amazonaws.com, to the
// server. It refuses other hosts, so nothing leaves the machine. A meter.Meter around it
// sees the official hosts:
//
//	client := &http.Client{Transport: m.Transport(s.Transport())}
func (s *Server) Transport() http.RoundTripper {
	return transport{strings.TrimPrefix(s.URL, "http://")}
}

type transport struct{ address string }

func (t transport) RoundTrip(req *http.Request) (*http.Response, error) {
	e, official := endpoints.OfHost(req.URL.Hostname())
	if !official {
		if req.Body != nil {
			_ = req.Body.Close()
		}
		return nil, fmt.Errorf("discoverytest: %s is not a provider or platform host", req.URL.Hostname())
	}
	sent, base := req.Clone(req.Context()), "/"+e.Platform+e.Provider // one of them is ""
	sent.URL.Scheme, sent.URL.Host, sent.Host = "http", t.address, ""
	if sent.URL.RawPath != "" {
		sent.URL.RawPath = base + sent.URL.RawPath
	}
	sent.URL.Path = base + sent.URL.Path
	return http.DefaultTransport.RoundTrip(sent)
}
