// The tests of this file build requests with the generated client.
package shapes_test

import (
	"encoding/json"
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/internal/test/shapes"
	"github.com/mesh-gateway/mesh-go/internal/wire"
)

func ptr[T any](v T) *T { return &v }

// body returns the body of a request.
func body(t *testing.T, req *http.Request, err error) string {
	t.Helper()
	require.NoError(t, err)
	text, err := io.ReadAll(req.Body)
	require.NoError(t, err)
	return string(text)
}

func TestParametersAreSent(t *testing.T) {
	t.Parallel()
	const server = "http://gateway/"
	params := &shapes.ChangeThingParams{Session: ptr("a b"), XTrace: ptr("t"), Fields: []string{"x", "y&z"}}
	req, err := shapes.NewChangeThingRequestWithApplicationMergePatchPlusJSONBody(server, 7, params, shapes.OpenChanges{
		ID: "i", Text: wire.Change[string]{false: ""}, Count: wire.Change[int64]{true: 0}, AdditionalProperties: map[string]json.RawMessage{"u": []byte(`1`)},
	})
	assert.Equal(t, `{"id":"i","text":null,"count":0,"u":1}`, body(t, req, err))
	assert.Equal(t, "PATCH /things/7?fields=x&fields=y%26z", req.Method+" "+req.URL.RequestURI())
	assert.Equal(t, []string{`session="a b"`, "t", "application/merge-patch+json"},
		[]string{req.Header.Get("Cookie"), req.Header.Get("X-Trace"), req.Header.Get("Content-Type")})

	params.Session = ptr("a;b")
	_, err = shapes.NewChangeThingRequestWithBody(server, 7, params, "application/json", nil)
	assert.EqualError(t, err, "the cookie session has a character that a cookie cannot contain")
}

func TestRequestBodies(t *testing.T) {
	t.Parallel()
	const server = "http://gateway/"
	inline, err := shapes.NewRenameThingRequest(server, 7, shapes.RenameThingJSONRequestBody{AdditionalProperties: map[string]any{"u": 1}})
	assert.Equal(t, `{"reason":null,"u":1}`, body(t, inline, err), "unknown fields of an inline object")
	form, err := shapes.NewCreateTokenRequestWithFormdataBody(server, shapes.TokenForm{Scope: []string{"a", "b&c"}, Lifetime: ptr(int64(9007199254740993))})
	assert.Equal(t, "grant_type=refresh&lifetime=9007199254740993&scope=a&scope=b%26c", body(t, form, err))
	assert.Equal(t, "application/x-www-form-urlencoded", form.Header.Get("Content-Type"))
}

func TestConstantsAreWritten(t *testing.T) {
	t.Parallel()
	text, err := json.Marshal(shapes.Constants{Text: "x"})
	require.NoError(t, err)
	assert.JSONEq(t, `{"type":"event","version":3,"ratio":0.5,"on":true,"zero":0,"text":"x","leaf":{"kind":"leaf"}}`, string(text))
	text, err = json.Marshal([]any{shapes.ConstantLeaf{}, shapes.ConstantLeaf{Kind: "other"}, shapes.TokenForm{}})
	require.NoError(t, err)
	assert.Equal(t, `[{"kind":"leaf"},{"kind":"other"},{"grant_type":"refresh"}]`, string(text))
}
