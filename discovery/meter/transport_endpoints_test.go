package meter_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery/meter"
)

func TestFreeEndpointsAndUnknownHostsAreNotCounted(t *testing.T) {
	t.Parallel()
	url, m, records := metered(t, answer(chatAnswer))
	for _, path := range []string{"/v1/moderations", "/v1/responses/input_tokens", "/v1/files", "/v1/messages/count_tokens"} {
		postAll(t, m, url+path, chat)
	}
	res, err := m.Client().Get(url + "/v1/models")
	require.NoError(t, err)
	res.Body.Close()
	other := httptest.NewServer(answer(chatAnswer))
	t.Cleanup(other.Close)
	_, text := postAll(t, m, other.URL+"/v1/chat/completions", chat)
	assert.Equal(t, chatAnswer, text)
	assert.Empty(t, records.all())
	assert.Equal(t, meter.Spent{USD: "0", AtLeastUSD: "0", Ignored: 1}, m.Spent())
}

func TestEndpointsWithoutCountsAreUnpriced(t *testing.T) {
	t.Parallel()
	url, m, records := metered(t, answer(`{"id":"x"}`))
	paths := []string{"/v1/audio/speech", "/v1/images/generations", "/v1/batches", "/v1/realtime/calls", "/v1/videos"}
	for _, path := range paths {
		postAll(t, m, url+path, `{"model":"some-model"}`)
	}
	require.Len(t, records.all(), len(paths))
	for i, r := range records.all() {
		assert.Empty(t, r.USD, paths[i])
		assert.NotEmpty(t, r.Unpriced, paths[i])
		assert.Equal(t, "some-model", r.Model, paths[i])
		assert.True(t, r.Incomplete, paths[i])
	}
	assert.Equal(t, len(paths), m.Spent().Unpriced)
}

// On an unknown path, the response decides whether the request was a call. Until then
// PerCall is set aside.
func TestUnknownPathsAreCallsIfTheResponseIsOfAModel(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		status       int
		header, body string
		calls        int
		spent        string
	}{
		"nothing":      {200, "application/json", `{"accepted":3}`, 0, "0"},
		"no JSON":      {200, "text/html", "<html>", 0, "0"},
		"empty":        {204, "", "", 0, "0"},
		"an error":     {404, "application/json", `{"error":{"message":"not found"}}`, 0, "0"},
		"a model":      {200, "application/json", `{"model":"gpt-4o"}`, 1, "0.5"},
		"counts":       {200, "application/json", chatAnswer, 1, "0.0075"},
		"wrong counts": {200, "application/json", `{"usage":{"prompt_tokens":-1}}`, 1, "0.5"},
	} {
		var m *meter.Meter
		url, m, records := metered(t, func(w http.ResponseWriter, _ *http.Request) {
			assert.EqualValues(t, "0.5", m.Budgets()[0].ReservedUSD, name)
			w.Header().Set("Content-Type", c.header)
			w.WriteHeader(c.status)
			_, _ = io.WriteString(w, c.body)
		}, meter.WithBudget(meter.Budget{USD: "1", PerCall: "0.5"}))
		postAll(t, m, url+"/v1/new/endpoint", `{"model":"some-model"}`)
		assert.Len(t, records.all(), c.calls, name)
		assert.EqualValues(t, c.spent, m.Budgets()[0].SpentUSD, name)
		assert.EqualValues(t, "0", m.Budgets()[0].ReservedUSD, name)
	}
}

// These requests accompany an agent's calls. The api.anthropic.com paths were recorded
// from Claude Code 2.1.197; the other hosts' paths are typical, but not recorded.
func TestTheSideTrafficOfAgentsIsNoCall(t *testing.T) {
	t.Parallel()
	m, err := meter.New(meter.WithBudget(meter.Budget{USD: "0.9", PerCall: "0.5"}))
	require.NoError(t, err)
	client := answering(m, `{"accepted":3}`)
	for range 3 {
		for _, url := range []string{
			"api.anthropic.com/api/eval/sdk-zAZezfDKGoZuXXKe", "api.anthropic.com/api/event_logging/v2/batch", "api.anthropic.com/v1/messages/count_tokens?beta=true",
			"chatgpt.com/backend-api/codex/analytics-events/events", "api.openai.com/v1/responses/input_tokens",
			"generativelanguage.googleapis.com/v1beta/models/gemini-3-flash-preview:countTokens",
		} {
			res, err := post(t.Context(), client, "https://"+url, "{}")
			require.NoError(t, err)
			readAll(t, res)
		}
	}
	assert.Equal(t, meter.Spent{USD: "0", AtLeastUSD: "0"}, m.Spent())
	assert.EqualValues(t, "0", m.Budgets()[0].SpentUSD)
	res, err := post(t.Context(), client, "https://api.anthropic.com/v1/messages", "{}")
	require.NoError(t, err)
	readAll(t, res)
	assert.EqualValues(t, "0.5", m.Budgets()[0].SpentUSD, "a call fails closed")
}

func TestWebSocketsAreUnpriced(t *testing.T) {
	t.Parallel()
	records := &recorder{}
	m, err := meter.New(meter.WithRecorder(records.record))
	require.NoError(t, err)
	base := m.Transport(roundTripper(func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: http.StatusSwitchingProtocols, Header: http.Header{}, Body: http.NoBody}, nil
	}))
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://api.openai.com/v1/realtime?model=gpt-realtime", http.NoBody)
	require.NoError(t, err)
	req.Header.Set("Connection", "Upgrade")
	req.Header.Set("Upgrade", "websocket")
	res, err := base.RoundTrip(req)
	require.NoError(t, err)
	assert.Equal(t, http.NoBody, res.Body, "the connection stays as it is")
	require.Len(t, records.all(), 1)
	assert.Contains(t, records.all()[0].Unpriced, "WebSocket")
}
