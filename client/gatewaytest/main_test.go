package gatewaytest_test

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
	"github.com/mesh-gateway/mesh-go/internal/test/contract"
	"github.com/mesh-gateway/mesh-go/internal/test/nettest"
)

// TestMain clears the environment, so that a developer's settings do not change the
// tests.
func TestMain(m *testing.M) {
	os.Unsetenv("MESH_GATEWAY_TOKEN")
	os.Unsetenv("MESH_GATEWAY_URL")
	os.Exit(m.Run())
}

// token is the gateways' token in these tests. It's put together at run time, so that no
// scanner reports it.
var token = strings.Join([]string{"example", "token", "of", "these", "tests"}, ".")

// document is loaded once, since checking its examples is slow.
var document = sync.OnceValues(func() (*contract.Checker, error) { return contract.New("gateway") })

// testGateway is a gateway and an HTTP client for it.
type testGateway struct {
	*gatewaytest.Gateway
	t       *testing.T
	http    *http.Client
	checker *contract.Checker
}

// start starts a gateway with token and the peers node-a and node-b.
func start(t *testing.T, opts ...gatewaytest.Option) *testGateway {
	t.Helper()
	standard := []gatewaytest.Option{gatewaytest.WithToken(token), gatewaytest.WithPeers("node-a", "node-b")}
	return startBare(t, append(standard, opts...)...)
}

func startBare(t *testing.T, opts ...gatewaytest.Option) *testGateway {
	t.Helper()
	checker, err := document()
	require.NoError(t, err)
	transport := new(http.Transport)
	t.Cleanup(transport.CloseIdleConnections)
	return &testGateway{Gateway: gatewaytest.New(t, opts...), t: t, http: &http.Client{Transport: transport}, checker: checker}
}

func decode(t *testing.T, text string) any {
	t.Helper()
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	var value any
	require.NoError(t, dec.Decode(&value), text)
	return value
}

// request returns a request with the token. An empty header value removes the header.
func (s *testGateway) request(ctx context.Context, method, path, body string, headers ...string) *http.Request {
	s.t.Helper()
	req, err := http.NewRequestWithContext(ctx, method, s.URL+path, strings.NewReader(body))
	require.NoError(s.t, err)
	req.Header.Set("Authorization", "Bearer "+token)
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(headers); i += 2 {
		if req.Header.Set(headers[i], headers[i+1]); headers[i+1] == "" {
			req.Header.Del(headers[i])
		}
	}
	return req
}

// faulty sends a request and doesn't check the response against the document.
func (s *testGateway) faulty(method, path, body string, headers ...string) (nettest.Reply, error) {
	s.t.Helper()
	return nettest.Get(s.http, s.request(s.t.Context(), method, path, body, headers...))
}

// exchange sends a request and checks the response against the document. It returns the
// document's objections to the request.
func (s *testGateway) exchange(method, path, body string, headers ...string) (nettest.Reply, error) {
	s.t.Helper()
	r, err := s.faulty(method, path, body, headers...)
	require.NoError(s.t, err)
	e := contract.Exchange{
		Request:      s.request(s.t.Context(), method, path, body, headers...),
		RequestBody:  []byte(body),
		Status:       r.Status,
		Header:       r.Header,
		ResponseBody: []byte(r.Body),
	}
	e.Request.URL.Path = strings.TrimPrefix(e.Request.URL.Path, "/gateway")
	assert.NoError(s.t, s.checker.Response(e))
	return r, s.checker.Request(e)
}

// call is exchange for a valid request.
func (s *testGateway) call(method, path, body string, headers ...string) nettest.Reply {
	s.t.Helper()
	r, err := s.exchange(method, path, body, headers...)
	assert.NoError(s.t, err)
	return r
}

// refused is exchange for a request that violates the document.
func (s *testGateway) refused(method, path, body string, headers ...string) nettest.Reply {
	s.t.Helper()
	r, err := s.exchange(method, path, body, headers...)
	assert.Error(s.t, err)
	return r
}

// inbox returns a node's messages.
func (s *testGateway) inbox(node string) []map[string]any {
	s.t.Helper()
	r := s.call("GET", "/messages?to="+node, "")
	require.Equal(s.t, 200, r.Status)
	return r.Rows(s.t, "messages")
}

// message is a request body with further fields.
func message(content string, more ...string) string {
	return `{"from_node":"node-a","to_node":"node-b","kind":"fyi","content":"` + content + `"` + strings.Join(more, "") + `}`
}

// eventually waits for a condition that depends on another goroutine.
func eventually(t *testing.T, condition func() bool) {
	t.Helper()
	require.Eventually(t, condition, time.Hour, time.Millisecond)
}
