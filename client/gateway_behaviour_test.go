package client_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
)

// These tests cover the behavior of the real gateway that docs/gateway.md describes.

func TestPeerWithEnabledAsANumber(t *testing.T) {
	t.Parallel()
	c := answering(t, 200, "application/json", `{"peers":[{"name":"one","enabled":1},{"name":"zero","enabled":0},
		{"name":"yes","enabled":true},{"name":"no","enabled":false},{"name":"absent"}]}`)
	peers, err := c.ListPeers(t.Context())
	require.NoError(t, err)
	enabled := make(map[string]bool)
	for _, p := range peers {
		enabled[p.Name] = p.Enabled
	}
	assert.Equal(t, map[string]bool{"one": true, "zero": false, "yes": true, "no": false, "absent": true}, enabled)
}

func TestRelatedTaskIDIsAStringAndANumberOnTheWire(t *testing.T) {
	t.Parallel()
	g := gateway(t)
	a, b := connect(t, g, "node-a"), connect(t, g, "node-b")
	req := hello("node-b")
	req.RelatedTaskID = "9007199254740993" // 2^53 + 1: a float would lose it
	_, err := a.Send(t.Context(), req)
	require.NoError(t, err)
	assert.Contains(t, g.Requests(gatewaytest.SendMessage)[0].Body, `"related_task_id":"9007199254740993"`)

	inbox, err := b.Fetch(t.Context(), client.FetchOptions{})
	require.NoError(t, err)
	require.Len(t, inbox, 1)
	assert.Equal(t, "9007199254740993", *inbox[0].RelatedTaskID)

	req.RelatedTaskID = "task-1"
	_, err = a.Send(t.Context(), req)
	assert.Equal(t, 422, gatewayError(t, err).StatusCode)
}

func TestOnlyTheTwoListShapesAreAccepted(t *testing.T) {
	t.Parallel()
	for _, opts := range [][]gatewaytest.Option{nil, {gatewaytest.WithBareArrays()}} {
		g := gateway(t, opts...)
		c := connect(t, g, "node-a")
		peers, err := c.ListPeers(t.Context())
		require.NoError(t, err)
		assert.Len(t, peers, 3)
		g.Store("node-b", "node-a", "fyi", "hello")
		inbox, err := c.Fetch(t.Context(), client.FetchOptions{})
		require.NoError(t, err)
		assert.Len(t, inbox, 1)
	}
	for _, body := range []string{
		`null`, `{}`, `{"peers":null,"messages":null}`, `{"peers":{},"messages":{}}`, `"text"`, `7`, `true`, `[null]`, `[[]]`, `[{}]`,
		`{"peers":[{}],"messages":[{}]}`, `{"detail":"unavailable"}`, `{"Peers":[],"Messages":[]}`, `[]]`, `{"peers":[],"messages":[]`,
		`<html>busy</html>`, `[{"name":"node-a"},{"url":"http://x"}]`,
	} {
		c := answering(t, 200, "application/json", body)
		peers, err := c.ListPeers(t.Context())
		assert.Equal(t, 200, gatewayError(t, err).StatusCode, body)
		assert.Nil(t, peers, body)
		inbox, err := c.Fetch(t.Context(), client.FetchOptions{})
		assert.Equal(t, 200, gatewayError(t, err).StatusCode, body)
		assert.Nil(t, inbox, body)
	}
}

func TestRegistrationReturnsPartOfAPeerAndItsTokenOnce(t *testing.T) {
	t.Parallel()
	c := connect(t, gateway(t), "node-new")
	first, err := c.Register(t.Context(), client.RegisterRequest{URL: "http://node-new"})
	require.NoError(t, err)
	assert.Equal(t, "node-new", first.Name)
	assert.NotNil(t, first.RegisteredAt)
	assert.Nil(t, first.URL, "a field that is missing from the response stays nil")
	assert.NotNil(t, first.Capabilities)
	assert.JSONEq(t, `"minted"`, string(first.AdditionalProperties["token_status"]))
	require.NotNil(t, first.PeerToken)
	secret := first.PeerToken.Reveal()
	assert.True(t, strings.HasPrefix(secret, "EXAMPLE-"))

	marshalled, err := json.Marshal(first)
	require.NoError(t, err)
	var log bytes.Buffer
	slog.New(slog.NewJSONHandler(&log, nil)).Info("registered", "peer", first, "token", first.PeerToken)
	for _, shown := range []string{fmt.Sprintf("%v %+v %#v %s", first, first, first, first.PeerToken), string(marshalled), log.String()} {
		assert.NotContains(t, shown, secret)
	}

	second, err := c.Register(t.Context(), client.RegisterRequest{URL: "http://node-new"})
	require.NoError(t, err)
	assert.Nil(t, second.PeerToken)
}

