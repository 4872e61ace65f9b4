package client_test

import (
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	mesh "github.com/mesh-gateway/mesh-go"
	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/agent"
	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
	"github.com/mesh-gateway/mesh-go/internal/test/zerovalue"
)

// closing counts CloseIdleConnections calls.
type closing struct {
	http.RoundTripper
	n int
}

func (c *closing) CloseIdleConnections() { c.n++ }

func TestCloseDoesNotTouchAnHTTPClientThatWasGiven(t *testing.T) {
	t.Parallel()
	transport := &closing{RoundTripper: http.DefaultTransport}
	c, err := client.New("node-a", client.WithGatewayURL("http://gateway"), client.WithHTTPClient(&http.Client{Transport: transport}))
	require.NoError(t, err)
	require.NoError(t, c.Close())
	assert.Zero(t, transport.n)
}

func TestNewRejectsInvalidArguments(t *testing.T) {
	t.Parallel()
	url := client.WithGatewayURL("http://127.0.0.1:1")
	for name, row := range map[string]struct {
		node  string
		opts  []client.Option
		field string
	}{
		"no node":              {"", []client.Option{url}, "node"},
		"node with line break": {"node-a\u2028", []client.Option{url}, "node"},
		"blank node":           {" \t", []client.Option{url}, "node"},
		"no URL":               {"node-a", nil, "gatewayURL"},
		"blank URL":            {"node-a", []client.Option{client.WithGatewayURL(" ")}, "gatewayURL"},
		"URL without scheme":   {"node-a", []client.Option{client.WithGatewayURL("gateway:8787")}, "gatewayURL"},
		"URL with scheme ftp":  {"node-a", []client.Option{client.WithGatewayURL("ftp://gateway")}, "gatewayURL"},
		"URL without host":     {"node-a", []client.Option{client.WithGatewayURL("http://")}, "gatewayURL"},
		"URL with only port":   {"node-a", []client.Option{client.WithGatewayURL("http://:80")}, "gatewayURL"},
		"URL with user info":   {"node-a", []client.Option{client.WithGatewayURL("http://me:hunter2@gateway")}, "gatewayURL"},
		"URL with query":       {"node-a", []client.Option{client.WithGatewayURL("http://gateway/?key=hunter2")}, "gatewayURL"},
		"URL with empty query": {"node-a", []client.Option{client.WithGatewayURL("http://gateway/?")}, "gatewayURL"},
		"URL with fragment":    {"node-a", []client.Option{client.WithGatewayURL("http://gateway/#hunter2")}, "gatewayURL"},
		"URL with blanks":      {"node-a", []client.Option{client.WithGatewayURL("http://gate way/%zz hunter2")}, "gatewayURL"},
		"token with newline":   {"node-a", []client.Option{url, client.WithToken("hunter2\nX-Evil: 1")}, "token"},
		"token with blank":     {"node-a", []client.Option{url, client.WithToken("hunter2 hunter2")}, "token"},
		"token not ASCII":      {"node-a", []client.Option{url, client.WithToken("hunter2é")}, "token"},
		"token with DEL":       {"node-a", []client.Option{url, client.WithToken("hunter2\x7f")}, "token"},
		"no timeout":           {"node-a", []client.Option{url, client.WithTimeout(0)}, "timeout"},
		"negative timeout":     {"node-a", []client.Option{url, client.WithTimeout(-time.Second)}, "timeout"},
		"negative TTL":         {"node-a", []client.Option{url, client.WithRegistryTTL(-1)}, "registryTTL"},
		"no response bytes":    {"node-a", []client.Option{url, client.WithMaxResponseBytes(0)}, "maxBytes"},
		"nil http client":      {"node-a", []client.Option{url, client.WithHTTPClient(nil)}, "httpClient"},
		"nil logger":           {"node-a", []client.Option{url, client.WithLogger(nil)}, "logger"},
		"nil scanner":          {"node-a", []client.Option{url, client.WithScanner(nil)}, "scanner"},
		"negative attempts":    {"node-a", []client.Option{url, client.WithRetry(client.RetryPolicy{MaxAttempts: -1})}, "policy"},
		"negative delay":       {"node-a", []client.Option{url, client.WithRetry(client.RetryPolicy{BaseDelay: -1})}, "policy"},
		"alias of nothing":     {"node-a", []client.Option{url, client.WithAliases(map[string]string{"": "node-b"})}, "aliases"},
		"URL with a bad port":  {"node-a", []client.Option{client.WithGatewayURL("http://gateway:99999")}, "gatewayURL"},
		"URL with port 0":      {"node-a", []client.Option{client.WithGatewayURL("http://gateway:0")}, "gatewayURL"},
		"alias to no name":     {"node-a", []client.Option{url, client.WithAliases(map[string]string{"reviewer": "Node B"})}, "aliases"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, err := client.New(row.node, row.opts...)
			assert.Nil(t, c)
			assert.Equal(t, row.field, valueError(t, err).Field)
			assert.NotContains(t, fmt.Sprintf("%v %+v %#v", err, err, err), "hunter2")
		})
	}
}

