package meter_test

import (
	"bytes"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/meter"
	"github.com/mesh-gateway/mesh-go/discovery/models"
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
	m, err := meter.New(meter.WithHost("Proxy.internal", models.XAI), meter.WithHost("127.0.0.1:80", models.Gemini),
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
	assert.Equal(t, 3, strings.Count(log.String(), "the cost of a call is not known"))
	assert.Equal(t, 1, strings.Count(log.String(), "model=gpt-none-2024-08-06 reason="))
	assert.NotContains(t, log.String(), key)
	require.NoError(t, m.Restore(sequence(calls.Record{Provider: models.OpenAI, Model: "gpt-restored", Unpriced: "x"})))
	assert.NotContains(t, log.String(), "gpt-restored")
}
