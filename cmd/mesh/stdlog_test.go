package main

import (
	"io"
	"log"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// lines sends each record to a channel.
type lines chan string

func (l lines) Write(record []byte) (int, error) { l <- string(record); return len(record), nil }

// The test is not parallel: it changes the standard logger.
func TestStandardLogShowsNoUnsolicitedResponse(t *testing.T) {
	const token = "example-token-0123456789-abcdefghij"
	t.Setenv("MESH_GATEWAY_TOKEN", token)
	written, before := make(lines, 1), log.Writer()
	log.SetOutput(stdLog{written})
	t.Cleanup(func() { log.SetOutput(before) })
	for _, echo := range []string{token, "\"" + token, token[:12], strings.ReplaceAll(token, "-", "%2D")} {
		address := serveOnce(t, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200 OK\r\nX-Echo: "+echo+"\r\n\r\n")
		resp, err := http.Get("http://" + address)
		require.NoError(t, err)
		_, _ = io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close()
		got := <-written
		assert.Contains(t, got, "Unsolicited response received")
		assert.NotContains(t, got, echo)
		assert.Equal(t, 1, strings.Count(got, "\n"))
	}
}

func TestStandardLogIsRedacted(t *testing.T) {
	const token = "example-token-0123456789-abcdefghij"
	t.Setenv("MESH_GATEWAY_TOKEN", token)
	var out strings.Builder
	record := "proxy answered " + token + " and " + strings.Join([]string{"pypi", strings.Repeat("a", 30)}, "-") + "\x1b[2J"
	n, err := log.New(stdLog{&out}, "", 0).Writer().Write([]byte(record + "\n"))
	require.NoError(t, err)
	assert.Equal(t, len(record)+1, n)
	assert.Equal(t, "proxy answered [REDACTED:live-gateway-token] and [REDACTED:pypi-token]\uFFFD[2J\n", out.String())
}

// serveOnce answers one connection with text and returns its address.
func serveOnce(t *testing.T, text string) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		t.Cleanup(func() { _ = conn.Close() })
		_, _ = conn.Read(make([]byte, 1))
		_, _ = io.WriteString(conn, text)
	}()
	return listener.Addr().String()
}
