package param_test

import (
	"net/url"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/internal/param"
)

// Unescaped, a key with & or = would add a parameter.
func TestKeysOfObjectsAreEscaped(t *testing.T) {
	t.Parallel()
	options := param.StyleParamOptions{ParamLocation: param.ParamLocationQuery}
	object := map[string]any{"a&x=1": "b c", "plain": "v"}
	for _, c := range []struct {
		style, want string
		value       any
		explode     bool
	}{
		{"form", "a%26x%3D1=b+c&plain=v", object, true},
		{"form", "where=a%26x%3D1,b+c,plain,v", object, false},
		{"deepObject", "where[a%26x%3D1]=b+c&where[plain]=v", object, true},
		{"deepObject", "where[in][%23]=1", map[string]any{"in": map[string]any{"#": 1}}, true},
		{"form", "a%26b=c", struct {
			A string `json:"a&b"`
		}{"c"}, true},
		{"form", "plain=v", map[string]string{"plain": "v"}, true},
		{"form", "where=x%26y", "x&y", true},
	} {
		text, err := param.StyleParamWithOptions(c.style, c.explode, "where", c.value, options)
		require.NoError(t, err)
		assert.Equal(t, c.want, text)
		_, err = url.ParseQuery(text)
		assert.NoError(t, err)
	}
}