func TestMissingURLErrorNamesTheVariable(t *testing.T) {
	t.Parallel()
	_, err := client.New("node-a")
	require.ErrorContains(t, err, "WithGatewayURL")
	require.ErrorContains(t, err, "MESH_GATEWAY_URL")
}

func TestUnreadableURLErrorHasAnExample(t *testing.T) {
	t.Parallel()
	_, err := client.New("node-a", client.WithGatewayURL("127.0.0.1:8787"))
	require.ErrorContains(t, err, "http://127.0.0.1:8787/gateway")
}

func TestEnvironmentIsReadOnceAndOptionsComeFirst(t *testing.T) {
	g := gatewaytest.New(t, gatewaytest.WithToken("token-of-the-environment"))
	t.Setenv("MESH_GATEWAY_URL", " "+g.URL+"/ ")
	t.Setenv("MESH_GATEWAY_TOKEN", " token-of-the-environment\n")
	fromEnvironment := newClient(t, "node-a")
	blankOptions := newClient(t, "node-a", client.WithToken(" "), client.WithGatewayURL(""))
	fromOptions := newClient(t, "node-a", client.WithToken("token-of-the-option"))
	t.Setenv("MESH_GATEWAY_TOKEN", "changed-afterwards")
	t.Setenv("MESH_GATEWAY_URL", "http://127.0.0.1:1")

	for _, c := range []*client.MeshClient{fromEnvironment, blankOptions} {
		_, err := c.ListPeers(t.Context())
		require.NoError(t, err)
	}
	var refused *client.MeshAuthError
	_, err := fromOptions.ListPeers(t.Context())
	require.ErrorAs(t, err, &refused)
	requests := g.Requests()
	assert.Equal(t, "token-of-the-option", requests[len(requests)-1].Token.Reveal())
}

func TestInvalidTokenInTheEnvironmentIsNotShown(t *testing.T) {
	t.Setenv("MESH_GATEWAY_TOKEN", "hunter2\thunter2")
	_, err := client.New("node-a", client.WithGatewayURL("http://127.0.0.1:1"))
	assert.Equal(t, "token", valueError(t, err).Field)
	assert.NotContains(t, err.Error(), "hunter2")
}

func TestBasePathAndTrailingSlash(t *testing.T) {
	t.Parallel()
	g := gateway(t) // listens under a base path
	for _, suffix := range []string{"", "/", "//"} {
		c := newClient(t, "node-a", client.WithGatewayURL(g.URL+suffix), client.WithToken(token))
		_, err := c.ListPeers(t.Context())
		require.NoError(t, err)
	}
}

func TestEveryRequestHasTheUserAgentOfTheSDK(t *testing.T) {
	t.Parallel()
	g := gateway(t)
	c := connect(t, g, "node-a")
	g.Store("node-b", "node-a", "fyi", "for Watch to find")
	for _, call := range operations {
		_ = call(t.Context(), c)
	}
	for _, r := range g.Requests() {
		assert.Equal(t, "mesh-go/"+mesh.Version, r.Header.Get("User-Agent"), r.Operation)
		assert.Equal(t, token, r.Token.Reveal(), r.Operation)
	}
}

