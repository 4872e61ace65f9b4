package meter_test

import (
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/meter"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// login is a Claude Code login token.
const login = "sk-ant-oat01-" + "abcdefghijklmnopqrstuvwx0123456789ABCDEF-token"

func sendWith(t *testing.T, m *meter.Meter, url, host, authorization string) int {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(chat))
	require.NoError(t, err)
	req.Host = host
	req.Header.Set("Authorization", authorization)
	res, err := m.Client().Do(req)
	require.NoError(t, err)
	_, _ = io.Copy(io.Discard, res.Body)
	require.NoError(t, res.Body.Close())
	return res.StatusCode
}

func TestBillingOfRecords(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ authorization, host, path, want string }{
		"login":         {"Bearer " + login, "", "/v1/messages", "subscription"},
		"other case":    {"bearer  " + login, "", "/v1/messages", "subscription"},
		"key":           {"Bearer sk-ant-api03-key", "", "/v1/messages", ""},
		"key of OpenAI": {"Bearer sk-proj-key", "", "/v1/chat/completions", ""},
		"another word":  {"Basic " + login, "", "/v1/messages", ""},
		"no header":     {"", "", "/v1/messages", ""},
		"ChatGPT":       {"Bearer eyJhbGciOiJ", "chatgpt.com", "/backend-api/codex/responses", "subscription"},
		"its port":      {"Bearer eyJhbGciOiJ", "ChatGPT.com:443", "/backend-api/codex/responses", "subscription"},
		"another path":  {"Bearer eyJhbGciOiJ", "chatgpt.com", "/v1/responses", ""},
		"another host":  {"Bearer eyJhbGciOiJ", "chatgpt.com.example.com", "/backend-api/codex/responses", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url, m, records := metered(t, answer(chatAnswer))
			assert.Equal(t, http.StatusOK, sendWith(t, m, url+test.path, test.host, test.authorization))
			require.Len(t, records.all(), 1)
			r := records.all()[0]
			assert.Equal(t, test.want, r.Billing)
			text, err := json.Marshal(r)
			require.NoError(t, err)
			assert.NotContains(t, string(text), "abcdefghijklm")
			assert.NotContains(t, string(text), "eyJ")
		})
	}
}

// The Meter knows ChatGPT and counts Codex calls there. Other paths belong to the
// website.
func TestChatGPTIsKnown(t *testing.T) {
	t.Parallel()
	records := &recorder{}
	m, err := meter.New(meter.WithRecorder(records.record))
	require.NoError(t, err)
	transport := m.Transport(roundTripper(func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(chatAnswer))}, nil
	}))
	for _, path := range []string{"/backend-api/codex/responses", "/backend-api/conversation", "/backend-api/wham/tasks", "/responses", "/api/messages"} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "https://chatgpt.com"+path, strings.NewReader(chat))
		require.NoError(t, err)
		res, err := transport.RoundTrip(req)
		require.NoError(t, err)
		_, _ = io.Copy(io.Discard, res.Body)
		require.NoError(t, res.Body.Close())
	}
	require.Len(t, records.all(), 1)
	r := records.all()[0]
	assert.Equal(t, []string{"openai", "gpt-4o-2024-08-06", "subscription", chatUSD}, []string{string(r.Provider), r.Model, r.Billing, string(r.USD)})
}

// Budgets count subscription calls, unless told not to.
func TestBudgetsOfSubscriptions(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		opts   []meter.Option
		status []int // for two calls with a login and two with a key
		spent  string
	}{
		"counted":      {nil, []int{200, 200, 402, 402}, "0.015"},
		"charges only": {[]meter.Option{meter.WithChargesOnly()}, []int{200, 200, 200, 200}, "0.015"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url, m, records := metered(t, answer(chatAnswer), append(test.opts, meter.WithBudget(meter.Budget{USD: "0.015", PerCall: "0.0001"}))...)
			var status []int
			for _, token := range []string{login, login, "key", "key"} {
				status = append(status, sendWith(t, m, url+"/v1/chat/completions", "", "Bearer "+token))
			}
			assert.Equal(t, test.status, status)
			assert.EqualValues(t, test.spent, m.Budgets()[0].SpentUSD)
			// The same after a restart.
			again, err := meter.New(append(test.opts, meter.WithBudget(meter.Budget{USD: "0.015"}), meter.WithLogger(slog.New(slog.DiscardHandler)))...)
			require.NoError(t, err)
			require.NoError(t, again.Restore(func(yield func(calls.Record, error) bool) {
				for _, r := range records.all() {
					if !yield(r, nil) {
						return
					}
				}
			}))
			assert.EqualValues(t, test.spent, again.Budgets()[0].SpentUSD)
		})
	}
}

// In Spent, a login's calls have a list price, too.
func TestSpentHasListPrices(t *testing.T) {
	t.Parallel()
	url, m, records := metered(t, answer(chatAnswer), meter.WithPrices(prices.BuiltIn()))
	sendWith(t, m, url+"/v1/chat/completions", "", "Bearer "+login)
	assert.EqualValues(t, chatUSD, m.Spent().USD)
	assert.True(t, slices.ContainsFunc(records.all(), func(r calls.Record) bool { return r.USD == chatUSD }))
}
