package meter_test

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/agent"
	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/facts"
	"github.com/mesh-gateway/mesh-go/discovery/meter"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/internal/test/newfacts"
	"github.com/mesh-gateway/mesh-go/internal/test/zerovalue"
)

func TestMethodsOfAZeroMeter(t *testing.T) {
	t.Parallel()
	for _, m := range []*meter.Meter{nil, {}} {
		zerovalue.Check(t, m)
		assert.Equal(t, meter.Spent{USD: "0", AtLeastUSD: "0"}, m.Spent())
		res, err := post(t.Context(), m.Client(), openAIChat, chat)
		if !assert.Error(t, err) {
			res.Body.Close()
		}
		var wrong *meter.ValueError
		require.ErrorAs(t, err, &wrong)
		assert.Equal(t, "Meter", wrong.Field)
	}
	m, err := meter.New()
	require.NoError(t, err)
	var wrong *meter.ValueError
	require.ErrorAs(t, m.Restore(nil), &wrong)
}

func TestHostsOfProviders(t *testing.T) {
	t.Parallel()
	var got models.Provider
	m, err := meter.New(meter.WithEndpoint(meter.Endpoint{Host: "Proxy.internal", API: models.XAI}), meter.WithEndpoint(meter.Endpoint{Host: "127.0.0.1:80", API: models.Gemini}),
		meter.WithRecorder(func(r calls.Record) { got = r.Provider }))
	require.NoError(t, err)
	base := m.Transport(roundTripper(func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(chatAnswer))}, nil
	}))
	for host, want := range map[string]models.Provider{
		"api.openai.com": "openai", "API.OpenAI.com": "openai", "api.openai.com:443": "openai", "eu.api.openai.com": "openai",
		"api.anthropic.com": "anthropic", "api.deepseek.com": "deepseek", "api.x.ai": "xai",
		"generativelanguage.googleapis.com": "gemini", "proxy.internal:8443": "xai", "PROXY.internal": "xai", "127.0.0.1:80": "gemini",
		"127.0.0.1:81": "", "openai.com": "", "api.openai.com.example.org": "",
	} {
		got = ""
		res, err := post(t.Context(), &http.Client{Transport: base}, "http://"+host+"/v1/chat/completions", chat)
		require.NoError(t, err)
		_, _ = io.ReadAll(res.Body)
		res.Body.Close()
		assert.Equal(t, want, got, host)
	}
	assert.Equal(t, 3, m.Spent().Ignored)
}

