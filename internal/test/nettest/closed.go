package nettest

import (
	"net"
	"testing"
)

// ClosedAddress returns a loopback address where no server listens until the test ends.
// It's the local address of an open connection. A closed server's address wouldn't do,
// because the system may assign its port to another test.
func ClosedAddress(t testing.TB) string {
	t.Helper()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	near, err := new(net.Dialer).DialContext(t.Context(), "tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = near.Close() })
	far, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = far.Close() })
	return near.LocalAddr().String()
}
