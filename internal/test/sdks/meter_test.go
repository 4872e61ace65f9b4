package sdks_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/anthropics/anthropic-sdk-go"
	anthropicoption "github.com/anthropics/anthropic-sdk-go/option"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"
	"google.golang.org/genai"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/discoverytest"
	"github.com/mesh-gateway/mesh-go/discovery/meter"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// metered is a meter with its records.
type metered struct {
	*meter.Meter
	mu      sync.Mutex
	records []calls.Record
}

// newMeter returns a meter that treats the server as p's.
func newMeter(t *testing.T, s *discoverytest.Server, p models.Provider, opts ...meter.Option) *metered {
	t.Helper()
	m := &metered{}
	opts = append(opts, meter.WithEndpoint(meter.Endpoint{Host: strings.TrimPrefix(s.URL, "http://"), API: p}), meter.WithRecorder(m.save))
	var err error
	m.Meter, err = meter.New(opts...)
	check(t, err)
	return m
}

func (m *metered) save(r calls.Record) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.records = append(m.records, r)
}

// record returns the newest of n records.
func (m *metered) record(t *testing.T, n int) calls.Record {
	t.Helper()
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.records) != n {
		t.Fatalf("%d records, want %d", len(m.records), n)
	}
	return m.records[n-1]
}

// priced checks that the newest of n records has a cost, and the tokens that the SDK
// reads.
func (m *metered) priced(t *testing.T, n int, model string) {
	t.Helper()
	r := m.record(t, n)
	if r.Incomplete || r.USD == "" || r.Unpriced != "" || r.Model != model || r.Labels["test"] != t.Name() {
		t.Errorf("record %d is %+v", n, r)
	}
	u, err := prices.ParseUsage(r.Provider, r.Usage)
	check(t, err)
	same(t, "cached", u.CacheRead, 1000)
	same(t, "output", u.Output, 7)
}

func labeled(t *testing.T) context.Context {
	t.Helper()
	return meter.WithLabel(t.Context(), "test", t.Name())
}

func compatibleClient(s *discoverytest.Server, path string, service discovery.Service, m *metered) openai.Client {
	return openai.NewClient(option.WithBaseURL(s.URL+path), option.WithAPIKey(keyOf(service)), option.WithHTTPClient(m.Client()))
}

func chatParams(model string) openai.ChatCompletionNewParams {
	return openai.ChatCompletionNewParams{Model: model, Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("Hello?")}}
}

func TestMeterWithOpenAI(t *testing.T) {
	t.Parallel()
	const deepSeek = `"prompt_cache_hit_tokens":1000,"prompt_cache_miss_tokens":200,`
	usages := map[discovery.Service]string{
		discovery.ServiceOpenAI: chatUsage, discovery.ServiceXAI: chatUsage, discovery.ServiceGemini: chatUsage,
		discovery.ServiceDeepSeek: strings.Replace(chatUsage, "{", "{"+deepSeek, 1),
	}
	ids := []string{"gpt-4o", "deepseek-v4-flash", "grok-4.3", "gemini-3-flash-preview"}
	for i, provider := range compatible {
		t.Run(string(provider.service), func(t *testing.T) {
			t.Parallel()
			s := start(t)
			set(s, provider.chat, usages[provider.service])
			m := newMeter(t, s, models.Provider(provider.service), meter.WithStreamUsage())
			client, model := compatibleClient(s, provider.path, provider.service, m), ids[i]
			params := chatParams(model)
			_, err := client.Chat.Completions.New(labeled(t), params)
			check(t, err)
			m.priced(t, 1, model)
			if provider.service == discovery.ServiceGemini { // it sends a stream's usage only on request
				params.StreamOptions.IncludeUsage = openai.Bool(true)
			}
			stream := client.Chat.Completions.NewStreaming(labeled(t), params)
			for stream.Next() {
			}
			check(t, stream.Err())
			m.priced(t, 2, model)
			if provider.responses == "" {
				return
			}
			set(s, provider.responses, responsesUsage)
			asked := responses.ResponseNewParams{Model: model, Input: responses.ResponseNewParamsInputUnion{OfString: openai.String("Hello?")}}
			_, err = client.Responses.New(labeled(t), asked)
			check(t, err)
			m.priced(t, 3, model)
			events := client.Responses.NewStreaming(labeled(t), asked)
			for events.Next() {
			}
			check(t, events.Err())
			m.priced(t, 4, model)
		})
	}
}

// Unless asked, OpenAI sends no usage in a chat stream.
func TestMeterWithoutStreamUsage(t *testing.T) {
	t.Parallel()
	s := start(t)
	m := newMeter(t, s, models.OpenAI)
	client := compatibleClient(s, "/openai/v1/", discovery.ServiceOpenAI, m)
	stream := client.Chat.Completions.NewStreaming(t.Context(), chatParams("gpt-4o"))
	for stream.Next() {
	}
	check(t, stream.Err())
	if r := m.record(t, 1); r.USD != "" || !strings.Contains(r.Unpriced, "include_usage") {
		t.Errorf("the record is %+v", r)
	}
}

