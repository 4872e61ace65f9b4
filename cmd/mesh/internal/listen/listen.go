// Package listen checks addresses to listen on.
package listen

import (
	"errors"
	"net/netip"
	"net/url"
	"strconv"
	"syscall"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/exit"
)

// Error adds the flag, and a hint if the port is taken.
func Error(flag string, err error) error {
	if errors.Is(err, syscall.EADDRINUSE) {
		return exit.Usagef("%w; another mesh may run there; %s 127.0.0.1:0 selects a free port", err, flag)
	}
	return exit.Usagef("%s: %w", flag, err)
}

// Check refuses a port without a host.
func Check(flag, addr string) error {
	if _, err := strconv.ParseUint(addr, 10, 16); err == nil {
		return exit.Usagef("%s %q must be 127.0.0.1:%[2]s, or :%[2]s for all interfaces", flag, addr)
	}
	return nil
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
