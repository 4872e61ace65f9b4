package client_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/mesh-gateway/mesh-go/client"
)

// After a 101 the body is the connection itself, which has no end.
func TestSwitchingProtocolsIsAnError(t *testing.T) {
	t.Parallel()
	c := serving(t, verbatim(t, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"), client.WithTimeout(time.Minute))
	for operation, call := range operations {
		assert.Equal(t, 101, gatewayError(t, call(t.Context(), c)).StatusCode, operation)
	}
}

// net/http accepts any three digits as a status, including 000.
func TestResponseWithStatus000IsAnError(t *testing.T) {
	t.Parallel()
	c := serving(t, verbatim(t, "HTTP/1.1 000 \r\nContent-Length: 0\r\n\r\n"))
	for operation, call := range operations {
		failed := gatewayError(t, call(t.Context(), c))
		assert.Zero(t, failed.StatusCode, operation)
		assert.ErrorContains(t, failed, "the response has no status", operation)
	}
}

// verbatim answers with text and keeps the connection open until the end of the test.
func verbatim(t *testing.T, text string) http.HandlerFunc {
	t.Helper()
	return func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		t.Cleanup(func() { _ = conn.Close() })
		_, _ = conn.Write([]byte(text))
	}
}
