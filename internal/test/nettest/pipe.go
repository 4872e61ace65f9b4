// Package nettest has the network's ends for tests: servers over connections in memory,
// an address that refuses connections, and responses read whole.
package nettest

import (
	"context"
	"net"
	"net/http"
	"testing"
)

// Pipe returns a transport that connects every host, over connections in memory, to a
// server with the given handler. Both stop when the test ends. In a testing/synctest
// bubble, their timeouts pass in virtual time, so no test depends on the machine's speed.
func Pipe(t *testing.T, handler http.Handler) *http.Transport {
	t.Helper()
	l := listener{make(chan net.Conn), make(chan struct{})}
	server := &http.Server{Handler: handler} //nolint:gosec // no timeout: nothing else connects to it
	go func() { _ = server.Serve(l) }()
	transport := &http.Transport{DialContext: l.dial}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		_ = server.Close()
	})
	return transport
}

type listener struct {
	conns  chan net.Conn
	closed chan struct{}
}

func (l listener) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	near, far := net.Pipe()
	select {
	case l.conns <- far:
		return near, nil
	case <-l.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (l listener) Accept() (net.Conn, error) {
	select {
	case conn := <-l.conns:
		return conn, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

// Close may be called once, as http.Server does.
func (l listener) Close() error { close(l.closed); return nil }

func (l listener) Addr() net.Addr { return &net.TCPAddr{} }
