package param_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/gen/gateway"
	"github.com/mesh-gateway/mesh-go/internal/param"
)

// The facade refuses the same names. A request for the peer ".." would have a different
// path.
func TestGeneratedRequestsRefuseAPathThatIsAnotherOne(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"", ".", "..", "a\n", "\x00"} {
		_, err := gateway.NewGetPeerRequest("http://gateway/base/", name)
		assert.EqualError(t, err, "the path parameter name must be a name or an id", "%q", name)
		_, err = gateway.NewGetThreadRequest("http://gateway/base/", name, nil)
		assert.Error(t, err, "%q", name)
	}
	for name, path := range map[string]string{"node-a": "/base/peers/node-a", "a/b": "/base/peers/a%2Fb", "...": "/base/peers/...", "é": "/base/peers/%C3%A9"} {
		req, err := gateway.NewGetPeerRequest("http://gateway/base/", name)
		require.NoError(t, err)
		assert.Equal(t, path, req.URL.EscapedPath())
	}
	req, err := gateway.NewMarkMessageReadRequest("http://gateway/", 7)
	require.NoError(t, err)
	assert.Equal(t, http.MethodPost+" /messages/7/read", req.Method+" "+req.URL.Path)
}

func TestCookies(t *testing.T) {
	t.Parallel()
	options := param.StyleParamOptions{ParamLocation: param.ParamLocationCookie}
	for _, value := range []string{"", "abc", "a b", "a=b,c"} {
		text, err := param.StyleParamWithOptions("simple", true, "session", value, options)
		require.NoError(t, err)
		assert.Equal(t, value, text)
	}
	for _, value := range []string{"a;b", `"a"`, "a\\b", "a\nb", "é"} {
		_, err := param.StyleParamWithOptions("simple", true, "session", value, options)
		assert.EqualError(t, err, "the cookie session has a character that a cookie cannot contain", "%q", value)
	}
}

func TestForms(t *testing.T) {
	t.Parallel()
	form, err := param.MarshalForm(struct {
		Grant  string   `json:"grant_type"`
		Scopes []string `json:"scope"`
		Big    int64    `json:"big"`
		Yes    bool     `json:"yes"`
		Absent *string  `json:"absent,omitempty"`
	}{"a&b", []string{"x", "y"}, 9007199254740993, true, nil}, nil)
	require.NoError(t, err)
	assert.Equal(t, "big=9007199254740993&grant_type=a%26b&scope=x&scope=y&yes=true", form.Encode())
	for _, body := range []any{
		map[string]any{"f": nil}, map[string]any{"f": map[string]any{}}, map[string]any{"f": []any{[]any{}}}, map[string]any{"f": []any{nil}},
	} {
		_, err := param.MarshalForm(body, nil)
		assert.EqualError(t, err, "the form field f must be a text, a number, a boolean or a list of them", "%v", body)
	}
	for _, body := range []any{7, make(chan int)} {
		_, err := param.MarshalForm(body, nil)
		assert.Error(t, err)
	}
}
