package discoverytest_test

import (
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery/discoverytest"
	"github.com/mesh-gateway/mesh-go/internal/test/reply"
)

// status sends a good request and returns the status of its answer, 0 when there was none.
func (s *testServer) status(op discoverytest.Operation) int {
	r, _ := reply.Get(s.http, s.request(s.t.Context(), op, ""))
	return r.Status
}

func TestFaultAffectsOneOperation(t *testing.T) {
	t.Parallel()
	for op := range endpoints {
		s := start(t)
		s.Fail(op, discoverytest.Fault{Status: 503, Times: 2})
		s.Fail(op, discoverytest.Fault{HangUp: true})
		s.Fail(op, discoverytest.Fault{Status: 429, Times: -1})
		for other := range endpoints {
			if other != op {
				assert.Equal(t, 200, s.status(other), "%s while %s fails", other, op)
			}
		}
		assert.Equal(t, []int{503, 503, 0, 429, 429}, []int{s.status(op), s.status(op), s.status(op), s.status(op), s.status(op)})
		s.Heal()
		assert.Equal(t, 200, s.status(op))
	}
}

func TestFaultOfUnknownOperationPanics(t *testing.T) {
	t.Parallel()
	s := start(t)
	assert.Panics(t, func() { s.Fail("openai.listModel", discoverytest.Fault{Status: 503}) })
	for _, op := range []discoverytest.Operation{discoverytest.GetDeepSeekBalance, discoverytest.ListOpenAICosts, discoverytest.ListAnthropicCosts, discoverytest.ListAnthropicUsage, discoverytest.GetXAIUsage} {
		assert.NotPanics(t, func() { s.Fail(op, discoverytest.Fault{Status: 503}) }, op)
	}
	for op := range endpoints {
		assert.NotPanics(t, func() { s.Fail(op, discoverytest.Fault{Status: 503}) }, op)
	}
}

func TestFaultDeterminesTheResponse(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.Fail(gemini, discoverytest.Fault{Status: 429, Header: http.Header{"Retry-After": {"7"}}, Body: "slow down"})
	r, err := reply.Get(s.http, s.request(t.Context(), gemini, "", "X-Goog-Api-Key", ""))
	require.NoError(t, err)
	assert.Equal(t, 429, r.Status, "before the key is looked at")
	assert.Equal(t, "7", r.Header.Get("Retry-After"))
	assert.Equal(t, "slow down", r.Body)

	s.Fail(gemini, discoverytest.Fault{HangUp: true, Body: `{"models":[`})
	r, err = reply.Get(s.http, s.request(t.Context(), gemini, ""))
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	assert.Equal(t, `{"models":[`, r.Body)

	s.Fail(gemini, discoverytest.Fault{Status: 500, AfterEffect: true})
	assert.Equal(t, 500, s.status(gemini), "there is no effect, and no difference")
}

func TestDelayAloneKeepsTheUsualResponse(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.Fail(catalog, discoverytest.Fault{Delay: 20 * time.Millisecond})
	begin := time.Now()
	assert.Equal(t, 200, s.call(catalog, "").Status)
	assert.GreaterOrEqual(t, time.Since(begin), 20*time.Millisecond)
}
