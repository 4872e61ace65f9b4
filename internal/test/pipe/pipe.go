// Package pipe runs an HTTP server over connections in memory. In a bubble of testing/synctest, the timeouts of the client and
// of the server then pass in virtual time, so that no test depends on the speed of the machine.
package pipe

import (
	"context"
	"net"
	"net/http"
	"testing"
)

// Transport returns a transport that connects every host to a server with the given handler. Both end with the test.
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

// Accept implements net.Listener.
func (l listener) Accept() (net.Conn, error) {
	select {
	case conn := <-l.conns:
		return conn, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener. http.Server calls it once.
func (l listener) Close() error { close(l.closed); return nil }

// Addr implements net.Listener.
func (l listener) Addr() net.Addr { return &net.TCPAddr{} }
