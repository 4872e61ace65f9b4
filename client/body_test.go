package client_test

import (
	"io"
	"net/http"
	"net/url"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client"
)

func TestExtraFieldsAreSent(t *testing.T) {
	t.Parallel()
	var got []string
	c := serving(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got = append(got, r.Method+" "+r.URL.RequestURI()+" "+string(body))
		assert.Equal(t, int64(len(body)), r.ContentLength)
		switch r.Method + r.URL.Path {
		case "GET/peers":
			_, _ = io.WriteString(w, `[{"name":"node-b"}]`)
		case "GET/messages":
			_, _ = io.WriteString(w, `[]`)
		case "POST/peers/register":
			_, _ = io.WriteString(w, `{"name":"node-a"}`)
		default:
			_, _ = io.WriteString(w, `{"id":1,"from_node":"node-a","to_node":"node-b","kind":"fyi","created_at":"t"}`)
		}
	})
	ctx := t.Context()
	_, err := c.Send(ctx, client.SendRequest{To: "node-b", Kind: client.KindFYI, Content: "x", Extra: map[string]any{"x_list": []string{"node-c"}, "b": nil}})
	require.NoError(t, err)
	_, err = c.Register(ctx, client.RegisterRequest{URL: "http://a", Extra: map[string]any{"x_owner": "o"}})
	require.NoError(t, err)
	_, err = c.Fetch(ctx, client.FetchOptions{Limit: 1, Extra: url.Values{"x_param": {"a", "b c"}}})
	require.NoError(t, err)
	_, err = c.Sent(ctx, client.SentOptions{Extra: url.Values{"x_param": {"a"}}})
	require.NoError(t, err)
	assert.Equal(t, []string{
		"GET /peers ", `POST /messages {"from_node":"node-a","to_node":"node-b","kind":"fyi","content":"x","b":null,"x_list":["node-c"]}`,
		`POST /peers/register {"name":"node-a","url":"http://a","x_owner":"o"}`, "GET /messages?limit=1&to=node-a&x_param=a&x_param=b+c ",
		"GET /messages?from=node-a&x_param=a ",
	}, got)
}

func TestInvalidExtraFieldsAreNotSent(t *testing.T) {
	t.Parallel()
	c := serving(t, func(http.ResponseWriter, *http.Request) { t.Error("a request was sent") })
	ctx := t.Context()
	var invalid *client.ValueError
	for _, name := range []string{"from_node", "to_node", "kind", "content", "related_task_id", "thread_id", "idempotency_key", "", "a\xff"} {
		_, err := c.Send(ctx, client.SendRequest{To: "node-b", Kind: client.KindFYI, Content: "x", Extra: map[string]any{name: "y"}})
		require.ErrorAs(t, err, &invalid, name)
		assert.Equal(t, "Extra", invalid.Field)
	}
	for _, name := range []string{"name", "url", "capabilities"} {
		_, err := c.Register(ctx, client.RegisterRequest{URL: "http://a", Extra: map[string]any{name: "y"}})
		require.ErrorAs(t, err, &invalid, name)
	}
	for _, name := range []string{"to", "from", "kind", "thread_id", "unread_only", "since", "limit", "to_node", "from_node"} {
		_, err := c.Fetch(ctx, client.FetchOptions{Extra: url.Values{name: {"y"}}})
		require.ErrorAs(t, err, &invalid, name)
		_, err = c.Sent(ctx, client.SentOptions{Extra: url.Values{name: {"y"}}})
		require.ErrorAs(t, err, &invalid, name)
	}
	_, err := c.Send(ctx, client.SendRequest{To: "node-b", Kind: client.KindFYI, Content: "x", Extra: map[string]any{"a": func() {}}})
	require.ErrorAs(t, err, &invalid)
}

func TestExtraFieldsAreScanned(t *testing.T) {
	t.Parallel()
	const key = "sk-proj-EXAMPLE0123456789abcdefghij"
	c := serving(t, func(w http.ResponseWriter, r *http.Request) {
		assert.Equal(t, "/peers", r.URL.Path)
		_, _ = io.WriteString(w, `[{"name":"node-b"}]`)
	})
	ctx := t.Context()
	var leak *client.MeshSecretLeakError
	for _, extra := range []map[string]any{{"a": []any{map[string]any{"b": key}}}, {key: 1}, {"a": token}} {
		_, err := c.Send(ctx, client.SendRequest{To: "node-b", Kind: client.KindFYI, Content: "x", Extra: extra})
		require.ErrorAs(t, err, &leak)
		_, err = c.Register(ctx, client.RegisterRequest{URL: "http://a", Extra: extra})
		require.ErrorAs(t, err, &leak)
	}
	for _, extra := range []url.Values{{"a": {key}}, {key: {"a"}}} {
		_, err := c.Fetch(ctx, client.FetchOptions{Extra: extra})
		require.ErrorAs(t, err, &leak)
	}
}