func TestRegistrationWithoutURLShowsTheReason(t *testing.T) {
	t.Parallel()
	g := gateway(t)
	_, err := connect(t, g, "node-d").Register(t.Context(), client.RegisterRequest{})
	failed := gatewayError(t, err)
	assert.Equal(t, 422, failed.StatusCode)
	assert.Contains(t, err.Error(), "Field required")
	assert.Contains(t, failed.Body, `"loc":["body","url"]`)
	assert.JSONEq(t, `{"name":"node-d"}`, g.Requests(gatewaytest.RegisterPeer)[0].Body, "what was not given is left off the wire")
}

func TestOnlyRegisterRegistersAndItReplacesCapabilities(t *testing.T) {
	t.Parallel()
	g := gateway(t)
	c := connect(t, g, "node-a", client.WithRetry(client.RetryPolicy{}))
	ctx := t.Context()
	for _, capabilities := range []map[string]any{{"runtime": "go", "max_jobs": int64(9007199254740993)}, {}} {
		_, err := c.Register(ctx, client.RegisterRequest{URL: "http://node-a", Capabilities: capabilities})
		require.NoError(t, err)
	}
	bodies := g.Requests(gatewaytest.RegisterPeer)
	assert.Contains(t, bodies[0].Body, `"max_jobs":9007199254740993`)
	assert.Contains(t, bodies[1].Body, `"capabilities":{}`, "an empty map clears what was there, so it is sent")
	peers, err := c.ListPeers(ctx)
	require.NoError(t, err)
	assert.Empty(t, peers[0].Capabilities)

	g.Fail(gatewaytest.RegisterPeer, gatewaytest.Fault{Status: 503})
	_, err = c.Register(ctx, client.RegisterRequest{URL: "http://node-a"})
	assert.Equal(t, 503, gatewayError(t, err).StatusCode)
	for name, call := range operations {
		if name != "Register" && name != "Watch" {
			_ = call(ctx, c)
		}
	}
	assert.Len(t, g.Requests(gatewaytest.RegisterPeer), 3, "one request each, and none besides")
}

func TestReceiptHasNoContent(t *testing.T) {
	t.Parallel()
	receipt, err := connect(t, gateway(t), "node-a").Send(t.Context(), hello("node-b"))
	require.NoError(t, err)
	assert.Nil(t, receipt.Content)
	assert.Equal(t, int64(1), receipt.ID)
	assert.Equal(t, client.KindFYI, receipt.Kind)
	assert.NotEmpty(t, receipt.CreatedAt)
}

func TestMessageToAnUnknownPeerIsNotPosted(t *testing.T) {
	t.Parallel()
	g := gateway(t)
	_, err := connect(t, g, "node-a").Send(t.Context(), hello("ghost"))
	var absent *client.NotInRegistryError
	require.ErrorAs(t, err, &absent)
	require.ErrorIs(t, err, client.ErrMesh)
	assert.Equal(t, "ghost", absent.Name)
	assert.Empty(t, g.Requests(gatewaytest.SendMessage))
}

func TestUnknownThreadIsA500ThatIsNotRepeated(t *testing.T) {
	t.Parallel()
	g := gateway(t)
	req := hello("node-b")
	req.ThreadID = "3f0f8a53-0000-4000-8000-000000000000"
	_, err := connect(t, g, "node-a", client.WithRetry(client.RetryPolicy{})).Send(t.Context(), req)
	failed := gatewayError(t, err)
	assert.Equal(t, 500, failed.StatusCode)
	assert.Equal(t, "Internal Server Error", failed.Body)
	assert.False(t, failed.Delivered)
	assert.Len(t, g.Requests(gatewaytest.SendMessage), 1)
}

func TestIdempotencyKeys(t *testing.T) {
	t.Parallel()
	g := gateway(t)
	c := connect(t, g, "node-a")
	req := hello("node-b")
	req.IdempotencyKey = "k-1"
	first, err := c.Send(t.Context(), req)
	require.NoError(t, err)
	again, err := c.Send(t.Context(), req)
	require.NoError(t, err)
	assert.Equal(t, first, again)

	req.Content = "something else"
	_, err = c.Send(t.Context(), req)
	assert.Equal(t, 409, gatewayError(t, err).StatusCode)

	_, err = c.Send(t.Context(), hello("node-b"))
	require.NoError(t, err)
	assert.NotContains(t, g.Requests(gatewaytest.SendMessage)[3].Body, "idempotency_key", "none is made up without WithRetry")

	req.IdempotencyKey = long("é", 129)
	_, err = c.Send(t.Context(), req)
	assert.Equal(t, "idempotency key", valueError(t, err).Field)
	req.IdempotencyKey = long("é", 128)
	_, err = c.Send(t.Context(), req)
	require.NoError(t, err)
}

