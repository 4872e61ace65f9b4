package gatewaytest_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
	"github.com/mesh-gateway/mesh-go/internal/test/reply"
)

// statuses sends n valid requests and returns the status of each answer.
func (s *testGateway) statuses(n int, op gatewaytest.Operation) []int {
	s.t.Helper()
	var all []int
	for range n {
		r, err := s.faulty(validRequests[op][0], validRequests[op][1], validRequests[op][2])
		require.NoError(s.t, err)
		all = append(all, r.Status)
	}
	return all
}

func TestFaultDeterminesTheResponse(t *testing.T) {
	t.Parallel()
	const plain = "text/plain; charset=utf-8"
	for name, test := range map[string]struct {
		fault       gatewaytest.Fault
		status      int
		contentType string
		header      string // the value of Retry-After
	}{
		"status":                      {gatewaytest.Fault{Status: 503}, 503, plain, ""},
		"garbage with 200":            {gatewaytest.Fault{Body: "<html>"}, 200, plain, ""},
		"empty body with 200":         {gatewaytest.Fault{}, 200, plain, ""},
		"header":                      {gatewaytest.Fault{Status: 429, Header: http.Header{"Retry-After": {"7"}}}, 429, plain, "7"},
		"content type":                {gatewaytest.Fault{Header: http.Header{"Content-Type": {"text/html"}}}, 200, "text/html", ""},
		"names in any case":           {gatewaytest.Fault{Header: http.Header{"content-type": {"text/html"}, "retry-after": {"8"}}}, 200, "text/html", "8"},
		"large body":                  {gatewaytest.Fault{Status: 500, Body: strings.Repeat("x", 1<<20)}, 500, plain, ""},
		"redirect without a location": {gatewaytest.Fault{Status: 302}, 302, plain, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t)
			s.Fail(gatewaytest.ListPeers, test.fault)
			r, err := s.faulty("GET", "/peers", "")
			require.NoError(t, err)
			assert.Equal(t, test.status, r.Status)
			assert.Equal(t, []string{test.contentType}, r.Header["Content-Type"])
			assert.Equal(t, test.header, r.Header.Get("Retry-After"))
			assert.Equal(t, test.fault.Body, r.Body)
			assert.Len(t, s.peers(), 2, "once by default")
		})
	}
}

func TestFaultsHappenInOrder(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.Fail(gatewaytest.ListPeers, gatewaytest.Fault{Status: 500})
	s.Fail(gatewaytest.ListPeers, gatewaytest.Fault{Status: 502, Times: 1})
	s.Fail(gatewaytest.ListPeers, gatewaytest.Fault{Status: 503, Times: 2})
	assert.Equal(t, []int{500, 502, 503, 503, 200, 200}, s.statuses(6, gatewaytest.ListPeers))

	s.Fail(gatewaytest.ListPeers, gatewaytest.Fault{Status: 504})
	s.Fail(gatewaytest.ListPeers, gatewaytest.Fault{Status: 429, Times: -1})
	s.Fail(gatewaytest.ListPeers, gatewaytest.Fault{Status: 500}) // never reached
	assert.Equal(t, []int{504, 429, 429, 429, 429}, s.statuses(5, gatewaytest.ListPeers))
	s.Heal()
	assert.Equal(t, []int{200, 200}, s.statuses(2, gatewaytest.ListPeers))
}

func TestFaultAffectsOneOperation(t *testing.T) {
	t.Parallel()
	for op := range validRequests {
		s := start(t, gatewaytest.WithThreads("t-1"))
		s.Store("node-a", "node-b", "fyi", "to be marked")
		s.Fail(op, gatewaytest.Fault{Status: 503, Times: -1})
		for other := range validRequests {
			want := 200
			if other == op {
				want = 503
			}
			assert.Equal(t, []int{want}, s.statuses(1, other), "%s while %s fails", other, op)
		}
	}
}

func TestFaultOfUnknownOperationPanics(t *testing.T) {
	t.Parallel()
	s := start(t)
	assert.Panics(t, func() { s.Fail("sendMessages", gatewaytest.Fault{Status: 503}) })
	for op := range validRequests {
		assert.NotPanics(t, func() { s.Fail(op, gatewaytest.Fault{Status: 503}) })
	}
}

func TestFaultComesBeforeAuthentication(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.Fail(gatewaytest.ListPeers, gatewaytest.Fault{Status: 502})
	r, err := s.faulty("GET", "/peers", "", "Authorization", "")
	require.NoError(t, err)
	assert.Equal(t, 502, r.Status)
}

func TestFaultPreventsTheEffectUnlessAfterEffect(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]gatewaytest.Fault{
		"status":              {Status: 500},
		"hang-up":             {HangUp: true},
		"hang-up in the body": {HangUp: true, Body: "{"},
		"late":                {Delay: 1, Status: 500},
		"late hang-up":        {Delay: 1, HangUp: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t)
			s.Fail(gatewaytest.SendMessage, fault)
			_, _ = s.faulty("POST", "/messages", message("lost"))
			assert.Empty(t, s.inbox("node-b"))

			fault.AfterEffect = true
			s.Fail(gatewaytest.SendMessage, fault)
			r, _ := s.faulty("POST", "/messages", message("stored"))
			assert.NotContains(t, r.Body, "created_at", "the answer is lost")
			assert.Equal(t, []any{"stored"}, reply.Column(s.inbox("node-b"), "content"))

			s.Fail(gatewaytest.SendMessage, fault)
			_, _ = s.faulty("POST", "/messages", message("stranger"), "Authorization", "")
			assert.Len(t, s.inbox("node-b"), 1, "a refused request has no effect")
		})
	}
}

// net/http sends a GET again on its own when a connection that was used before closes without an answer. A fault that happens
// once would then have no effect.
func TestHangUpOnAReusedConnectionIsAnError(t *testing.T) {
	t.Parallel()
	s := start(t)
	assert.Len(t, s.peers(), 2)
	s.Fail(gatewaytest.ListPeers, gatewaytest.Fault{HangUp: true})
	_, err := s.faulty("GET", "/peers", "")
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	assert.Len(t, s.Requests(gatewaytest.ListPeers), 2)
	assert.Len(t, s.peers(), 2)
}

func TestHangUpInTheBodyKeepsTheBeginning(t *testing.T) {
	t.Parallel()
	for _, body := range []string{`{"peers":[`, strings.Repeat("x", 100_000)} {
		s := start(t)
		s.Fail(gatewaytest.ListPeers, gatewaytest.Fault{HangUp: true, Body: body, Status: 206, Header: http.Header{"Retry-After": {"7"}}})
		r, err := s.faulty("GET", "/peers", "")
		require.ErrorIs(t, err, io.ErrUnexpectedEOF)
		assert.Equal(t, 206, r.Status)
		assert.Equal(t, "7", r.Header.Get("Retry-After"))
		assert.Equal(t, body, r.Body)
	}
}
