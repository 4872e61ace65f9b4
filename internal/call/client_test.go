package call_test

import (
	"errors"
	"net/http"
	"net/http/cookiejar"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/internal/call"
)

func TestGivenClientIsCopied(t *testing.T) {
	t.Parallel()
	jar, err := cookiejar.New(nil)
	require.NoError(t, err)
	transport := &counting{}
	given := &http.Client{Transport: transport, Jar: jar, Timeout: time.Second}
	own := call.Client(given)

	assert.NotSame(t, given, own)
	assert.Same(t, transport, given.Transport)
	assert.Same(t, jar, own.Jar)
	assert.Equal(t, time.Second, own.Timeout)
	_, err = own.Get("http://127.0.0.1/")
	require.ErrorIs(t, err, errors.ErrUnsupported, "the given transport is used")
	own.CloseIdleConnections()
	assert.Equal(t, counting{requests: 1, closed: 1}, *transport)
	assert.Equal(t, &http.Client{}, func() *http.Client { c := &http.Client{}; call.Client(c); return c }())
}

// This test and the next are not parallel: they replace http.DefaultTransport.
func TestClientWithoutATransportUsesTheDefaultTransport(t *testing.T) {
	transport := replaceDefaultTransport(t)
	_, err := call.Client(&http.Client{}).Get("http://127.0.0.1/")
	require.ErrorIs(t, err, errors.ErrUnsupported)
	assert.Equal(t, 1, transport.requests)
}

// A program may replace http.DefaultTransport, for tracing.
func TestReplacedDefaultTransportIsUsed(t *testing.T) {
	transport := replaceDefaultTransport(t)
	_, err := call.Client(nil).Get("http://127.0.0.1/")
	require.ErrorIs(t, err, errors.ErrUnsupported)
	assert.Equal(t, 1, transport.requests)
}

// replaceDefaultTransport changes a variable of the whole process until the test ends.
func replaceDefaultTransport(t *testing.T) *counting {
	t.Helper()
	before, own := http.DefaultTransport, &counting{}
	t.Cleanup(func() { http.DefaultTransport = before })
	http.DefaultTransport = own
	return own
}

// counting is a transport that fails every request.
type counting struct{ requests, closed int }

func (c *counting) RoundTrip(*http.Request) (*http.Response, error) {
	c.requests++
	return nil, errors.ErrUnsupported
}

func (c *counting) CloseIdleConnections() { c.closed++ }

// net/http parses Location before it calls CheckRedirect. If that fails, it returns no response.
func TestInvalidLocationDoesNotHideTheStatus(t *testing.T) {
	t.Parallel()
	for _, location := range []string{"http://[bad?key=hunter2", "%zz", "", "/fine"} {
		url := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header()["Location"] = []string{location}
			w.WriteHeader(http.StatusFound)
		})
		_, failed := get(t, url, roomy)
		require.NotNil(t, failed)
		assert.Equal(t, http.StatusFound, failed.Status, location)
		assert.NotContains(t, failed.Error(), "hunter2")
	}
}
