package client_test

import (
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/mesh-gateway/mesh-go/client"
)

// Every round of senders is held until all have arrived, so that each has a connection of its own: otherwise net/http may
// begin a dial that it then does not need, and the number would depend on the scheduler.
func TestConnectionsAreReused(t *testing.T) {
	t.Parallel()
	const senders = 50
	var mu sync.Mutex
	connections, arrived, all := make(map[string]bool), 0, make(chan struct{})
	c := serving(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			_, _ = w.Write([]byte(`[{"name":"node-b"}]`))
			return
		}
		mu.Lock()
		connections[r.RemoteAddr] = true
		round := all
		if arrived++; arrived%senders == 0 {
			close(all)
			all = make(chan struct{})
		}
		mu.Unlock()
		<-round
		_, _ = w.Write([]byte(receipt))
	})
	for range 3 {
		var round sync.WaitGroup
		for range senders {
			round.Go(func() {
				_, err := c.Send(t.Context(), hello("node-b"))
				assert.NoError(t, err)
			})
		}
		round.Wait()
	}
	assert.Len(t, connections, senders, "one for each concurrent sender, and none is thrown away")
}

// A 101 hands the connection over; reading it as a body would never end.
func TestSwitchingProtocolsIsAnError(t *testing.T) {
	t.Parallel()
	c := serving(t, verbatim(t, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"), client.WithTimeout(5*time.Second))
	for operation, call := range operations {
		assert.Equal(t, 101, gatewayError(t, call(t.Context(), c)).StatusCode, operation)
	}
}

// net/http takes any three digits for a status. Of 000 an error would say nothing at all, without a text of our own.
func TestAnAnswerWithoutAStatusIsAnError(t *testing.T) {
	t.Parallel()
	c := serving(t, verbatim(t, "HTTP/1.1 000 \r\nContent-Length: 0\r\n\r\n"))
	for operation, call := range operations {
		failed := gatewayError(t, call(t.Context(), c))
		assert.Zero(t, failed.StatusCode, operation)
		assert.ErrorContains(t, failed, "the response has no status", operation)
	}
}

// verbatim answers with text, and leaves the connection open until the end of the test.
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
