package client_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client"
)

func TestDoSendsARequestAndDecodesTheResponse(t *testing.T) {
	t.Parallel()
	var got []string
	c := serving(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got = append(got, r.Method+" "+r.URL.RequestURI()+" "+r.Header.Get("Content-Type")+" "+string(body))
		if r.Header.Get("Authorization") != "Bearer "+token || !strings.HasPrefix(r.Header.Get("User-Agent"), "mesh-go/") {
			w.WriteHeader(http.StatusUnauthorized)
		}
		_, _ = io.WriteString(w, ` {"id": 9007199254740993}`)
	})
	ctx := t.Context()
	var task struct{ ID int64 }
	require.NoError(t, c.Do(ctx, client.Request{Method: "POST", Path: "/tasks", Body: map[string]any{"n": 1}, IdempotencyKey: "k"}, &task))
	assert.Equal(t, int64(9007199254740993), task.ID)
	var raw json.RawMessage
	require.NoError(t, c.Do(ctx, client.Request{Method: "GET", Path: "/a%2Fb/c d/é;x=1", Query: url.Values{"x": {"1", "&"}}}, &raw))
	assert.Equal(t, ` {"id": 9007199254740993}`, string(raw), "as received")
	require.NoError(t, c.Do(ctx, client.Request{Method: "DELETE", Path: "/tasks/1"}, nil))
	require.NoError(t, c.Do(ctx, client.Request{Method: "POST", Path: "/x", Body: struct{}{}, IdempotencyKey: "k"}, nil))
	require.NoError(t, c.Do(ctx, client.Request{Method: "PATCH", Path: "/x", IdempotencyKey: "k"}, nil))
	assert.Equal(t, []string{
		`POST /tasks application/json {"n":1,"idempotency_key":"k"}`, `GET /a%2Fb/c%20d/%C3%A9%3Bx=1?x=1&x=%26  `, `DELETE /tasks/1  `,
		`POST /x application/json {"idempotency_key":"k"}`, `PATCH /x application/json {"idempotency_key":"k"}`,
	}, got)
}

func TestDoRejectsInvalidRequestsBeforeTheySend(t *testing.T) {
	t.Parallel()
	c := serving(t, func(http.ResponseWriter, *http.Request) { t.Error("a request was sent") })
	for _, path := range []string{
		"", "tasks", "//tasks", "/", "/tasks/", "/tasks//1", "/a/..", "/../a", "/a/..%2Fb", "/a%5C..%5Cb", "/a%2F", "/a/../../b", "/./a", "/a/%2e%2e/b", "/a/.%2E", "/a?b", "/a#b",
		"/%zz", "/a\n", "/a%00", "http://other/a", "/a/\xff",
	} {
		err := c.Do(t.Context(), client.Request{Method: "GET", Path: path}, nil)
		var invalid *client.ValueError
		require.ErrorAs(t, err, &invalid, path)
		assert.Equal(t, "Path", invalid.Field, path)
	}
	notPointer, key := struct{}{}, strings.Repeat("k", 129)
	for field, request := range map[string]client.Request{
		"Method":         {Method: "get", Path: "/a"},
		"Body":           {Method: "POST", Path: "/a", Body: make(chan int)},
		"IdempotencyKey": {Method: "POST", Path: "/a", IdempotencyKey: key},
		"Query":          {Method: "GET", Path: "/a", Query: url.Values{"a": {"\xff"}}},
		"AllowRules":     {Method: "GET", Path: "/a", AllowRules: []int{0}},
	} {
		var invalid *client.ValueError
		require.ErrorAs(t, c.Do(t.Context(), request, nil), &invalid, field)
		assert.Equal(t, field, invalid.Field)
	}
	for _, request := range []client.Request{
		{Path: "/a"}, {Method: "CONNECT", Path: "/a"}, {Method: "GET", Path: "/a", Body: 1}, {Method: "GET", Path: "/a", IdempotencyKey: "k"},
		{Method: "POST", Path: "/a", Body: []int{1}, IdempotencyKey: "k"}, {Method: "POST", Path: "/a", Body: "a\xff"},
		{Method: "POST", Path: "/a", Body: map[string]any{"idempotency_key": "a"}, IdempotencyKey: "k"},
	} {
		var invalid *client.ValueError
		require.ErrorAs(t, c.Do(t.Context(), request, nil), &invalid, "%+v", request)
	}
	for _, out := range []any{notPointer, (*struct{})(nil)} {
		require.Error(t, c.Do(t.Context(), client.Request{Method: "GET", Path: "/a"}, out))
	}
	require.Error(t, new(client.MeshClient).Do(t.Context(), client.Request{Method: "GET", Path: "/a"}, nil))
}

