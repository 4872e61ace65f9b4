// Package discoverytest provides a local server with the APIs of the model catalog and of all five providers: models, prices,
// balance, bills and completions. It is for tests of programs that use package discovery, and for demonstrations.
//
//	s := discoverytest.New(t)
//	t.Setenv("ANTHROPIC_API_KEY", "example-key")
//	s.Fail(discoverytest.ListCatalog, discoverytest.Fault{Status: 503, Times: -1})
//	c, err := discovery.New(s.Options()...)
//	models, err := c.ListModels(ctx, discovery.CatalogOptions{})
//	// The catalog is down, so these are Anthropic's; s.Requests(discoverytest.ListAnthropicModels) holds what arrived.
//
// It responds as the providers do: the catalog has an ETag and returns 304; the lists of Anthropic, Gemini, OpenAI's costs and
// the billing catalog have pages; a missing or wrong key gets the error of the provider. Requests of the official SDKs are
// accepted too. A request that the service's document forbids is refused, also where the provider would accept it, as Google
// does a pageSize of 0. By default any key is accepted; [WithKeys] sets the accepted keys, and [Server.Options] passes them to the
// client. [WithCatalog] and [Server.SetCatalog] replace the 109 rows of the catalog.
// [Server.SetPrices] replaces the price table of [discovery.Client.UpdatePrices].
//
// # Completions
//
// The server responds to requests for completions, streamed or not, in OpenAI's chat and responses APIs, Anthropic's Messages
// API and Gemini's generateContent. DeepSeek and xAI have OpenAI's two APIs, Gemini its chat API. [Server.SetCompletion] sets
// the text and the usage. Ids count the completions of the server: "chatcmpl-1", "msg_2". The base URLs for official SDKs are
// URL + "/openai/v1/", "/anthropic/", "/gemini/", "/gemini/v1beta/openai/", "/deepseek/" and "/xai/v1/".
//
//	s.SetCompletion(discoverytest.CreateOpenAIChat, discoverytest.Completion{
//		Usage: json.RawMessage(`{"prompt_tokens":1200,"completion_tokens":7,"total_tokens":1207}`),
//	})
//	client := openai.NewClient(option.WithBaseURL(s.URL+"/openai/v1/"), option.WithAPIKey("example-key"))
//
// # Platforms
//
// OpenRouter, Bedrock (Converse), Vertex (Claude, rawPredict) and Azure (chat) have one recorded response each, at URL + "/openrouter",
// "/bedrock", "/vertex" and "/azure". With [Server.Transport] a program calls their official hosts, which a meter.Meter knows:
//
//	client := &http.Client{Transport: m.Transport(s.Transport())}
//	res, err := client.Post("https://bedrock-runtime.us-west-2.amazonaws.com/model/us.anthropic.claude-sonnet-4-6/converse", …)
//
// # Streams
//
// Faults interrupt a stream after some of its events:
//
//	discoverytest.Fault{AfterEvents: 3, HangUp: true}              // the connection breaks off
//	discoverytest.Fault{AfterEvents: 3}                            // the stream ends early
//	discoverytest.Fault{AfterEvents: 3, Delay: time.Hour}          // it hangs until the client gives up
//	discoverytest.Fault{AfterEvents: 3, Delay: time.Second}        // the usage is late
//	discoverytest.Fault{AfterEvents: 3, Body: "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\"}}\n\n"}
//
// # Faults
//
// [Server.Fail] makes operations fail: with a status, late, by closing the connection, with an invalid body. A Fault with a
// Status of 200 and a Body replaces a response. The dates in the lists of models are from November 2026. No operation
// changes anything, so AfterEffect has no effect. [Server.Requests] returns the requests that arrived, without keys.
//
// A Server is safe for concurrent use.
package discoverytest

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/internal/secret"
	"github.com/mesh-gateway/mesh-go/internal/testserver"
)

// Server is a running server.
type Server struct {
	// URL is the address of the server. The catalog is at URL + "/catalog", and each service at URL + "/" + its name, as in
	// "/openai", so that a wrong base URL fails at once.
	URL string

	addr     string
	keys     map[discovery.Service]secret.Secret
	pageSize int
	bare     bool
	site     *testserver.Server[Operation, Request]

	mu          sync.Mutex
	rows        []json.RawMessage             // of the catalog
	prices      string                        // the price table
	usage       map[Operation]json.RawMessage // the standard usage of completions
	completions map[Operation]Completion
	completed   int
}

// TB is the part of testing.TB that New needs. Programs that use Start do not link package testing.
type TB interface {
	Helper()
	Cleanup(func())
}

// New starts a server and closes it when the test ends.
func New(t TB, opts ...Option) *Server {
	t.Helper()
	s := Start(opts...)
	t.Cleanup(s.Close)
	return s
}

