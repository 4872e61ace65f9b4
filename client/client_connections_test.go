package client_test

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/internal/test/nettest"
)

// These tests cover connections made by the transport from [client.New].

// The server answers a round once all senders have arrived, so each needs its own
// connection. Otherwise net/http may start an unneeded dial, and the number would depend
// on the scheduler. Time is virtual, so no connection is idle for long on a slow machine.
// Not parallel: it replaces http.DefaultTransport.
func TestConnectionsAreReused(t *testing.T) {
	const senders = 50
	before := http.DefaultTransport
	t.Cleanup(func() { http.DefaultTransport = before })
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		arrived, all := 0, make(chan struct{})
		transport := nettest.Pipe(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodGet {
				_, _ = w.Write([]byte(`[{"name":"node-b"}]`))
				return
			}
			mu.Lock()
			round := all
			if arrived++; arrived%senders == 0 {
				close(all)
				all = make(chan struct{})
			}
			mu.Unlock()
			<-round
			_, _ = w.Write([]byte(receipt))
		}))
		var dialed atomic.Int64
		dial := transport.DialContext
		transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
			dialed.Add(1)
			return dial(ctx, network, address)
		}
		transport.MaxIdleConns = 100 // the default of net/http
		http.DefaultTransport = transport
		c := newClient(t, "node-a", client.WithGatewayURL("http://gateway.test"))
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
		assert.EqualValues(t, senders, dialed.Load(), "one for each concurrent sender")
	})
}

// The gateway drops idle connections after five seconds, and a request on a connection
// that was just dropped fails. Not parallel: it replaces http.DefaultTransport, which
// every client copies.
func TestIdleConnectionsAreClosedBeforeTheGatewayDropsThem(t *testing.T) {
	before := http.DefaultTransport
	t.Cleanup(func() { http.DefaultTransport = before })
	synctest.Test(t, func(t *testing.T) {
		idle := make(chan time.Duration, 1)
		http.DefaultTransport = &http.Transport{
			DialContext: func(context.Context, string, string) (net.Conn, error) {
				near, far := net.Pipe()
				go func() { idle <- answerOnce(t, far) }()
				return near, nil
			},
			IdleConnTimeout: 90 * time.Second, // the default of net/http
		}
		c := newClient(t, "node-a", client.WithGatewayURL("http://gateway.test"))
		_, err := c.Health(t.Context())
		require.NoError(t, err)
		got := <-idle
		assert.Less(t, got, 5*time.Second)
		assert.GreaterOrEqual(t, got, time.Second, "connections are reused")
	})
}

// answerOnce answers one request and returns how long the client keeps the connection
// open.
func answerOnce(t *testing.T, conn net.Conn) time.Duration {
	t.Helper()
	_, err := http.ReadRequest(bufio.NewReader(conn))
	assert.NoError(t, err)
	_, err = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
	assert.NoError(t, err)
	begin := time.Now()
	_, _ = io.Copy(io.Discard, conn)
	return time.Since(begin)
}