func TestMarkReadTwiceIs404(t *testing.T) {
	t.Parallel()
	g := gateway(t)
	c := connect(t, g, "node-a")
	id := g.Store("node-b", "node-a", "fyi", "hello")
	require.NoError(t, c.MarkRead(t.Context(), id))
	err := c.MarkRead(t.Context(), id)
	failed := gatewayError(t, err)
	assert.Equal(t, 404, failed.StatusCode)
	assert.Equal(t, fmt.Sprintf("/messages/%d/read", id), failed.Path)
	assert.Contains(t, failed.Body, "message not found or already read")
	assert.Empty(t, g.Requests(gatewaytest.MarkMessageRead)[0].Body)
	assert.Equal(t, 404, gatewayError(t, c.MarkRead(t.Context(), 99_999_999)).StatusCode)
}

func TestLimitsOfTheInbox(t *testing.T) {
	t.Parallel()
	g := gateway(t)
	c := connect(t, g, "node-a")
	for i := range 150 {
		g.Store("node-b", "node-a", "fyi", fmt.Sprint(i))
	}
	inbox, err := c.Fetch(t.Context(), client.FetchOptions{})
	require.NoError(t, err)
	assert.Len(t, inbox, 100, "the default of the gateway")
	assert.Equal(t, "149", *inbox[0].Content, "newest first")
	inbox, err = c.Fetch(t.Context(), client.FetchOptions{Limit: 1000})
	require.NoError(t, err)
	assert.Len(t, inbox, 150)

	before := len(g.Requests())
	for _, limit := range []int{-1, 1001} {
		_, err = c.Fetch(t.Context(), client.FetchOptions{Limit: limit})
		assert.Equal(t, "limit", valueError(t, err).Field)
	}
	assert.Len(t, g.Requests(), before, "nothing is sent")
}

func TestInboxIsSelectedByTheParameterTo(t *testing.T) {
	t.Parallel()
	g := gateway(t)
	c := connect(t, g, "node-a")
	for _, opts := range []client.FetchOptions{{}, {ToNode: "node-c", UnreadOnly: true, Limit: 5}} {
		_, err := c.Fetch(t.Context(), opts)
		require.NoError(t, err)
	}
	requests := g.Requests(gatewaytest.ListMessages)
	assert.Equal(t, "to=node-a", requests[0].Query.Encode(), "no other parameter")
	assert.Equal(t, "limit=5&to=node-c&unread_only=true", requests[1].Query.Encode())
}

func TestErrorBodiesOfEveryShape(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct{ contentType, body, want string }{
		"detail text":  {"application/json", `{"detail":"no such thing"}`, `{"detail":"no such thing"}`},
		"detail list":  {"application/json", `{"detail":[{"type":"missing","loc":["body","url"],"msg":"Field required","input":{}}]}`, `"Field required"`},
		"plain text":   {"text/plain", "Internal Server Error", "Internal Server Error"},
		"html":         {"text/html", "<html><h1>502 Bad Gateway</h1></html>", "<html><h1>502 Bad Gateway</h1></html>"},
		"empty":        {"application/json", "", ""},
		"broken json":  {"application/json", `{"detail":`, `{"detail":`},
		"not utf-8":    {"text/plain", "caf\xe9", "caf\uFFFD"},
		"500 and more": {"text/plain", long("ü", 600), long("ü", 500)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := answering(t, 422, row.contentType, row.body)
			for operation, call := range operations {
				err := call(t.Context(), c)
				failed := gatewayError(t, err)
				assert.Equal(t, 422, failed.StatusCode, operation)
				assert.Contains(t, failed.Body, row.want, operation)
				assert.LessOrEqual(t, len([]rune(failed.Body)), 500, operation)
				assert.Contains(t, err.Error(), failed.Method+" "+failed.Path+": status 422", operation)
			}
		})
	}
}

