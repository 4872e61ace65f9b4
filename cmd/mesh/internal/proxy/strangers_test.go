package proxy_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/url"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Other users must not be able to hold so many connections that the process can't open
// more.
func TestConnectionsWithoutTheSecretEnd(t *testing.T) {
	t.Parallel()
	p := start(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, chatAnswer) }, []string{"openai=%s/v1"})
	u, err := url.Parse(p.base)
	require.NoError(t, err)
	open := func(text string) net.Conn {
		conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", u.Host)
		require.NoError(t, err)
		t.Cleanup(func() { conn.Close() })
		_, err = io.WriteString(conn, text)
		require.NoError(t, err)
		return conn
	}
	known := open("GET " + u.Path + "/models HTTP/1.1\r\nHost: " + u.Host + "\r\n\r\n")
	responses := bufio.NewReader(known)
	res, err := http.ReadResponse(responses, nil)
	require.NoError(t, err)
	textOf(t, res)
	var strangers []net.Conn
	for range 100 {
		strangers = append(strangers, open("GET /models HTTP/1.1\r\nHost: "+u.Host+"\r\n\r\n"),
			open("POST /models HTTP/1.1\r\nHost: "+u.Host+"\r\nContent-Length: 9\r\n\r\n"), open(""), open("GET"))
	}
	assert.Equal(t, chatAnswer, textOf(t, do(t, http.MethodPost, p.base+"/chat/completions", chat)))
	for i, conn := range strangers {
		t.Logf("connection %d", i)
		_, _ = io.Copy(io.Discard, conn) // until it ends
	}
	_, err = io.WriteString(known, "GET "+u.Path+"/models HTTP/1.1\r\nHost: "+u.Host+"\r\n\r\n")
	require.NoError(t, err)
	_, err = http.ReadResponse(responses, nil)
	require.NoError(t, err, "connections with the secret stay")
}
