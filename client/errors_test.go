package client_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client"
)

func TestErrorsHaveTheIDOfTheRequest(t *testing.T) {
	t.Parallel()
	c := serving(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Request-Id", "req-42 "+token)
		w.WriteHeader(http.StatusInternalServerError)
	})
	_, err := c.ListPeers(t.Context())
	failed := gatewayError(t, err)
	assert.True(t, strings.HasPrefix(failed.RequestID, "req-42 "), failed.RequestID)
	assert.Contains(t, failed.Error(), "(request req-42 ")
	assert.NotContains(t, failed.Error(), token)
}

// net/http's errors quote lines that it can't parse, however long. Watch and Serve log or
// yield one with each poll.
func TestErrorTextIsBounded(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x ", 1<<16)
	for name, answer := range map[string]string{
		"first line":       long + "\r\n\r\n",
		"status":           "HTTP/1.1 9" + long + "\r\n\r\n",
		"header":           "HTTP/1.1 200 OK\r\n" + long + "\r\n\r\n",
		"length":           "HTTP/1.1 200 OK\r\nContent-Length: " + long + "\r\n\r\n",
		"redirect":         "HTTP/1.1 302 Found\r\nConnection: close\r\nLocation: https://" + strings.ReplaceAll(long, " ", "x") + "/\r\n\r\n",
		"request id":       "HTTP/1.1 500 Oops\r\nConnection: close\r\nX-Request-Id: " + long + "\r\n\r\n",
		"a token at a cut": strings.Repeat(longToken+" ", 1<<12) + "\r\n\r\n",
	} {
		c := serving(t, func(w http.ResponseWriter, _ *http.Request) { writeRaw(w, answer) }, client.WithToken(longToken),
			client.WithRetry(client.RetryPolicy{MaxAttempts: 2, BaseDelay: 1}))
		_, err := c.ListPeers(t.Context())
		require.ErrorIs(t, err, client.ErrMesh, name)
		assert.Less(t, len(err.Error()), 10_000, name)
		assert.Less(t, len(shown(err)), 500_000, name)
		assertNoPart(t, shown(err), name)
	}
}

// net/http returns a proxy's status text as the error's text.
func TestControlCharactersOfAProxyAreNotInTheErrorText(t *testing.T) {
	t.Parallel()
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		writeRaw(w, "HTTP/1.1 407 red \x1b[31m and \rmore\r\nContent-Length: 0\r\n\r\n")
	}))
	t.Cleanup(proxy.Close)
	address, err := url.Parse(proxy.URL)
	require.NoError(t, err)
	c := newClient(t, "node-a", client.WithGatewayURL("https://gateway.invalid"), client.WithToken(token),
		client.WithHTTPClient(&http.Client{Transport: &http.Transport{Proxy: http.ProxyURL(address)}}))
	_, err = c.ListPeers(t.Context())
	require.ErrorContains(t, err, "red  [31m and  more")
}
