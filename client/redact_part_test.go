package client_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
)

// These tests cover parts of a token, and text that must not be redacted.

// longToken is put together at run time. It shares no eight characters with ordinary
// text.
var longToken = strings.Join([]string{"wq7Zk2Rr", "b0xT+9dL/", "uV3mYc81", "hNpE5sGa"}, "Jf4")

// assertNoPart requires that text contains no eight consecutive characters from
// longToken.
func assertNoPart(t *testing.T, text string, where ...any) {
	t.Helper()
	for i := range len(longToken) - 7 {
		require.NotContains(t, text, longToken[i:i+8], where...)
	}
}

// writeRaw sends bytes that net/http wouldn't write, and closes the connection.
func writeRaw(w http.ResponseWriter, answer string) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(err)
	}
	_, _ = conn.Write([]byte(answer))
	_ = conn.Close()
}

func TestNoErrorShowsAPartOfTheToken(t *testing.T) {
	t.Parallel()
	for _, n := range []int{9, 20, len(longToken) - 1} {
		part, end := longToken[:n], longToken[len(longToken)-n:]
		for name, answer := range map[string]string{
			"body breaks off":      "HTTP/1.1 401 Unauthorized\r\nContent-Length: 500\r\n\r\nbad token " + part,
			"body breaks off, 200": "HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n{\"token\":\"" + part,
			"server cuts":          "HTTP/1.1 401 Unauthorized\r\nConnection: close\r\n\r\n{\"detail\":\"bad token " + part + "... (cut)\"}",
			"server hides half":    "HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\nbad token ****" + end,
			"field name":           "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n{\"" + part + "\":tru}",
			"header without colon": "HTTP/1.1 200 OK\r\nX-Echo " + part + "\r\n\r\n",
			"status line":          "HTTP/1.1 " + part + "\r\n\r\n",
			"chunk length":         "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + part + "\r\n",
			"escaped":              "HTTP/1.1 500 Oops\r\nConnection: close\r\n\r\n" + strings.ReplaceAll(part, "+", `\u002B`),
			"query":                "HTTP/1.1 500 Oops\r\nConnection: close\r\n\r\n/?t=" + url.QueryEscape(part),
			"host of a redirect":   "HTTP/1.1 302 Found\r\nConnection: close\r\nLocation: https://" + strings.ReplaceAll(part, "/", ".") + ".example/\r\n\r\n",
		} {
			c := serving(t, func(w http.ResponseWriter, _ *http.Request) { writeRaw(w, answer) }, client.WithToken(longToken))
			_, err := c.ListPeers(t.Context())
			require.Error(t, err, name)
			assertNoPart(t, shown(err), name)
			assertNoPart(t, difference(err), name)
		}
	}
}

// difference returns what testify prints when err is compared with another error. It
// ignores the methods of its fields.
func difference(err error) string {
	var f failures
	assert.Equal(&f, &client.MeshGatewayError{}, err)
	var failed *client.MeshGatewayError
	if errors.As(err, &failed) {
		assert.Equal(&f, client.MeshGatewayError{}, *failed)
	}
	return f.text
}

func TestStatusTextOfAProxyIsRedacted(t *testing.T) {
	t.Parallel()
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		writeRaw(w, "HTTP/1.1 407 who is "+longToken[3:]+"\r\nContent-Length: 0\r\n\r\n")
	}))
	t.Cleanup(proxy.Close)
	address, err := url.Parse(proxy.URL)
	require.NoError(t, err)
	c := newClient(t, "node-a", client.WithGatewayURL("https://gateway.invalid"), client.WithToken(longToken),
		client.WithHTTPClient(&http.Client{Transport: &http.Transport{Proxy: http.ProxyURL(address)}}))
	_, err = c.ListPeers(t.Context())
	require.ErrorContains(t, err, "who is [REDACTED]")
	assertNoPart(t, shown(err))
}

func TestTextOfThePackageIsNotRedacted(t *testing.T) {
	t.Parallel()
	for _, own := range []string{"a-response-is-larger-than-allowed", "no complete response within 10s", "required field is missing"} {
		c := answering(t, 200, "application/json", `{"peers":[{"url":"`+long("x", 100)+`"}]}`, client.WithToken(strings.ReplaceAll(own, " ", "-")),
			client.WithMaxResponseBytes(1<<10))
		_, err := c.ListPeers(t.Context())
		require.ErrorContains(t, err, "required field is missing")
	}
	c := newClient(t, "node-a", client.WithGatewayURL("http://127.0.0.1:1"), client.WithToken("x-connection-refused-x"))
	_, err := c.ListPeers(t.Context())
	require.ErrorContains(t, err, "[REDACTED]", "the text of net/http comes from outside")
}

func TestNamesOfOtherPeersAreRedacted(t *testing.T) {
	t.Parallel()
	g := gatewaytest.New(t, gatewaytest.WithToken("node-b-0123456789"), gatewaytest.WithPeers("node-b-012345678"))
	_, err := connect(t, g, "node-a").Send(t.Context(), client.SendRequest{To: "node-b-0123", Kind: client.KindFYI, Content: "x"})
	var unknown *client.NotInRegistryError
	require.ErrorAs(t, err, &unknown)
	assert.Equal(t, []string{"[REDACTED]"}, unknown.Near)
	assert.NotContains(t, shown(err), "node-b-012345678")
}

func TestFieldOfThePeerTokenIsRecognizedWithEscapes(t *testing.T) {
	t.Parallel()
	minted := "EXAMPLE-" + long("z9", 10)
	for _, field := range []string{`"peer_token"`, `"peer\u005ftoken"`, `"\u0070eer_token"`, `&quot;peer_token&quot;`, `peer%5Ftoken`} {
		_, err := answering(t, 500, "text/plain", fmt.Sprintf(`{%s:%q}`, field, minted)).Register(t.Context(), client.RegisterRequest{URL: "http://a"})
		gatewayError(t, err)
		assert.NotContains(t, shown(err), minted, field)
	}
}
