package gatewaytest_test

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
	"github.com/mesh-gateway/mesh-go/internal/test/nettest"
)

func TestWithAddrListensOnTheAddress(t *testing.T) {
	t.Parallel()
	first := startBare(t, gatewaytest.WithAddr("127.0.0.1:0"))
	u, err := url.Parse(first.URL)
	require.NoError(t, err)
	assert.Panics(t, func() { gatewaytest.Start(gatewaytest.WithAddr(u.Host)) }, "the port is in use")
	_, err = gatewaytest.Listen(gatewaytest.WithAddr(u.Host))
	require.Error(t, err)
	// A connection that the gateway closes keeps the system from assigning its port to
	// another server in between.
	first.call("GET", "/health", "")
	first.Close()
	again := startBare(t, gatewaytest.WithAddr(u.Host))
	assert.Equal(t, first.URL, again.URL)
	assert.Equal(t, 200, again.call("GET", "/health", "").Status)
}

func TestHandlerServesTheSameGateway(t *testing.T) {
	t.Parallel()
	g := gatewaytest.New(t, gatewaytest.WithPeers("node-b"))
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	server := &httptest.Server{Listener: listener, Config: &http.Server{Handler: g.Handler()}}
	server.Start()
	t.Cleanup(server.Close)
	c, err := client.New("node-a", append(g.Options(), client.WithGatewayURL(server.URL))...)
	require.NoError(t, err)
	t.Cleanup(func() { _ = c.Close() })
	_, err = c.Send(t.Context(), client.SendRequest{To: "node-b", Kind: client.KindFYI, Content: "hello"})
	require.NoError(t, err)
	require.Len(t, g.Requests(gatewaytest.SendMessage), 1)
	assert.Equal(t, "/messages", g.Requests(gatewaytest.SendMessage)[0].Path)
}

// Not parallel: it measures the heap.
func TestWithoutRequestLogStoresNoRequest(t *testing.T) {
	g := gatewaytest.New(t, gatewaytest.WithoutRequestLog(), gatewaytest.WithPeers("node-a"))
	poll := func(n int) {
		for range n {
			r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/messages?to=node-a", strings.NewReader(strings.Repeat("x", 10_000)))
			g.Fail(gatewaytest.ListMessages, gatewaytest.Fault{Status: 503})
			g.Handler().ServeHTTP(httptest.NewRecorder(), r)
		}
	}
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	poll(100)
	before := heap()
	poll(5_000)
	assert.Less(t, heap(), before+1<<20, "5,000 requests of 10 kB, and their faults, are gone")
	assert.Nil(t, g.Requests())
}

func TestResetIsANewDatabase(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.Fail(gatewaytest.GetHealth, gatewaytest.Fault{Status: 503})
	peerToken := register(s, "node-c", `"http://c"`)
	thread := s.openThread(`{"thread_name":"builds"}`)["thread_uuid"].(string)
	first := message("first", `,"idempotency_key":"k-1","thread_id":"`+thread+`"`)
	s.call("POST", "/messages", first)
	before := len(s.Requests())

	s.Reset()
	assert.Empty(t, s.peers())
	assert.Empty(t, s.inbox("node-b"))
	assert.Empty(t, s.call("GET", "/threads", "").Rows(t, "threads"))
	assert.Equal(t, 401, s.call("GET", "/peers", "", "Authorization", "Bearer "+peerToken).Status)
	assert.Equal(t, 500, s.call("POST", "/messages", first).Status, "its thread is gone")
	second := s.call("POST", "/messages", message("second", `,"idempotency_key":"k-1"`)).Object(t)
	assert.Equal(t, json.Number("1"), second["id"])
	assert.NotEqual(t, peerToken, register(s, "node-c", `"http://c"`), "the peer gets a new token")
	assert.Greater(t, len(s.Requests()), before, "requests are kept")
	r, err := s.faulty("GET", "/health", "")
	require.NoError(t, err)
	assert.Equal(t, 503, r.Status, "faults are kept")
}

func TestNilOptionIsIgnored(t *testing.T) {
	t.Parallel()
	assert.NotEmpty(t, gatewaytest.New(t, nil).URL)
}

// statusFor sends a message to a gateway under a name, with a header, and returns the
// status.
func statusFor(t *testing.T, g *gatewaytest.Gateway, host string, header ...string) int {
	t.Helper()
	body := strings.NewReader(`{"from_node":"node-a","to_node":"node-b","kind":"question","content":"x"}`)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, g.URL+"/messages", body)
	require.NoError(t, err)
	req.Host = host
	req.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	res, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer res.Body.Close()
	_, err = io.Copy(io.Discard, res.Body)
	require.NoError(t, err)
	return res.StatusCode
}

func TestWithHosts(t *testing.T) {
	t.Parallel()
	g := gatewaytest.New(t, gatewaytest.WithPeers("node-a", "node-b"), gatewaytest.WithHosts("localhost", "127.0.0.1", "::1"), gatewaytest.WithHosts("Build.example"))
	sent := statusFor(t, g, "localhost")
	require.Less(t, sent, 300)
	for _, host := range []string{"localhost:8787", "LocalHost", "127.0.0.1:1", "127.0.0.1", "[::1]", "[::1]:8787", "build.example:80"} {
		assert.Equal(t, sent, statusFor(t, g, host), host)
	}
	for _, host := range []string{"attacker.example", "attacker.example:8787", "localhost.attacker.example", "127.0.0.1.attacker.example:8787", "x", "[::2]", "127.0.0.2"} {
		assert.Equal(t, http.StatusForbidden, statusFor(t, g, host), host)
	}
	assert.Equal(t, http.StatusForbidden, statusFor(t, g, "localhost", "Origin", "https://attacker.example"))
	assert.Equal(t, http.StatusForbidden, statusFor(t, g, "localhost", "Sec-Fetch-Site", "cross-site", "Content-Type", "text/plain"))
	assert.Equal(t, sent, statusFor(t, g, "localhost:8787", "Origin", "http://localhost:8787"))
	assert.Equal(t, sent, statusFor(t, gatewaytest.New(t, gatewaytest.WithPeers("node-a", "node-b")), "attacker.example"), "without the option every name is accepted")
}

// statuses sends n valid requests and returns their statuses.
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
			assert.Equal(t, []any{"stored"}, nettest.Column(s.inbox("node-b"), "content"))

			s.Fail(gatewaytest.SendMessage, fault)
			_, _ = s.faulty("POST", "/messages", message("stranger"), "Authorization", "")
			assert.Len(t, s.inbox("node-b"), 1, "a refused request has no effect")
		})
	}
}

// net/http repeats a GET if a reused connection closes without a response. A fault that
// happens once would then have no effect.
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