// upper marshals itself, through a pointer method.
type upper string

func (u *upper) MarshalText() ([]byte, error) { return slices.Concat([]byte("up: "), []byte(*u)), nil }

type embedded struct{ Text string }

func TestDoRefusesInvalidUTF8InEveryPlace(t *testing.T) {
	t.Parallel()
	sent := 0
	c := serving(t, func(http.ResponseWriter, *http.Request) { sent++ })
	bodies := func(text string) []any {
		named := upper(text)
		return []any{
			text, &text, []string{"", text}, [1]any{text}, map[string]int{text: 1}, map[string]any{"k": []any{1, nil, text}}, embedded{text},
			struct{ embedded }{embedded{text}}, struct{ *embedded }{&embedded{text}}, struct{ A *struct{ B any } }{&struct{ B any }{text}},
			struct {
				Text string `json:"-,omitempty"` //nolint:staticcheck // it names the field "-"
			}{text},
			json.RawMessage(`"` + text + `"`), map[string]json.RawMessage{"k": json.RawMessage(`{"` + text + `":1}`)}, &named, []upper{named}, &struct{ U upper }{named},
		}
	}
	for _, body := range bodies("\xff \ufffd") {
		var invalid *client.ValueError
		require.ErrorAs(t, c.Do(t.Context(), client.Request{Method: "POST", Path: "/a", Body: body}, nil), &invalid, "%#v", body)
		assert.Equal(t, "Body", invalid.Field)
	}
	require.Zero(t, sent)
	ignored := struct {
		Text   string
		Hidden string `json:"-"`
		hidden string
		None   *upper
		Any    any
	}{Text: "\ufffd", Hidden: "\xff", hidden: "\xff", Any: (*time.Time)(nil)}
	valid := append(bodies("\ufffd"), ignored, json.RawMessage(`"\ufffd \uFFFD \\ufffd"`), []byte("\xff\ufffd"))
	for _, body := range valid {
		require.NoError(t, c.Do(t.Context(), client.Request{Method: "POST", Path: "/a", Body: body}, nil), "%#v", body)
	}
	assert.Equal(t, len(valid), sent)
}

func TestDoScansEveryString(t *testing.T) {
	t.Parallel()
	const key = "sk-proj-EXAMPLE0123456789abcdefghij"
	sent := 0
	c := serving(t, func(http.ResponseWriter, *http.Request) { sent++ })
	type nested struct{ A map[string][]any }
	for name, request := range map[string]client.Request{
		"value":       {Body: map[string]string{"a": "x " + key}},
		"key":         {Body: map[string]int{key: 1}},
		"struct":      {Body: nested{map[string][]any{"a": {1, map[string]string{"b": key}}}}},
		"raw":         {Body: json.RawMessage(`{"a":"` + strings.ReplaceAll(key, "-", `\u002d`) + `"}`)},
		"live token":  {Body: []string{token}, AllowRules: []int{4}},
		"query":       {Query: url.Values{"q": {key}}},
		"query name":  {Query: url.Values{key: {"q"}}},
		"path":        {Path: "/a/" + key},
		"idempotency": {Body: struct{}{}, IdempotencyKey: key},
	} {
		request.Method = "POST"
		if request.Path == "" {
			request.Path = "/a"
		}
		var leak *client.MeshSecretLeakError
		err := c.Do(t.Context(), request, nil)
		require.ErrorAs(t, err, &leak, name)
		assert.NotContains(t, err.Error(), key)
	}
	assert.Zero(t, sent)
	require.NoError(t, c.Do(t.Context(), client.Request{Method: "POST", Path: "/a", Body: key, AllowRules: []int{4}}, nil))
	require.NoError(t, c.Do(t.Context(), client.Request{Method: "POST", Path: "/a", Body: key, SkipSecretCheck: true}, nil))
	assert.Equal(t, 2, sent)
}

