package client_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
)

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
		`<html>busy</html>`,
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
			synctest.Test(t, func(t *testing.T) {
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
		})
	}
}

func TestAuthErrorsKeepTheStatus(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
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
				assert.Equal(t, status == 401, strings.Contains(err.Error(), "check the token"), "a gateway that answers 403 knows the token")
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
	})
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

func TestUnknownFieldsAndKindsAreKept(t *testing.T) {
	t.Parallel()
	c := answering(t, 200, "application/json", `{"messages":[{"id":1,"from_node":"node-b","to_node":"#all","kind":"review_request",
		"created_at":"now","x_text":"#all","x_list":[9007199254740993],"x_null":null}],"n":1,"next":"x"}`)
	inbox, err := c.Fetch(t.Context(), client.FetchOptions{})
	require.NoError(t, err)
	require.Len(t, inbox, 1)
	assert.Equal(t, client.Kind("review_request"), inbox[0].Kind)
	assert.False(t, inbox[0].Kind.Valid())
	assert.Equal(t, "#all", inbox[0].ToNode)
	assert.Equal(t, map[string]json.RawMessage{
		"x_text": json.RawMessage(`"#all"`), "x_list": json.RawMessage(`[9007199254740993]`), "x_null": json.RawMessage(`null`),
	}, inbox[0].AdditionalProperties)
}

func TestUnreadableBodyIsQuotedUpTo200Characters(t *testing.T) {
	t.Parallel()
	c := answering(t, 200, "text/html", "<html>\n"+long("é", 300))
	for _, operation := range []string{"ListPeers", "Register", "Fetch"} {
		err := operations[operation](t.Context(), c)
		failed := gatewayError(t, err)
		assert.Len(t, []rune(failed.Body), 200, operation)
		assert.Contains(t, err.Error(), `not JSON: "<html>\n`+long("é", 193)+`"`, operation)
	}
}

func TestEmptyBodies(t *testing.T) {
	t.Parallel()
	_, err := answering(t, 200, "application/json", "\u00a0\u2003").ListPeers(t.Context())
	require.ErrorContains(t, err, "not JSON", "these blanks are not white space in JSON")
	for _, body := range []string{"", " \n"} {
		c := answering(t, 200, "application/json", body)
		peers, err := c.ListPeers(t.Context())
		require.NoError(t, err)
		assert.Equal(t, []client.MeshPeer{}, peers)
		inbox, err := c.Fetch(t.Context(), client.FetchOptions{})
		require.NoError(t, err)
		assert.Equal(t, []client.MeshMessage{}, inbox)
		require.NoError(t, c.MarkRead(t.Context(), 1))
		_, err = c.Register(t.Context(), client.RegisterRequest{})
		require.ErrorContains(t, err, "empty body", "a resource has to come back")
	}
	require.NoError(t, answering(t, 204, "", "").MarkRead(t.Context(), 1))
}

func TestWebPageIsNotASuccess(t *testing.T) {
	t.Parallel()
	for _, operation := range []string{"MarkRead", "Fetch", "ListPeers", "ListThreads"} {
		for _, page := range []struct{ contentType, body string }{
			{"text/html", "<html>Please sign in.</html>"}, {"text/html; charset=utf-8", " \n"}, {"TEXT/HTML", "[]"},
			{"application/json", "<html>"}, {"", "\ufeff \n<!DOCTYPE html>"},
		} {
			err := operations[operation](t.Context(), answering(t, 200, page.contentType, page.body))
			assert.Equal(t, 200, gatewayError(t, err).StatusCode, "%s %q", operation, page)
		}
		require.NoError(t, operations[operation](t.Context(), answering(t, 200, "text/html", "")), "frameworks send this for no content")
	}
	for _, body := range []string{"", "ok", "{}", "null", `{"id":1,"read_at":"now"}`} {
		require.NoError(t, answering(t, 200, "text/plain", body).MarkRead(t.Context(), 1))
	}
}

func TestWebPageThatBreaksOffIsNotASuccess(t *testing.T) {
	t.Parallel()
	for _, r := range []struct {
		contentType, body string
		fails             bool
	}{
		{"", "<html>Please", true},
		{"text/html; charset=utf-8", "", true},
		{"application/json", "", false},
		{"", `{"id":`, false},
	} {
		c := serving(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", r.contentType)
			w.Header().Set("Content-Length", "100")
			_, _ = w.Write([]byte(r.body))
		})
		assert.Equal(t, r.fails, c.MarkRead(t.Context(), 1) != nil, "%+v", r)
	}
}
