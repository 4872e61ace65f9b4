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

// postTo sends a request and returns the status and the body, which ends with a BudgetError if it is refused.
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
	assert.EqualValues(t, "0.2", m.Budgets()[0].Spent)
	assert.Equal(t, meter.Spent{USD: "0", AtLeastUSD: "0", Ignored: 24}, m.Spent())
}

// Without PerCall there is nothing that such a call could cost.
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