// Only a request that changes nothing, or has a key, is repeated.
func TestDoRepeatsSafeRequests(t *testing.T) {
	t.Parallel()
	retry := client.WithRetry(client.RetryPolicy{MaxAttempts: 3})
	for name, c := range map[string]struct {
		request client.Request
		opts    []client.Option
		sent    int
	}{
		"GET":           {client.Request{Method: "GET"}, []client.Option{retry}, 3},
		"HEAD":          {client.Request{Method: "HEAD"}, []client.Option{retry}, 3},
		"POST":          {client.Request{Method: "POST"}, []client.Option{retry}, 1},
		"PUT":           {client.Request{Method: "PUT"}, []client.Option{retry}, 1},
		"DELETE":        {client.Request{Method: "DELETE"}, []client.Option{retry}, 1},
		"key":           {client.Request{Method: "POST", IdempotencyKey: "k"}, []client.Option{retry}, 3},
		"without retry": {client.Request{Method: "POST", IdempotencyKey: "k"}, nil, 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			var bodies []string
			m := servingInMemory(t, func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				bodies = append(bodies, string(body))
				w.WriteHeader(http.StatusServiceUnavailable)
			}, c.opts...)
			c.request.Path = "/a"
			var failed *client.MeshGatewayError
			require.ErrorAs(t, m.Do(t.Context(), c.request, nil), &failed, name)
			assert.Len(t, bodies, c.sent, name)
			assert.Equal(t, bodies[0], bodies[len(bodies)-1], name)
			assert.Equal(t, c.request.Method != "GET" && c.request.Method != "HEAD", failed.Uncertain, name)
		})
	}
}

func TestDoReturnsTypedErrors(t *testing.T) {
	t.Parallel()
	var out map[string]any
	post := client.Request{Method: "POST", Path: "/tasks", Body: struct{}{}}

	var auth *client.MeshAuthError
	require.ErrorAs(t, answering(t, 401, "application/json", `{"detail":"bad token `+token+`"}`).Do(t.Context(), post, &out), &auth)
	assert.NotContains(t, auth.Error(), token)

	err := answering(t, 200, "application/json", strings.Repeat(" ", 4096)+"{}", client.WithMaxResponseBytes(1024)).Do(t.Context(), post, &out)
	require.ErrorIs(t, err, client.ErrTooLarge)

	var failed *client.MeshGatewayError
	require.ErrorAs(t, answering(t, 200, "application/json", `{"id":`).Do(t.Context(), post, &out), &failed)
	assert.True(t, failed.Delivered)
	assert.Contains(t, failed.Error(), "the request was delivered, do not send it again")

	require.ErrorAs(t, answering(t, 200, "text/html", `<html>sign in</html>`).Do(t.Context(), post, nil), &failed, "a page is not an answer")
	require.ErrorAs(t, answering(t, 204, "", ``).Do(t.Context(), post, &out), &failed)
	require.NoError(t, answering(t, 204, "", ``).Do(t.Context(), post, nil))
	require.ErrorAs(t, answering(t, 404, "application/json", `{"detail":"task not found"}`).Do(t.Context(), post, nil), &failed)
	assert.Equal(t, []any{"POST", "/tasks", 404}, []any{failed.Method, failed.Path, failed.StatusCode})
	require.ErrorAs(t, answering(t, 302, "", ``).Do(t.Context(), post, nil), &failed, "a redirect is not followed")
	require.ErrorIs(t, failed, client.ErrMesh)
}

func FuzzDoPath(f *testing.F) {
	for _, path := range []string{"/tasks", "/a/../b", "/%2e%2e", "//h/a", "/a?b", "/a b", `/a\..\b`, "/é", "/a;b=1/c"} {
		f.Add(path)
	}
	f.Fuzz(func(t *testing.T, path string) {
		var got *url.URL
		c := servingInMemory(t, func(_ http.ResponseWriter, r *http.Request) { got = r.URL })
		err := c.Do(t.Context(), client.Request{Method: "GET", Path: path, SkipSecretCheck: true}, nil)
		var invalid *client.ValueError
		if errors.As(err, &invalid) {
			require.Nil(t, got)
			return
		}
		require.NoError(t, err)
		require.Empty(t, got.RawQuery)
		want, err := url.PathUnescape(path)
		require.NoError(t, err)
		require.Equal(t, want, got.Path)
	})
}