func meteredMessages(s *discoverytest.Server, m *metered) (anthropic.MessageService, anthropic.MessageNewParams) {
	client := anthropic.NewClient(anthropicoption.WithBaseURL(s.URL+"/anthropic"), anthropicoption.WithAPIKey(keyOf(discovery.ServiceAnthropic)),
		anthropicoption.WithHTTPClient(m.Client()))
	return client.Messages, anthropic.MessageNewParams{
		Model: "claude-sonnet-5", MaxTokens: 100, Messages: []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock("Hello?"))},
	}
}

func TestMeterWithAnthropic(t *testing.T) {
	t.Parallel()
	s := start(t)
	set(s, discoverytest.CreateAnthropicMessage, messagesUsage)
	m := newMeter(t, s, models.Anthropic)
	service, params := meteredMessages(s, m)
	_, err := service.New(labeled(t), params)
	check(t, err)
	m.priced(t, 1, "claude-sonnet-5")
	stream := service.NewStreaming(labeled(t), params)
	for stream.Next() {
	}
	check(t, stream.Err())
	m.priced(t, 2, "claude-sonnet-5")
}

func meteredGemini(t *testing.T, s *discoverytest.Server, m *metered) *genai.Client {
	t.Helper()
	client, err := genai.NewClient(t.Context(), &genai.ClientConfig{
		APIKey: keyOf(discovery.ServiceGemini), Backend: genai.BackendGeminiAPI, HTTPClient: m.Client(),
		HTTPOptions: genai.HTTPOptions{BaseURL: s.URL + "/gemini/"},
	})
	check(t, err)
	return client
}

func TestMeterWithGemini(t *testing.T) {
	t.Parallel()
	s := start(t)
	set(s, discoverytest.GenerateGeminiContent, contentUsage)
	m := newMeter(t, s, models.Gemini)
	client, model := meteredGemini(t, s, m), "gemini-3-flash-preview"
	_, err := client.Models.GenerateContent(labeled(t), model, genai.Text("Hello?"), nil)
	check(t, err)
	m.priced(t, 1, model)
	for _, err := range client.Models.GenerateContentStream(labeled(t), model, genai.Text("Hello?"), nil) {
		check(t, err)
	}
	m.priced(t, 2, model)
}

// attempts counts an SDK's requests.
type attempts struct {
	mu   sync.Mutex
	n    int
	next http.RoundTripper
}

func (a *attempts) RoundTrip(req *http.Request) (*http.Response, error) {
	a.mu.Lock()
	a.n++
	a.mu.Unlock()
	return a.next.RoundTrip(req)
}

// A refused call isn't sent and isn't retried, and its error is a *meter.BudgetError.
func TestBudgetsWithOfficialSDKs(t *testing.T) {
	t.Parallel()
	s := start(t)
	calls := map[models.Provider]func(*metered, *http.Client) error{
		models.OpenAI: func(_ *metered, c *http.Client) error {
			client := openai.NewClient(option.WithBaseURL(s.URL+"/openai/v1/"), option.WithAPIKey("k"), option.WithHTTPClient(c))
			_, err := client.Chat.Completions.New(t.Context(), chatParams("gpt-4o"))
			return err
		},
		models.Anthropic: func(m *metered, c *http.Client) error {
			service, params := meteredMessages(s, m)
			_, err := service.New(t.Context(), params, anthropicoption.WithHTTPClient(c))
			return err
		},
		models.Gemini: func(_ *metered, c *http.Client) error {
			client, err := genai.NewClient(t.Context(), &genai.ClientConfig{
				APIKey: "k", Backend: genai.BackendGeminiAPI, HTTPClient: c, HTTPOptions: genai.HTTPOptions{BaseURL: s.URL + "/gemini/"},
			})
			check(t, err)
			_, err = client.Models.GenerateContent(t.Context(), "gemini-3-flash-preview", genai.Text("Hello?"), nil)
			return err
		},
	}
	for p, call := range calls {
		m := newMeter(t, s, p, meter.WithBudget(meter.Budget{USD: "0"}))
		tried := &attempts{next: m.Transport(refuse{t})}
		err := call(m, &http.Client{Transport: tried})
		var refused *meter.BudgetError
		if !errors.As(err, &refused) {
			t.Errorf("%s: the error is %v", p, err)
		}
		same(t, string(p)+": attempts", tried.n, 1)
		same(t, string(p)+": calls", m.Spent(), meter.Spent{USD: "0", AtLeastUSD: "0"})
	}
}

// refuse is the base transport for calls that must not be sent.
type refuse struct{ t *testing.T }

func (r refuse) RoundTrip(*http.Request) (*http.Response, error) {
	r.t.Error("a refused call was sent")
	return nil, io.EOF
}
