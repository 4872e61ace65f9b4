// Package discoverytest is a local server that imitates the model catalog and all five
// providers: models, prices, balance, bills and completions. Use it to test programs that
// use package discovery, and for demonstrations.
//
//	s := discoverytest.New(t)
//	t.Setenv("ANTHROPIC_API_KEY", "example-key")
//	s.Fail(discoverytest.ListCatalog, discoverytest.Fault{Status: 503, Times: -1})
//	c, err := discovery.New(s.Options()...)
//	models, err := c.ListModels(ctx, discovery.CatalogOptions{})
//	// The catalog is down, so these are Anthropic's models. To see the requests:
//	s.Requests(discoverytest.ListAnthropicModels)
//
// # Responses
//
// The server responds as the providers do, and also accepts requests from official SDKs:
//
//   - The catalog has an ETag and returns 304. [WithCatalog] and [Server.SetCatalog]
//     replace its 109 rows.
//   - [Server.SetFacts] replaces what [discovery.Client.UpdateFacts] reads.
//   - Anthropic's and Gemini's models, OpenAI's costs and the billing catalog have pages.
//   - Any key is accepted, unless [WithKeys] sets the accepted keys. A missing or wrong
//     key gets the provider's error.
//   - A request that the service's document forbids is refused, even if the provider
//     accepts it. For example, Google accepts a pageSize of 0.
//
// Dates in model lists are from November 2026.
//
// # Completions
//
// The server completes requests in OpenAI's chat and responses APIs, Anthropic's Messages
// API and Gemini's generateContent, streamed or not. DeepSeek and xAI have both OpenAI
// APIs, and Gemini has the chat API. [Server.SetCompletion] sets the text and usage. Ids
// count the server's completions: "chatcmpl-1", "msg_2". In calls files, equal ids are
// one call, so use [WithUniqueIDs] if several servers' calls go into one file.
//
// The base URLs for official SDKs are URL + "/openai/v1/", "/anthropic/", "/gemini/",
// "/gemini/v1beta/openai/", "/deepseek/" and "/xai/v1/".
//
//	s.SetCompletion(discoverytest.CreateOpenAIChat, discoverytest.Completion{
//		Usage: json.RawMessage(`{"prompt_tokens":1200,"completion_tokens":7,"total_tokens":1207}`),
//	})
//	client := openai.NewClient(option.WithBaseURL(s.URL+"/openai/v1/"), option.WithAPIKey("example-key"))
//
// # Platforms
//
// OpenRouter, Bedrock (Converse), Vertex (Claude, rawPredict) and Azure (chat) each have
// one recorded response with a numbered id, at URL + "/openrouter", "/bedrock", "/vertex"
// and "/azure". With [Server.Transport], a program calls their official hosts, which a
// meter.Meter recognizes:
//
//	client := &http.Client{Transport: m.Transport(s.Transport())}
//	res, err := client.Post("https://bedrock-runtime.us-west-2.amazonaws.com/model/us.anthropic.claude-sonnet-4-6/converse", …)
//
// # Faults
//
// [Server.Fail] makes operations fail: with a status, late, with an invalid body, or by
// closing the connection. A Fault with Status 200 and a Body replaces a response.
// AfterEffect does nothing, because no operation changes anything. [Server.Requests]
// returns recorded requests without their keys.
//
// A fault may interrupt a stream after some events:
//
//	discoverytest.Fault{AfterEvents: 3, HangUp: true}              // the connection breaks off
//	discoverytest.Fault{AfterEvents: 3}                            // the stream ends early
//	discoverytest.Fault{AfterEvents: 3, Delay: time.Hour}          // it hangs until the client gives up
//	discoverytest.Fault{AfterEvents: 3, Delay: time.Second}        // the usage is late
//	discoverytest.Fault{AfterEvents: 3, Body: "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\"}}\n\n"}
//
// A Server may be used concurrently.
package discoverytest

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/internal/secret"
	"github.com/mesh-gateway/mesh-go/internal/testserver"
)

// Server is a running server. Start it with [New], [Start] or [Listen].
type Server struct {
	// URL is the server's address. The catalog is at URL + "/catalog", and each service
	// at URL + "/" + its name, as in "/openai", so that a wrong base URL fails at once.
	URL string

	addr     string
	keys     map[discovery.Service]secret.Secret
	pageSize int
	idPrefix string
	bare     bool
	site     *testserver.Server[Operation, Request]

	mu          sync.Mutex
	rows        []json.RawMessage // catalog rows
	facts       string
	usage       map[Operation]json.RawMessage // default usage in completions
	completions map[Operation]Completion
	completed   int
}

// TB contains the methods of testing.TB that New calls. It keeps package testing out of
// programs that use Start.
type TB interface {
	Helper()
	Cleanup(func())
}

// New starts a server that closes when the test ends.
func New(t TB, opts ...Option) *Server {
	t.Helper()
	s := Start(opts...)
	t.Cleanup(s.Close)
	return s
}

// Start starts a server outside tests. The caller must close it. If it can't listen,
// Start panics; see [Listen].
func Start(opts ...Option) *Server {
	s, err := Listen(opts...)
	if err != nil {
		panic(err)
	}
	return s
}

