package proxy

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A transport that's slower than the response reads the body again after the server has
// closed it.
func TestRequestBodyStaysAtItsEnd(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body := &requestBody{ReadCloser: r.Body}
		text := make([]byte, r.ContentLength)
		_, err := io.ReadFull(body, text)
		assert.NoError(t, err)
		assert.NoError(t, http.NewResponseController(w).Flush())
		_, err = r.Body.Read(text)
		assert.ErrorIs(t, err, http.ErrBodyReadAfterClose, "the server no longer closes the body: requestBody isn't needed")
		n, err := body.Read(text)
		assert.Zero(t, n)
		assert.Equal(t, io.EOF, err)
	}))
	t.Cleanup(server.Close)
	res, err := server.Client().Post(server.URL, "application/json", strings.NewReader("{}"))
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
}
