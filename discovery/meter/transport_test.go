package meter_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/meter"
	"github.com/mesh-gateway/mesh-go/discovery/models"
)

const (
	chatAnswer = `{"id":"chatcmpl-1","model":"gpt-4o-2024-08-06","choices":[{"finish_reason":"stop","message":{"content":"hello"}}],
		"usage":{"prompt_tokens":1000,"completion_tokens":500,"total_tokens":1500}}`
	chatUSD = "0.0075" // at 2.50 and 10 USD per million tokens
	chat    = `{"model":"gpt-4o","messages":[{"role":"user","content":"hi"}]}`
)

type recorder struct {
	mu      sync.Mutex
	records []calls.Record
}

func (r *recorder) record(record calls.Record) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.records = append(r.records, record)
}

func (r *recorder) all() []calls.Record {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.records
}

// metered starts a server, and a meter that takes it for OpenAI.
func metered(t testing.TB, handler http.HandlerFunc, opts ...meter.Option) (url string, m *meter.Meter, records *recorder) {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	records = &recorder{}
	opts = append([]meter.Option{
		meter.WithEndpoint(meter.Endpoint{Host: strings.TrimPrefix(server.URL, "http://"), API: models.OpenAI}), meter.WithRecorder(records.record),
		meter.WithLogger(slog.New(slog.DiscardHandler)),
	}, opts...)
	m, err := meter.New(opts...)
	require.NoError(t, err)
	return server.URL, m, records
}

func answer(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, body)
	}
}

func post(ctx context.Context, client *http.Client, url, body string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer sk-secret")
	return client.Do(req)
}

func postAll(t testing.TB, m *meter.Meter, url, body string) (status int, text string) {
	t.Helper()
	res, err := post(t.Context(), m.Client(), url, body)
	require.NoError(t, err)
	defer res.Body.Close()
	all, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	return res.StatusCode, string(all)
}

func TestACallIsCounted(t *testing.T) {
	t.Parallel()
	url, m, records := metered(t, answer(chatAnswer))
	ctx := meter.WithLabel(meter.WithLabel(t.Context(), "user", "ann"), "job", "7")
	res, err := post(ctx, m.Client(), url+"/v1/chat/completions?key=secret", chat)
	require.NoError(t, err)
	_, err = io.ReadAll(res.Body)
	require.NoError(t, err)
	require.Len(t, records.all(), 1, "before Close")
	require.NoError(t, res.Body.Close())
	require.Len(t, records.all(), 1)
	r := records.all()[0]
	assert.WithinDuration(t, time.Now(), r.Time, time.Minute)
	assert.Positive(t, r.Duration)
	r.Time, r.Duration = time.Time{}, 0
	assert.NotEmpty(t, r.SourceKey)
	assert.Equal(t, calls.Record{
		ID: "chatcmpl-1", Provider: models.OpenAI, Model: "gpt-4o-2024-08-06", Requested: "gpt-4o",
		Usage:  []byte(`{"prompt_tokens":1000,"completion_tokens":500,"total_tokens":1500}`),
		Labels: map[string]string{"user": "ann", "job": "7"}, Path: "/v1/chat/completions", Status: 200,
		USD: chatUSD, SourceKey: r.SourceKey,
	}, r)
	assert.Equal(t, meter.Spent{USD: chatUSD, AtLeastUSD: chatUSD, Calls: 1}, m.Spent())
}

func TestErrorsOfTheNetwork(t *testing.T) {
	t.Parallel()
	url, m, records := metered(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		conn, _, err := http.NewResponseController(w).Hijack()
		if err == nil {
			conn.Close()
		}
	})
	_, err := post(t.Context(), m.Client(), url+"/v1/chat/completions", chat)
	require.Error(t, err)
	require.Len(t, records.all(), 1, "sent, but not answered")
	assert.Equal(t, "gpt-4o", records.all()[0].Model)
	assert.NotEmpty(t, records.all()[0].Unpriced)

	refuses := httptest.NewServer(nil)
	refuses.Close()
	m, err = meter.New(meter.WithEndpoint(meter.Endpoint{Host: "127.0.0.1", API: models.OpenAI}), meter.WithRecorder(records.record))
	require.NoError(t, err)
	_, err = post(t.Context(), m.Client(), refuses.URL+"/v1/chat/completions", chat)
	require.Error(t, err)
	assert.Len(t, records.all(), 1, "nothing was written")
	assert.Equal(t, meter.Spent{USD: "0", AtLeastUSD: "0"}, m.Spent())
}

