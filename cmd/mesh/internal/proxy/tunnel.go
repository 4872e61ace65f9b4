package proxy

import (
	"context"
	"io"
	"maps"
	"net"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/mesh-gateway/mesh-go/discovery/meter"
	"github.com/mesh-gateway/mesh-go/discovery/models"
)

// Bypass is the connections to a host whose calls are not counted. What passes through a tunnel is encrypted: HTTP/2 puts many calls into one
// connection, so that the number of calls is not known.
type Bypass struct {
	Host        string          `json:"host"`
	Provider    models.Provider `json:"provider"`
	Connections int             `json:"connections"`
	Sent        int64           `json:"sent_bytes"`
	Received    int64           `json:"received_bytes"`
	// Direct is the number of connections that led past the proxy, whose bytes are a lower bound.
	Direct int `json:"direct"`
	// Remedy is the value of --host with which the calls are counted; "" for the hosts that are counted without it.
	Remedy string `json:"remedy"`
}

// bypasses adds up connections by host.
type bypasses struct {
	mu    sync.Mutex
	hosts map[tunnelKey]*Bypass
	// claude reports whether calls of Claude Code were counted.
	claude atomic.Bool
}

// tunnelKey is a host, and whether a tunnel is one of Claude Code. Its calls use the base URL; what it sends beside them is no call.
type tunnelKey struct {
	host   string
	claude bool
}

// add adds a connection that a request has opened.
func (b *bypasses) add(address string, r *http.Request, sent, received int64) {
	key := tunnelKey{withoutPort(address), claudeTunnel(r)}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.of(key).add(&Bypass{Connections: 1, Sent: sent, Received: received})
}

// of returns the sum of a host.
func (b *bypasses) of(key tunnelKey) *Bypass {
	if b.hosts[key] == nil {
		b.hosts[key] = &Bypass{}
	}
	return b.hosts[key]
}

func (b *Bypass) add(more *Bypass) {
	b.Connections += more.Connections
	b.Sent += more.Sent
	b.Received += more.Received
	b.Direct += more.Direct
}

func newBypass(host string) *Bypass {
	p, _ := meter.HostProvider(host)
	b := &Bypass{Host: host, Provider: p}
	if remedy := remedies[nameOf(host)]; remedy != "" {
		b.Remedy = host + "=" + remedy
	}
	return b
}

// claudeTunnel reports whether CONNECT is of the form that Claude Code sends: curl and Go have a User-Agent, Python has no Proxy-Connection.
func claudeTunnel(r *http.Request) bool {
	return r.Host == "api.anthropic.com:443" && r.UserAgent() == "" && r.Header.Get("Proxy-Connection") != ""
}

// all returns the hosts in their order.
func (b *bypasses) all() []Bypass {
	b.mu.Lock()
	defer b.mu.Unlock()
	sums := map[string]*Bypass{}
	for key, h := range b.hosts {
		if key.claude && b.claude.Load() {
			continue
		}
		if sums[key.host] == nil {
			sums[key.host] = newBypass(key.host)
		}
		sums[key.host].add(h)
	}
	list := make([]Bypass, 0, len(sums))
	for _, host := range slices.Sorted(maps.Keys(sums)) {
		list = append(list, *sums[host])
	}
	return list
}

// tunnel copies between a program and a host until both have ended, and returns the bytes that it sent and received. Either of them may
// end its half first.
func tunnel(ctx context.Context, program, host net.Conn) (sent, received int64) {
	stop := context.AfterFunc(ctx, func() { _, _ = program.Close(), host.Close() })
	defer stop()
	var both sync.WaitGroup
	both.Go(func() { sent = pipe(host, program) })
	received = pipe(program, host)
	both.Wait()
	_, _ = program.Close(), host.Close()
	return sent, received
}

// pipe copies one half of a tunnel. A broken half ends both.
func pipe(to, from net.Conn) int64 {
	n, err := io.Copy(to, from)
	if err != nil || closeWrite(to) != nil {
		_, _ = to.Close(), from.Close()
	}
	return n
}

// closeWrite ends one half of a connection.
func closeWrite(conn net.Conn) error {
	if half, ok := conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return conn.Close()
}
