package discoverytest

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/internal/endpoints"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
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

// completion is a response to one request. The templates use its exported names.
type completion struct {
	Service     discovery.Service
	Number      int // of the responses of this server, from 1
	Model, Text string
	Usage       json.RawMessage
	Options     struct {
		IncludeUsage bool `json:"include_usage"` // in a stream of the chat API
	}

	stream   bool
	array    bool        // a stream of Gemini is a JSON array
	header   http.Header // of a response that is not a stream of events
	sequence int
}

// Words returns the parts of the text that a stream sends.
func (c *completion) Words() []string { return strings.SplitAfter(c.Text, " ") }

// Sequence counts the events of a stream from 0.
func (c *completion) Sequence() int {
	c.sequence++
	return c.sequence - 1
}

// FirstUsage is the usage at the start of a stream of Anthropic, with one output token.
func (c *completion) FirstUsage() json.RawMessage {
	return c.editedUsage(func(fields map[string]json.RawMessage) {
		if fields["output_tokens"] != nil {
			fields["output_tokens"] = json.RawMessage("1")
		}
	})
}

// FinalUsage is the usage at the end of a stream of Anthropic, without what is in the first one only.
func (c *completion) FinalUsage() json.RawMessage {
	return c.editedUsage(func(fields map[string]json.RawMessage) {
		for _, name := range []string{"cache_creation", "service_tier", "inference_geo", "speed"} {
			delete(fields, name)
		}
	})
}

// PromptUsage is the usage without the output of Gemini.
func (c *completion) PromptUsage() json.RawMessage {
	return c.editedUsage(func(fields map[string]json.RawMessage) {
		delete(fields, "candidatesTokenCount")
		delete(fields, "candidatesTokensDetails")
		if prompt := fields["promptTokenCount"]; prompt != nil {
			fields["totalTokenCount"] = prompt
		}
	})
}

// editedUsage returns the usage with changed fields, whose values stay exact. Anything but an object is returned unchanged.
func (c *completion) editedUsage(change func(fields map[string]json.RawMessage)) json.RawMessage {
	var fields map[string]json.RawMessage
	if json.Unmarshal(c.Usage, &fields) != nil {
		return c.Usage
	}
	change(fields)
	text, _ := json.Marshal(fields) // it was valid
	return text
}

// answer fills in the template of a form, or that of its stream.
func (c *completion) answer(form string) answer {
	if c.stream {
		form += " stream"
	}
	text := fill(form, c)
	if !c.stream {
		return answer{Status: http.StatusOK, Header: c.header, Body: json.RawMessage(text)}
	}
	events := strings.SplitAfter(strings.TrimSuffix(text, "\n\n"), "\n\n")
	events[len(events)-1] += "\n\n"
	if c.array {
		return answer{Status: http.StatusOK, Header: c.header, Events: arrayOf(events)}
	}
	return answer{Status: http.StatusOK, Header: http.Header{"Content-Type": {"text/event-stream; charset=utf-8"}}, Events: events}
}

// arrayOf returns the data of events as the parts of a JSON array, with the separators that Google writes.
func arrayOf(events []string) []string {
	before := "["
	for i, event := range events {
		events[i] = before + strings.TrimSuffix(strings.TrimPrefix(event, "data: "), "\n\n")
		before = "\n,\r\n"
	}
	events[len(events)-1] += "\n]\n"
	return events
}

// The operations of the platforms.
const (
	CreateOpenRouterChat Operation = "openrouter.createChatCompletion"
	ConverseBedrock      Operation = "bedrock.converse"
	PredictVertex        Operation = "vertex.rawPredict" // of Claude
	CreateAzureChat      Operation = "azure.createChatCompletion"
)

//go:embed platforms.json
var platformAnswers []byte

// platformRoutes serve one recorded response of each platform, whatever the request asks for, and check no key.
func platformRoutes() []route {
	bodies := embedded[map[Operation]json.RawMessage](platformAnswers)
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
		routes = append(routes, route{op: of.op, service: service{name: discovery.Service(of.platform)}, pattern: "POST " + of.path, run: func(r *http.Request) answer {
			if call := r.PathValue("call"); call != "" && !strings.HasSuffix(call, ":rawPredict") {
				return notFound(r)
			}
			return ok(bodies[of.op])
		}})
	}
	return routes
}

// Transport returns a transport that leads requests to the official hosts of platforms and providers, such as
// https://bedrock-runtime.us-east-1.amazonaws.com and https://api.openai.com, to the server. A request to any other host is an error,
// so nothing leaves the machine. A Meter around it sees the official hosts:
//
//	client := &http.Client{Transport: m.Transport(s.Transport())}
func (s *Server) Transport() http.RoundTripper {
	return transport{strings.TrimPrefix(s.URL, "http://")}
}

// transport sends requests to the server at an address.
type transport struct{ address string }

func (t transport) RoundTrip(req *http.Request) (*http.Response, error) {
	e, official := endpoints.OfHost(req.URL.Hostname())
	if !official {
		if req.Body != nil {
			_ = req.Body.Close()
		}
		return nil, fmt.Errorf("discoverytest: %s is no host of a platform or a provider", req.URL.Hostname())
	}
	sent, base := req.Clone(req.Context()), "/"+e.Platform+e.Provider // one of them is ""
	sent.URL.Scheme, sent.URL.Host, sent.Host = "http", t.address, ""
	if sent.URL.RawPath != "" {
		sent.URL.RawPath = base + sent.URL.RawPath
	}
	sent.URL.Path = base + sent.URL.Path
	return http.DefaultTransport.RoundTrip(sent)
}