func TestUnpricedCallsAreLoggedOnceForEachModel(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	m, err := meter.New(meter.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
	require.NoError(t, err)
	key := "sk-" + strings.Repeat("0", 40)
	for _, model := range []string{"gpt-none", "gpt-4o", "gpt-none", "gpt-other", key} {
		res, err := post(t.Context(), answering(m, strings.ReplaceAll(chatAnswer, "gpt-4o", model)), openAIChat, chat)
		require.NoError(t, err)
		_, _ = io.ReadAll(res.Body)
		res.Body.Close()
	}
	assert.Equal(t, 4, m.Spent().Unpriced)
	assert.Equal(t, 3, strings.Count(log.String(), "unknown cost for a call"))
	assert.Equal(t, 1, strings.Count(log.String(), "model=gpt-none-2024-08-06 reason="))
	assert.NotContains(t, log.String(), key)
	require.NoError(t, m.Restore(sequence(calls.Record{Provider: models.OpenAI, Model: "gpt-restored", Unpriced: "x"})))
	assert.NotContains(t, log.String(), "gpt-restored")
}

func TestNilOptionIsIgnored(t *testing.T) {
	t.Parallel()
	_, err := meter.New(nil, meter.WithStreamUsage(), nil)
	require.NoError(t, err)
}

func TestWrongOptions(t *testing.T) {
	t.Parallel()
	const password = "a-password"
	for name, opt := range map[string]meter.Option{
		"no host":     meter.WithEndpoint(meter.Endpoint{Host: "", API: models.OpenAI}),
		"a URL":       meter.WithEndpoint(meter.Endpoint{Host: "https://api.openai.com", API: models.OpenAI}),
		"a password":  meter.WithEndpoint(meter.Endpoint{Host: "https://me:" + password + "@host", API: models.OpenAI}),
		"a path":      meter.WithEndpoint(meter.Endpoint{Host: "host/v1", API: models.OpenAI}),
		"a provider":  meter.WithEndpoint(meter.Endpoint{Host: "host", API: "none"}),
		"no recorder": meter.WithRecorder(nil),
		"no logger":   meter.WithLogger(nil),
	} {
		m, err := meter.New(opt)
		var wrong *discovery.ValueError
		assert.ErrorAs(t, err, &wrong, name)
		assert.Nil(t, m, name)
		assert.NotContains(t, err.Error(), password)
	}
}

// In a handler from package client, calls get the conversation's name as a label. A label
// with the same name replaces it.
func TestAConversationIsALabel(t *testing.T) {
	t.Parallel()
	provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"id":"c1","model":"gpt-5.2","usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}}`)
	}))
	defer provider.Close()
	records := make(chan calls.Record, 3)
	m, err := meter.New(meter.WithEndpoint(meter.Endpoint{Host: strings.TrimPrefix(provider.URL, "http://"), API: models.OpenAI}), meter.WithRecorder(func(r calls.Record) { records <- r }))
	require.NoError(t, err)
	g := gatewaytest.New(t, gatewaytest.WithPeers("node-a", "node-b"))
	a, err := client.New("node-a", g.Options()...)
	require.NoError(t, err)
	defer a.Close()
	b, err := client.New("node-b", g.Options()...)
	require.NoError(t, err)
	defer b.Close()
	ctx, stop := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() {
		served <- agent.Answer(ctx, b, func(ctx context.Context, q client.MeshMessage) (string, error) {
			if q.GetContent() == "own" {
				ctx = meter.WithLabel(ctx, "thread", "own")
			}
			req, _ := http.NewRequestWithContext(ctx, http.MethodPost, provider.URL+"/v1/chat/completions", strings.NewReader(`{"model":"gpt-5.2"}`))
			resp, err := m.Client().Do(req)
			if err != nil {
				return "", err
			}
			defer resp.Body.Close()
			_, err = io.Copy(io.Discard, resp.Body)
			return "Yes.", err
		}, agent.AnswerOptions{ServeOptions: agent.ServeOptions{Interval: 100 * time.Millisecond}})
	}()
	thread, err := a.OpenThread(t.Context(), "build")
	require.NoError(t, err)
	for _, row := range []struct{ text, thread, label string }{{"named", thread.ID, "build"}, {"own", thread.ID, "own"}, {"single", "", ""}} {
		_, err := agent.Ask(t.Context(), a, client.SendRequest{To: "node-b", Content: row.text, ThreadID: row.thread})
		require.NoError(t, err)
		assert.Equal(t, row.label, (<-records).Labels["thread"], row.text)
	}
	stop()
	require.NoError(t, <-served)
}

// A record truncates a long label, and another program still finds the right budget.
func TestACallWithALongLabelCountsTowardsTheBudgetsOfOthers(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("name ", 1<<20)
	dir := t.TempDir()
	budget := meter.WithBudget(meter.Budget{USD: "0.001", Label: "thread"})
	for i, want := range []bool{false, true} {
		log := openLog(t, dir)
		url, m, _ := metered(t, answer(chatAnswer), budget, meter.WithRecorder(log.Record))
		require.NoError(t, m.Follow(ended(), log))
		refused := refusal(meter.WithLabel(t.Context(), "thread", long), t, m.Client(), url+"/v1/chat/completions", chat)
		assert.Equal(t, want, refused != nil, i)
		require.NoError(t, log.Err())
	}
}

func TestHostProvider(t *testing.T) {
	t.Parallel()
	for host, want := range map[string]models.Provider{
		"api.openai.com": models.OpenAI, "EU.api.openai.com:443": models.OpenAI, "api.anthropic.com.": models.Anthropic,
		"chatgpt.com:443": models.OpenAI, "generativelanguage.googleapis.com:443": models.Gemini, "api.deepseek.com": models.DeepSeek, "us-east-1.api.x.ai": models.XAI,
	} {
		p, ok := meter.HostProvider(host)
		assert.True(t, ok, host)
		assert.Equal(t, want, p, host)
	}
	for _, host := range []string{"", "openai.com", "api.openai.com.example.com", "xapi.openai.com", "[::1]:443", "127.0.0.1", "https://api.openai.com"} {
		_, ok := meter.HostProvider(host)
		assert.False(t, ok, host)
	}
}

func TestWithFacts(t *testing.T) {
	t.Parallel()
	f, err := facts.ReadFS(newfacts.Tomorrow())
	require.NoError(t, err)
	const million = `{"id":"1","model":"gpt-99","choices":[],"usage":{"prompt_tokens":1000000,"completion_tokens":0,"total_tokens":1000000}}`
	url, m, records := metered(t, answer(million), meter.WithFacts(f))
	sendWith(t, m, url+"/v1/chat/completions", "", "")
	require.Len(t, records.all(), 1)
	assert.EqualValues(t, "1", records.all()[0].USD)
	_, err = meter.New(meter.WithFacts(nil))
	var value *meter.ValueError
	require.ErrorAs(t, err, &value)
}
