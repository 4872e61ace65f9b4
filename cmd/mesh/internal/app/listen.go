package app

import (
	"errors"
	"net/netip"
	"net/url"
	"strconv"
	"syscall"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/exit"
)

// CheckListen refuses a port without a host in --listen.
func CheckListen(addr string) error {
	if _, err := strconv.ParseUint(addr, 10, 16); err == nil {
		return exit.Usagef("--listen %q must be 127.0.0.1:%[1]s, or :%[1]s for all interfaces", addr)
	}
	return nil
}

// ListenError adds a hint if the port in --listen is taken.
func ListenError(err error) error {
	if errors.Is(err, syscall.EADDRINUSE) {
		return exit.Usagef("%w; another mesh may run there; --listen 127.0.0.1:0 selects a free port", err)
	}
	return exit.Usagef("--listen: %w", err)
}

// IsLoopback reports whether only this machine can reach text, a URL with an IP address
// and a port.
func IsLoopback(text string) bool {
	u, err := url.Parse(text)
	if err != nil {
		return false
	}
	addr, err := netip.ParseAddrPort(u.Host)
	return err == nil && addr.Addr().Unmap().IsLoopback()
}
