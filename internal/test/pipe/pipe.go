// Package pipe runs an HTTP server over in-memory connections. In a testing/synctest
// bubble, client and server timeouts then pass in virtual time, so no test depends on the
// machine's speed.
package pipe

import (
	"context"
	"net"
	"net/http"
	"testing"
)

// Transport returns a transport that connects every host to a server with the given
// handler. Both stop when the test ends.
func Transport(t *testing.T, handler http.Handler) *http.Transport {
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