func TestInvalidOwnNameIsLoggedAndAccepted(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		node   string
		opts   []client.Option
		logged bool
	}{
		{"node-a", nil, false},
		{"Node_A", nil, true},
		{"a", nil, true},
		{"a-", nil, true},
		{long("a", 65), nil, true},
		{long("a", 64), nil, false},
		{"Node_A", []client.Option{client.WithoutSelfNameValidation()}, false},
		{"me", nil, false},
		{"Reviewer", []client.Option{client.WithAliases(map[string]string{"Reviewer": "node-b"})}, false},
	} {
		var log strings.Builder
		opts := append([]client.Option{
			client.WithGatewayURL("http://127.0.0.1:1"), client.WithLogger(slog.New(slog.NewTextHandler(&log, nil))),
		}, row.opts...)
		c := newClient(t, row.node, opts...)
		assert.Equal(t, row.logged, strings.Contains(log.String(), "level=WARN"), row.node)
		assert.NotEmpty(t, c.Node())
	}
	assert.Equal(t, "node-b", newClient(t, "reviewer", client.WithGatewayURL("http://h"), client.WithAliases(map[string]string{"reviewer": "node-b"})).Node())
}

func TestGivenHTTPClientIsCopied(t *testing.T) {
	t.Parallel()
	followed := false
	mine := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { followed = true; return nil }}
	server := httptest.NewServer(http.RedirectHandler("/elsewhere", http.StatusFound))
	defer server.Close()
	c := newClient(t, "node-a", client.WithGatewayURL(server.URL), client.WithHTTPClient(mine))
	_, err := c.ListPeers(t.Context())
	assert.Equal(t, 302, gatewayError(t, err).StatusCode)
	assert.False(t, followed)
	assert.NotNil(t, mine.CheckRedirect)
}

func TestEveryCallOfAClosedClientFails(t *testing.T) {
	t.Parallel()
	g := gateway(t)
	synctest.Test(t, func(t *testing.T) {
		c := connect(t, g, "node-a")
		require.NoError(t, c.Close())
		require.NoError(t, c.Close())
		for operation, call := range operations {
			err := call(t.Context(), c)
			require.ErrorIs(t, err, net.ErrClosed, operation)
			gatewayError(t, err)
		}
	})
	assert.Empty(t, g.Requests())
}

func TestPrintedClientShowsNoToken(t *testing.T) {
	t.Parallel()
	c := newClient(t, "node-a", client.WithGatewayURL("http://gateway:8787/base/"), client.WithToken(token))
	hidden := struct{ c *client.MeshClient }{c}
	var log strings.Builder
	logger := slog.New(slog.NewJSONHandler(&log, nil))
	logger.Info("made", "client", c, "hidden", hidden)
	slog.New(slog.NewTextHandler(&log, nil)).Info("made", "client", c)
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x"} {
		fmt.Fprintf(&log, verb+verb, c, hidden)
	}
	assert.NotContains(t, log.String(), token)
	assert.NotContains(t, log.String(), fmt.Sprintf("%x", token))
	assert.Equal(t, "mesh client node-a at http://gateway:8787/base", fmt.Sprint(c))
	assert.Contains(t, log.String(), "mesh client node-a")
}

func TestNilContextsAndZeroClientsAreValueErrors(t *testing.T) {
	t.Parallel()
	for operation, call := range operations {
		if operation != "Watch" { // whose test returns ctx.Err()
			assert.Equal(t, "ctx", valueError(t, call(nil, answering(t, 200, "", ""))).Field, operation)
		}
		require.ErrorContains(t, call(t.Context(), new(client.MeshClient)), "client.New", operation)
	}
	for _, err := range agent.Watch(nil, answering(t, 200, "", ""), agent.WatchOptions{}) { //nolint:staticcheck // a nil context is tested
		assert.Equal(t, "ctx", valueError(t, err).Field)
	}
	for _, c := range []*client.MeshClient{nil, {}} {
		zerovalue.Check(t, c, "Close")
	}
	require.NoError(t, new(client.MeshClient).Close())
	require.NoError(t, (*client.MeshClient)(nil).Close())
}
