package meter_test

import (
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
	paths := []string{"/v1/audio/speech", "/v1/images/generations", "/v1/batches", "/v1/realtime/calls", "/v1/videos", "/v1/new/endpoint"}
	for _, path := range paths {
		postAll(t, m, url+path, `{"model":"some-model"}`)
	}
	require.Len(t, records.all(), len(paths))
	for i, r := range records.all() {
		assert.Empty(t, r.USD, paths[i])
		assert.NotEmpty(t, r.Unpriced, paths[i])
		assert.Equal(t, "some-model", r.Model, paths[i])
		assert.False(t, r.Complete, paths[i])
	}
	assert.Equal(t, len(paths), m.Spent().Unpriced)
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
