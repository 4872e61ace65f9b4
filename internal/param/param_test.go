package param_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/gen/gateway"
)

// The facade refuses the same names. A request for the peer ".." would have another path.
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
