package agent_test

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
	"github.com/mesh-gateway/mesh-go/internal/test/methods"
	"github.com/mesh-gateway/mesh-go/internal/test/nettest"
)

// TestMain unsets the variables that the client reads, so that the tests do not depend on
// the environment.
func TestMain(m *testing.M) {
	os.Unsetenv("MESH_GATEWAY_TOKEN")
	os.Unsetenv("MESH_GATEWAY_URL")
	debug.SetGCPercent(400) // a small heap is collected too often
	os.Exit(m.Run())
}

// exampleGateway returns an in-memory gateway with node-a and node-b.
func exampleGateway() *gatewaytest.Gateway {
	return gatewaytest.Start(gatewaytest.WithToken("example-token"), gatewaytest.WithPeers("node-a", "node-b"))
}

// token is the test gateways' token. It's long enough to be scanned for and matches no
// other rule.
const token = "example.token.of.the.tests"

// gateway is an in-memory gateway with three peers.
func gateway(t *testing.T, opts ...gatewaytest.Option) *gatewaytest.Gateway {
	t.Helper()
	standard := []gatewaytest.Option{gatewaytest.WithToken(token), gatewaytest.WithPeers("node-a", "node-b", "node-c")}
	return gatewaytest.New(t, append(standard, opts...)...)
}

// connect returns a node's client for g.
func connect(t *testing.T, g *gatewaytest.Gateway, node string, opts ...client.Option) *client.MeshClient {
	t.Helper()
	return newClient(t, node, append(g.Options(), opts...)...)
}

func newClient(t *testing.T, node string, opts ...client.Option) *client.MeshClient {
	t.Helper()
	c, err := client.New(node, opts...)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, c.Close()) })
	return c
}

// answering returns a client for node-a whose server gives every request the same
// response.
func answering(t *testing.T, status int, contentType, body string, opts ...client.Option) *client.MeshClient {
	t.Helper()
	return servingInMemory(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}, opts...)
}

// servingInMemory is serving without a network, for tests in virtual time.
func servingInMemory(t *testing.T, handler http.HandlerFunc, opts ...client.Option) *client.MeshClient {
	t.Helper()
	own := []client.Option{client.WithGatewayURL("http://gateway.test"), client.WithToken(token), client.WithHTTPClient(&http.Client{Transport: nettest.Pipe(t, handler)})}
	return newClient(t, "node-a", append(own, opts...)...)
}

// threadID is the thread that GetThread reads.
const threadID = methods.ThreadID

func hello(to string) client.SendRequest {
	return client.SendRequest{To: to, Kind: client.KindFYI, Content: "hello"}
}

// gatewayError requires that err is a *MeshGatewayError and returns it.
func gatewayError(t *testing.T, err error) *client.MeshGatewayError {
	t.Helper()
	var failed *client.MeshGatewayError
	require.ErrorAs(t, err, &failed)
	require.ErrorIs(t, err, client.ErrMesh)
	return failed
}

// valueError requires that err is a *ValueError and returns it.
func valueError(t *testing.T, err error) *client.ValueError {
	t.Helper()
	var invalid *client.ValueError
	require.ErrorAs(t, err, &invalid)
	require.ErrorIs(t, err, client.ErrMesh)
	return invalid
}

// quiet discards the log.
func quiet() client.Option { return client.WithLogger(slog.New(slog.DiscardHandler)) }

// long returns n copies of s.
func long(s string, n int) string { return strings.Repeat(s, n) }

const receipt = `{"id":1,"from_node":"node-a","to_node":"node-b","kind":"fyi","created_at":"2026-11-21T08:28:39+00:00"}`

// inProcess returns a client for node-a whose requests go to handler without a network,
// for tests in virtual time.
func inProcess(t *testing.T, handler http.HandlerFunc, opts ...client.Option) *client.MeshClient {
	t.Helper()
	return newClient(t, "node-a", append([]client.Option{
		client.WithGatewayURL("http://gateway"), client.WithToken(token), client.WithHTTPClient(&http.Client{Transport: nettest.Call(handler)}),
	}, opts...)...)
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

// shown formats an error in every way that a program may print it.
func shown(err error) string {
	var out strings.Builder
	logger := slog.New(slog.NewJSONHandler(&out, nil))
	for e := err; e != nil; e = errors.Unwrap(e) {
		fmt.Fprintf(&out, "%v %+v %#v %s %q\n", e, e, e, e, e)
		logger.Error("failed", "error", e)
	}
	var failed *client.MeshGatewayError
	if errors.As(err, &failed) {
		fmt.Fprintf(&out, "%+v %#v %s", *failed, *failed, failed.Body)
	}
	return out.String()
}

// checkSpread requires that the values are random between low and high, and use that
// range.
func checkSpread(t *testing.T, low, high time.Duration, values []time.Duration) {
	t.Helper()
	least, most := slices.Min(values), slices.Max(values)
	assert.GreaterOrEqual(t, least, low)
	assert.LessOrEqual(t, most, high)
	assert.Greater(t, most-least, (high-low)/2, "the values are spread")
}

func status(code int, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(code)
	}
}

func networkDown(http.ResponseWriter, *http.Request) { panic(errNetwork) }

var errNetwork = errors.New("the network is down")

// goodRow and goodPeer are rows that can be decoded.
func goodRow(id int) string {
	return fmt.Sprintf(`{"id":%d,"from_node":"node-b","to_node":"node-a","kind":"fyi","content":"a < b, [\"}","created_at":"2026-11-21","x":{"<":[1]}}`, id)
}

func goodPeer(name string) string {
	return fmt.Sprintf(`{"name":%q,"capabilities":{"a":[1,{}]}}`, name)
}

// invalidInbox returns a valid message, read after the first poll, between two invalid
// ones.
func invalidInbox(marked *[]string) http.HandlerFunc {
	var mu sync.Mutex // a mark is sent while the next poll runs
	return func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if r.Method == http.MethodPost {
			*marked = append(*marked, r.URL.Path)
			_, _ = w.Write([]byte("{}"))
			return
		}
		rows := []string{`{"id":9,"from_node":"node-b","content":["canary"]}`}
		if len(*marked) == 0 {
			rows = append(rows, goodRow(8))
		}
		_, _ = w.Write([]byte("[" + strings.Join(append(rows, `{"id":7,"content":"canary","created_at":7}`), ",") + "]"))
	}
}

// key has the shape of an API key. It is put together at run time, so that no scanner
// reports this file.
var key = "sk-ant-" + long("example-", 4)

func ids(rows []client.MeshMessage) []int64 {
	all := []int64{}
	for _, m := range rows {
		all = append(all, m.ID)
	}
	return all
}
