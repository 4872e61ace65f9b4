package meter_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/meter"
)

func TestHostsOfProviders(t *testing.T) {
	t.Parallel()
	var got discovery.Provider
	m, err := meter.New(nil, meter.WithHost("Proxy.internal", discovery.XAI), meter.WithHost("127.0.0.1:80", discovery.Gemini),
		meter.WithRecorder(func(r meter.Record) { got = r.Provider }))
	require.NoError(t, err)
	base := m.Transport(roundTripper(func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(chatAnswer))}, nil
	}))
	for host, want := range map[string]discovery.Provider{
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
