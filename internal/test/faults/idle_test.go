package faults_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client"
)

// The gateway closes connections after five idle seconds, and a message leaves every five
// seconds, while the close is still on its way. A transport that keeps connections longer
// fails every second time. Time is virtual.
func TestSendAfterTheGatewayClosedIdleConnections(t *testing.T) {
	const sends, drops = 300, 5 * time.Second
	const between = drops + latency/2
	failures := func(options func() []client.Option) (failed int) {
		replies := recorded(t, sendAtPost().recordings)
		synctest.Test(t, func(t *testing.T) {
			listener := pipes(make(chan net.Conn))
			server := &http.Server{IdleTimeout: drops, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				reply := replies[0]
				if r.Method == http.MethodPost {
					reply = replies[1]
				}
				_, _ = w.Write(reply.body)
			})}
			go func() { _ = server.Serve(listener) }()
			defer server.Close()
			useTransport(t, listener.dial)
			c, err := client.New("node-c", append(options(), client.WithGatewayURL("http://gateway.test"), client.WithToken(token))...)
			require.NoError(t, err)
			defer c.Close()
			for range sends {
				if _, err := send(t.Context(), c); err != nil {
					failed++
				}
				time.Sleep(between)
			}
			http.DefaultTransport.(*http.Transport).CloseIdleConnections()
		})
		return failed
	}
	assert.Zero(t, failures(func() []client.Option { return nil }))
	kept := failures(func() []client.Option {
		return []client.Option{client.WithHTTPClient(&http.Client{Transport: http.DefaultTransport})}
	})
	assert.Equal(t, sends/2, kept, "the default transport keeps connections for 90 s")
}

// useTransport replaces the default transport, which the client copies, until the test
// ends.
func useTransport(t *testing.T, dial func(context.Context, string, string) (net.Conn, error)) {
	t.Helper()
	before := http.DefaultTransport
	t.Cleanup(func() { http.DefaultTransport = before })
	transport := before.(*http.Transport).Clone()
	transport.DialContext = dial
	http.DefaultTransport = transport
}

// pipes is a listener for in-memory connections.
type pipes chan net.Conn

func (p pipes) dial(context.Context, string, string) (net.Conn, error) {
	near, far := net.Pipe()
	p <- remote{far}
	return near, nil
}

// latency is how long the client doesn't notice that its connection was closed.
const latency = time.Millisecond

// remote is a connection that closes with a delay. Anything written in the meantime is
// lost.
type remote struct{ net.Conn }

func (c remote) Close() error {
	_ = c.SetReadDeadline(time.Time{})
	go func() { _, _ = io.Copy(io.Discard, c.Conn) }()
	time.AfterFunc(latency, func() { _ = c.Conn.Close() })
	return nil
}

func (p pipes) Accept() (net.Conn, error) {
	conn, ok := <-p
	if !ok {
		return nil, net.ErrClosed
	}
	return conn, nil
}

func (p pipes) Close() error { close(p); return nil }

func (p pipes) Addr() net.Addr { return &net.TCPAddr{} }