func TestErrorsOfTheBaseTransport(t *testing.T) {
	t.Parallel()
	failed := errors.New("failed")
	records := &recorder{}
	m, err := meter.New(meter.WithRecorder(records.record))
	require.NoError(t, err)
	for _, reads := range []bool{false, true} {
		base := roundTripper(func(req *http.Request) (*http.Response, error) {
			if reads {
				_, _ = io.ReadAll(req.Body)
			}
			return nil, failed
		})
		_, err := post(t.Context(), &http.Client{Transport: m.Transport(base)}, "https://api.openai.com/v1/responses", chat)
		assert.ErrorIs(t, err, failed)
	}
	assert.Len(t, records.all(), 1, "only the request whose body was read may have been sent")
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

// postTo sends a chat and returns the status and body. A refused call's body read fails
// with a BudgetError.
func postTo(t *testing.T, m *meter.Meter, url string) (status int, text string) {
	t.Helper()
	res, err := post(t.Context(), m.Client(), url, chat)
	require.NoError(t, err)
	defer res.Body.Close()
	body, _ := io.ReadAll(res.Body)
	return res.StatusCode, string(body)
}

func TestCallsToUnknownHostsCostPerCall(t *testing.T) {
	t.Parallel()
	sent := map[string]int{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sent[r.URL.Path]++
		if r.URL.Path == "/down/v1/responses" {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		_, _ = io.WriteString(w, chatAnswer)
	}))
	defer s.Close()
	m, err := meter.New(meter.WithBudget(meter.Budget{USD: "0.2", PerCall: "0.05"}))
	require.NoError(t, err)
	for _, path := range []string{"/v1/chat/completions", "/v1/messages", "/v1beta/models/x:streamGenerateContent", "/v1/responses"} {
		for _, free := range []string{"/down/v1/responses", "/oauth/token", "/v1/messages/count_tokens", "/v1/files"} {
			_, text := postTo(t, m, s.URL+free)
			assert.Equal(t, chatAnswer, text, free)
		}
		status, _ := postTo(t, m, s.URL+path)
		assert.Equal(t, http.StatusOK, status, path)
	}
	for path, form := range map[string]string{
		"/v1/chat/completions": `"budget_exceeded"`, "/v1/messages": `"billing_error"`, "/v1beta/models/x:streamGenerateContent": `"RESOURCE_EXHAUSTED"`,
	} {
		status, text := postTo(t, m, s.URL+path)
		assert.Equal(t, http.StatusPaymentRequired, status, path)
		assert.Contains(t, text, form)
		assert.Equal(t, 1, sent[path])
	}
	status, _ := postTo(t, m, s.URL+"/oauth/token")
	assert.Equal(t, http.StatusOK, status, "not a call")
	assert.EqualValues(t, "0.2", m.Budgets()[0].SpentUSD)
	assert.Equal(t, meter.Spent{USD: "0", AtLeastUSD: "0", Ignored: 24}, m.Spent())
}

// Without PerCall, there's nothing that such a call could cost.
func TestCallsToUnknownHostsAreNotLimitedWithoutPerCall(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(answer(chatAnswer))
	defer s.Close()
	m, err := meter.New(meter.WithBudget(meter.Budget{USD: "0"}))
	require.NoError(t, err)
	status, _ := postTo(t, m, s.URL+"/v1/chat/completions")
	assert.Equal(t, http.StatusOK, status)
	assert.Equal(t, meter.Spent{USD: "0", AtLeastUSD: "0", Ignored: 1}, m.Spent())
}