// Listen is like [Start], but returns an error if it can't listen, for example because
// [WithAddr]'s address is in use.
func Listen(opts ...Option) (*Server, error) {
	s := &Server{
		keys: make(map[discovery.Service]secret.Secret), rows: StandardCatalog(), facts: StandardFacts(), completions: make(map[Operation]Completion),
	}
	s.site = testserver.New(s.record)
	for _, opt := range opts {
		if opt != nil {
			opt((*config)(s))
		}
	}
	url, err := s.site.Listen(s.addr, s.handler())
	if err != nil {
		return nil, err
	}
	s.URL = url
	return s, nil
}

// Options returns options that point a client at this server, with the keys from
// [WithKeys]. To add your own options, append them.
//
// If WithKeys isn't used, the client reads keys from the environment as usual, and skips
// requests whose key isn't set. A test should then set the keys it needs, to any value:
//
//	t.Setenv("OPENAI_ADMIN_KEY", "example-key")
func (s *Server) Options() []discovery.Option {
	opts := []discovery.Option{discovery.WithCatalogURL(s.URL + "/catalog"), discovery.WithBaseURL(discovery.ServiceFacts, s.URL+"/facts")}
	for _, service := range services {
		opts = append(opts, discovery.WithBaseURL(service, s.URL+"/"+string(service)))
	}
	for service, key := range s.keys {
		if key.Reveal() != "" {
			opts = append(opts, discovery.WithKey(service, func(context.Context) (string, error) { return key.Reveal(), nil }))
		}
	}
	return opts
}

// Fail makes an operation fail. Several faults for one operation occur in the order of
// the Fail calls. Fail panics if the operation is unknown or the status is invalid.
func (s *Server) Fail(op Operation, fault Fault) { s.site.Fail(op, fault) }

// FailIf calls choose for every request that has no fault from [Server.Fail], and applies
// the returned fault. If it's nil, the usual response follows. Fault.Times is ignored.
// choose must be safe for concurrent use. A second FailIf replaces the first.
func (s *Server) FailIf(choose func(Request) *Fault) { s.site.FailIf(choose) }

// Heal removes pending faults and FailIf's function.
func (s *Server) Heal() { s.site.Heal() }

// Close stops the server, ends delayed responses and waits for requests in progress. To
// test how a program behaves without the service, close a server from [New] early.
func (s *Server) Close() { s.site.Close() }

// Format prints the address. Printing the fields would race with requests.
func (s *Server) Format(f fmt.State, _ rune) { _, _ = fmt.Fprint(f, "discovery server at ", s.URL) }

// Option configures a [Server]. Invalid arguments panic, because they are mistakes in the
// test. Nil options are ignored.
type Option func(*config)

// config keeps options from changing a running server.
type config Server

// WithAddr listens on a fixed address such as "127.0.0.1:8788", for other processes. The
// default is a free loopback port.
func WithAddr(addr string) Option { return func(s *config) { s.addr = addr } }

// WithoutRequestLog records no requests, so that a long-running server doesn't grow.
// [Server.Requests] then returns nil.
func WithoutRequestLog() Option { return func(s *config) { s.site.DisableLog() } }

// WithUniqueIDs starts the numbers in response ids with a random part, as in
// "msg_K7Q2X9ABCDEF-1", so that no two servers have the same ids.
func WithUniqueIDs() Option { return func(s *config) { s.idPrefix = rand.Text()[:12] + "-" } }

// WithCatalog replaces the catalog's rows. They must be JSON, but may be undecodable for
// clients. For a response that isn't JSON, use [Server.Fail].
func WithCatalog(rows ...json.RawMessage) Option {
	return func(s *config) { (*Server)(s).SetCatalog(rows...) }
}

// WithBareCatalog serves the catalog as a plain array.
func WithBareCatalog() Option { return func(s *config) { s.bare = true } }

// WithKeys sets the key that each service accepts. A service missing in keys accepts any
// key, and a service with the key "" accepts no key. The catalog doesn't need a key.
func WithKeys(keys map[discovery.Service]string) Option {
	return func(s *config) {
		for service, key := range keys {
			if !slices.Contains(services, service) && !slices.Contains(adminServices, service) {
				panic(fmt.Sprintf("discoverytest: WithKeys: unknown service %q", service))
			}
			s.keys[service] = secret.New(key)
		}
	}
}

// WithPageSize limits page sizes, whatever a client requests, for Anthropic, Gemini, the
// billing catalog and costs by day.
func WithPageSize(rows int) Option {
	if rows < 1 {
		panic(fmt.Sprintf("discoverytest: WithPageSize(%d): a page has at least one row", rows))
	}
	return func(s *config) { s.pageSize = rows }
}

// Fault describes how an operation fails. Fields can be combined, as in a delayed 503.
// Faults apply before keys are checked.
//
//	Times       int           // failing requests; 0 means 1, a negative number means all
//	Delay       time.Duration // time before the response; alone, the usual response follows
//	BytesPerSecond int        // rate of the usual body, as on a slow link; 0 means no limit
//	HangUp      bool          // close the connection; with Body, in the middle of the body
//	AfterEffect bool          // ignored, because requests have no effect
//	AfterEvents int           // events of a streamed completion to send first
//	Status      int           // 0 means 200
//	Header      http.Header   // the default Content-Type is text/plain
//	Body        string
//
// After AfterEvents events, HangUp breaks the connection off, Body (such as an error
// event) replaces the remaining events, and Delay delays them. If none of these is set,
// they are dropped. Status and Header are ignored. A completion that isn't streamed isn't
// changed.
//
// A Delay ends early if the client disconnects or the server closes. With HangUp and
// Body, the connection closes one byte before the announced length.
type Fault = testserver.Fault