// Start starts a server outside of a test; the caller closes it. It panics if it cannot listen; see [Listen].
func Start(opts ...Option) *Server {
	s, err := Listen(opts...)
	if err != nil {
		panic(err)
	}
	return s
}

// Listen is Start with an error if the server cannot listen at the address of [WithAddr].
func Listen(opts ...Option) (*Server, error) {
	s := &Server{
		keys: make(map[discovery.Service]secret.Secret), rows: StandardCatalog(), prices: StandardPrices(), completions: make(map[Operation]Completion),
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

// Options returns options that point a client at this server, with the keys of [WithKeys]. Without them the client reads its keys from
// the environment as always, and requests nothing that needs a key which is not set. So a test sets those that it needs, to any text:
//
//	t.Setenv("OPENAI_ADMIN_KEY", "example-key")
//
// Append your own options.
func (s *Server) Options() []discovery.Option {
	opts := []discovery.Option{discovery.WithCatalogURL(s.URL + "/catalog"), discovery.WithBaseURL(discovery.ServicePrices, s.URL+"/prices")}
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

// Fail makes an operation fail. Faults of one operation happen in the order of the calls. It panics if the operation is
// unknown.
func (s *Server) Fail(op Operation, fault Fault) { s.site.Fail(op, fault) }

// FailIf calls choose for every request that has no fault of [Server.Fail], and applies the fault that it returns; nil means
// the usual response. Fault.Times is ignored. choose must be safe for concurrent use. A second FailIf replaces the first.
func (s *Server) FailIf(choose func(Request) *Fault) { s.site.FailIf(choose) }

// Heal removes the faults that have not happened yet, and the function of FailIf.
func (s *Server) Heal() { s.site.Heal() }

// Close stops the server, ends delayed responses and waits for requests in progress. A test may close a server of [New] early,
// to see how a program behaves when the service is gone.
func (s *Server) Close() { s.site.Close() }

// Format prints the address. Printing the fields would race with requests in progress.
func (s *Server) Format(f fmt.State, _ rune) { _, _ = fmt.Fprint(f, "discovery server at ", s.URL) }

// Option configures a Server. An invalid argument panics: it is a mistake in the test. A nil Option is ignored.
type Option func(*config)

// config is a server that is being made, so that no option can change a running one.
type config Server

// WithAddr listens on a fixed address such as "127.0.0.1:8788", so that other processes know it. The default is a free port
// of the loopback interface.
func WithAddr(addr string) Option { return func(s *config) { s.addr = addr } }

// WithoutRequestLog keeps no requests: [Server.Requests] returns nil. The memory of a long-running server then does not grow.
func WithoutRequestLog() Option { return func(s *config) { s.site.DisableLog() } }

// WithCatalog replaces the rows of the catalog. Each must be JSON, but need not be a row that a client can decode. For a
// response that is not JSON, use [Server.Fail].
func WithCatalog(rows ...json.RawMessage) Option {
	return func(s *config) { (*Server)(s).SetCatalog(rows...) }
}

// WithBareCatalog serves the catalog as an array without an envelope.
func WithBareCatalog() Option { return func(s *config) { s.bare = true } }

// WithKeys sets the key that each service accepts. A service that is not in keys accepts any key; one whose key is ""
// accepts none. The catalog needs no key.
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

// WithPageSize limits the rows of a page, whatever a client requests, for Anthropic, Gemini, the billing catalog and the days of costs.
func WithPageSize(rows int) Option {
	if rows < 1 {
		panic(fmt.Sprintf("discoverytest: WithPageSize(%d): a page has at least one row", rows))
	}
	return func(s *config) { s.pageSize = rows }
}

// Fault describes how an operation fails. The fields combine, as in a delayed 503.
//
//	Times       int           // number of requests that fail; 0 means 1, a negative number means all from now on
//	Delay       time.Duration // time before the response; without other fields the usual response follows
//	BytesPerSecond int        // rate of the body of the usual response, as on a slow link; 0 means no limit
//	HangUp      bool          // close the connection instead of responding; with Body, in the middle of the body
//	AfterEffect bool          // ignored, because no request has an effect
//	AfterEvents int           // let so many events of a streamed completion pass first
//	Status      int           // status of the response; 0 means 200
//	Header      http.Header   // header of the response; the default Content-Type is text/plain
//	Body        string        // body of the response
//
// After AfterEvents events, HangUp breaks the connection off, Body takes the place of the other events, as in an error event,
// and a Delay delays them; a Fault with AfterEvents alone leaves them out. Status and Header are then ignored, and so is the
// whole Fault if the completion is not streamed.
//
// A Delay ends early when the client disconnects or the server closes. With HangUp and Body, the connection closes after the
// status, the header and Body, one byte before the announced length. A fault applies before the key is checked.
type Fault = testserver.Fault
