package gatewaytest_test

import (
	"encoding/json"
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
)

func TestWithAddrListensOnTheAddress(t *testing.T) {
	t.Parallel()
	first := startBare(t, gatewaytest.WithAddr("127.0.0.1:0"))
	u, err := url.Parse(first.URL)
	require.NoError(t, err)
	assert.Panics(t, func() { gatewaytest.Start(gatewaytest.WithAddr(u.Host)) }, "the port is in use")
	_, err = gatewaytest.Listen(gatewaytest.WithAddr(u.Host))
	require.Error(t, err)
	// A connection that the gateway closes keeps the system from assigning its port to another server in between.
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
