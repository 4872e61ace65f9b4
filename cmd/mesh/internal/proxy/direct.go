package proxy

import (
	"context"
	"maps"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/sockets"
)

// Direct returns what finds the connections of a command that lead past the proxy, to hosts that serve models. Azure has a host for each
// customer, which a variable of env names.
func (p *Proxy) Direct(env []string) sockets.Config {
	c := sockets.Config{Secret: p.Secret, Own: p.owns}
	for host := range p.hosts {
		if host[0] != '*' {
			c.Hosts = append(c.Hosts, host)
		}
	}
	c.Hosts = slices.AppendSeq(c.Hosts, maps.Keys(remedies))
	for _, variable := range env {
		_, value, _ := strings.Cut(variable, "=")
		if u, err := url.Parse(value); err == nil && u.Scheme == "https" && p.hosts.has(u.Host) && u.Port() == "" {
			c.Hosts = append(c.Hosts, u.Hostname())
		}
	}
	p.watched.Store(true)
	return c
}

// AddDirect adds connections by their hosts to Bypasses.
func (p *Proxy) AddDirect(hosts map[string]sockets.Traffic) {
	for address, t := range hosts {
		p.bypasses.add(tunnelKey{host: withoutPort(address)}, Bypass{Connections: t.Connections, Sent: t.Sent, Received: t.Received, Direct: t.Connections})
	}
}

// owns reports whether the local end of a connection is one of the proxy.
func (p *Proxy) owns(local netip.AddrPort) bool {
	_, dialed := p.dialed.Load(local)
	return dialed
}

type dialFunc = func(ctx context.Context, network, address string) (net.Conn, error)

// noted returns a function to connect whose connections are known as those of the proxy also when they have ended.
func (p *Proxy) noted(dial dialFunc) dialFunc {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		if err == nil && p.watched.Load() {
			p.dialed.Store(conn.LocalAddr().(*net.TCPAddr).AddrPort(), true) //nolint:forcetypeassert // of TCP
		}
		return conn, err
	}
}