func TestAuthErrorsKeepTheStatus(t *testing.T) {
	t.Parallel()
	for _, status := range []int{401, 403} {
		c := answering(t, status, "application/json", `{"detail":"bad token"}`)
		for operation, call := range operations {
			err := call(t.Context(), c)
			var refused *client.MeshAuthError
			require.ErrorAs(t, err, &refused, operation)
			assert.Equal(t, status, refused.StatusCode, operation)
			assert.Equal(t, status, gatewayError(t, err).StatusCode, "errors.As finds the gateway error too")
			assert.Contains(t, err.Error(), "MESH_GATEWAY_TOKEN")
			assert.Contains(t, err.Error(), "bad token")
		}
	}
	err := operations["ListPeers"](t.Context(), answering(t, 500, "text/plain", "no token configured"))
	var refused *client.MeshAuthError
	assert.NotErrorAs(t, err, &refused)

	g := gateway(t)
	_, err = newClient(t, "node-a", client.WithGatewayURL(g.URL)).ListPeers(t.Context())
	require.ErrorAs(t, err, &refused)
	assert.Contains(t, refused.Body, "missing bearer token")
	assert.False(t, g.Requests()[0].HasToken, "no Authorization header")
}

func TestHealthIsText(t *testing.T) {
	t.Parallel()
	text, err := newClient(t, "node-a", client.WithGatewayURL(gateway(t).URL)).Health(t.Context())
	require.NoError(t, err)
	assert.Contains(t, text, `"status":"ok"`)
	for _, body := range []string{"ok", "", "<html>fine</html>"} {
		text, err := answering(t, 200, "text/plain", body).Health(t.Context())
		require.NoError(t, err)
		assert.Equal(t, body, text)
	}
}

func TestTimestampsAreNotChanged(t *testing.T) {
	t.Parallel()
	for _, at := range []string{"2026-11-21T07:54:15.930425+00:00", "2026-11-21T07:54:15+00:00", "2026-11-21T07:54:15", "yesterday"} {
		c := answering(t, 200, "application/json",
			fmt.Sprintf(`[{"id":1,"from_node":"node-b","to_node":"node-a","kind":"fyi","created_at":%q,"read_at":%q}]`, at, at))
		inbox, err := c.Fetch(t.Context(), client.FetchOptions{})
		require.NoError(t, err)
		assert.Equal(t, at, inbox[0].CreatedAt)
		assert.Equal(t, at, *inbox[0].ReadAt)
	}
}

func TestUnknownFieldsAndKindsAreKept(t *testing.T) {
	t.Parallel()
	c := answering(t, 200, "application/json", `{"messages":[{"id":1,"from_node":"node-b","to_node":"#all","kind":"review_request",
		"created_at":"now","channel":"#all","mentions":[9007199254740993],"owner":null}],"n":1,"next":"x"}`)
	inbox, err := c.Fetch(t.Context(), client.FetchOptions{})
	require.NoError(t, err)
	require.Len(t, inbox, 1)
	assert.Equal(t, client.Kind("review_request"), inbox[0].Kind)
	assert.False(t, inbox[0].Kind.Valid())
	assert.Equal(t, "#all", inbox[0].ToNode)
	assert.Equal(t, map[string]json.RawMessage{
		"channel": json.RawMessage(`"#all"`), "mentions": json.RawMessage(`[9007199254740993]`), "owner": json.RawMessage(`null`),
	}, inbox[0].AdditionalProperties)
}

func TestContentIsLimitedAndNeverTruncated(t *testing.T) {
	t.Parallel()
	g := gateway(t)
	c := connect(t, g, "node-a")
	for _, content := range []string{"", long("é", 200_001), "caf\xe9"} {
		req := hello("node-b")
		req.Content = content
		_, err := c.Send(t.Context(), req)
		assert.Equal(t, "content", valueError(t, err).Field)
		assert.Empty(t, valueError(t, err).Value)
	}
	assert.Empty(t, g.Requests(), "nothing is sent, not even for the registry")

	req := hello("node-b")
	req.Content = long("é ", 100_000)
	_, err := c.Send(t.Context(), req)
	require.NoError(t, err)
	inbox, err := connect(t, g, "node-b").Fetch(t.Context(), client.FetchOptions{})
	require.NoError(t, err)
	assert.Equal(t, req.Content, *inbox[0].Content)
}

func TestDisabledPeersAreNotInTheRegistry(t *testing.T) {
	t.Parallel()
	g := gateway(t)
	g.Disable("node-b", true)
	_, err := connect(t, g, "node-a").Send(t.Context(), hello("node-b"))
	require.ErrorContains(t, err, "not registered or not enabled")

	// Other gateways list them with enabled false.
	c := serving(t, func(w http.ResponseWriter, r *http.Request) {
		assert.Equal(t, http.MethodGet, r.Method, "nothing is posted")
		_, _ = w.Write([]byte(`[{"name":"node-b","enabled":0}]`))
	})
	_, err = c.Send(context.Background(), hello("node-b"))
	require.ErrorContains(t, err, "not registered or not enabled")
}
