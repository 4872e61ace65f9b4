package client_test

import (
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
	"github.com/mesh-gateway/mesh-go/internal/test/contract"
)

// These tests compare the client's traffic with specs/gateway.yaml.

// Every request from package client and every response conforms to specs/gateway.yaml.
func TestRequestsAndResponsesConformToTheDocument(t *testing.T) {
	t.Parallel()
	for name, opts := range map[string][]gatewaytest.Option{"today": nil, "bare arrays": {gatewaytest.WithBareArrays()}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			checker, err := contract.New("gateway")
			require.NoError(t, err)
			g := gateway(t, append(opts, gatewaytest.WithThreads("thread-1"))...)
			synctest.Test(t, func(t *testing.T) {
				checked := &http.Client{Transport: checker.Transport(piped(t, g), "/gateway", func(err error) { t.Error(err) })}
				callEveryOperation(t, connect(t, g, "node-a", client.WithHTTPClient(checked), client.WithRetry(client.RetryPolicy{BaseDelay: 1})), g)
			})
			// ListPeers lists enabled peers, which can receive messages; GetPeer also
			// finds disabled ones.
			assert.Equal(t, []string{"listPeers?enabled_only"}, checker.Unexercised(),
				"a method has to send each operation, and its options each parameter, unless the client never does")
		})
	}
}

// callEveryOperation uses every operation with every option, and provokes every error
// response.
func callEveryOperation(t *testing.T, c *client.MeshClient, g *gatewaytest.Gateway) {
	t.Helper()
	ctx := t.Context()
	g.Store("node-b", "node-a", "fyi", "hello")
	for _, call := range operations {
		require.NoError(t, ignoringStatus(call(ctx, c)))
	}
	for _, req := range []client.RegisterRequest{{}, {URL: "http://a", Capabilities: map[string]any{}}, {URL: "http://a", Capabilities: map[string]any{"n": 1}}} {
		_, err := c.Register(ctx, req)
		require.NoError(t, ignoringStatus(err))
	}
	for _, opts := range []client.FetchOptions{{ToNode: "node-b"}, {UnreadOnly: true}, {Limit: 1}, {Limit: 1000},
		{FromNode: "node-b", Kind: client.KindFYI, ThreadID: "thread-1", Since: "2026-11-21T07:54:15+00:00"}} {
		_, err := c.Fetch(ctx, opts)
		require.NoError(t, err)
	}
	for _, kind := range []client.Kind{client.KindFYI, client.KindQuestion, client.KindAnswer, client.KindStatus, client.KindUnblock} {
		_, err := c.Send(ctx, client.SendRequest{
			To: "node-b", Kind: kind, Content: "x", RelatedTaskID: "42", ThreadID: "thread-1", IdempotencyKey: string(kind),
		})
		require.NoError(t, err)
	}
	for _, req := range []client.SendRequest{
		{RelatedTaskID: "task-1"}, {ThreadID: "unknown"}, {IdempotencyKey: "fyi"}, {Content: long("é", 200_000)},
	} {
		req.To, req.Kind = "node-b", client.KindFYI
		if req.Content == "" {
			req.Content = "another"
		}
		_, err := c.Send(ctx, req)
		require.NoError(t, ignoringStatus(err))
	}
}

// ignoringStatus ignores error responses. The checker decides whether the document
// describes them.
func ignoringStatus(err error) error {
	var failed *client.MeshGatewayError
	if errors.As(err, &failed) && failed.StatusCode >= 400 {
		return nil
	}
	return err
}

// The checker finds violations; otherwise the test above would prove nothing.
func TestCheckerFindsViolations(t *testing.T) {
	t.Parallel()
	checker, err := contract.New("gateway")
	require.NoError(t, err)
	var mu sync.Mutex
	var faults []string
	report := func(err error) {
		mu.Lock()
		defer mu.Unlock()
		faults = append(faults, err.Error())
	}
	g := gateway(t)
	violating := roundTrip(func(req *http.Request) (*http.Response, error) {
		req.URL.RawQuery += "&nonesuch=node-a"
		req.Header.Del("Authorization")
		return checker.Transport(http.DefaultTransport, "/gateway", report).RoundTrip(req)
	})
	g.Fail(gatewaytest.ListMessages, gatewaytest.Fault{Body: `[{"id":"x"}]`, Header: http.Header{"Content-Type": {"application/json"}}})
	c := connect(t, g, "node-a", client.WithHTTPClient(&http.Client{Transport: violating}))
	_, err = c.Fetch(t.Context(), client.FetchOptions{})
	require.Error(t, err)
	all := strings.Join(faults, "\n")
	assert.Contains(t, all, `unknown query parameter "nonesuch"`)
	assert.Contains(t, all, "bearer")
	assert.Contains(t, all, "response 200 to GET /messages")
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }
