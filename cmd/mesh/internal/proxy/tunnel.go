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
	hosts map[tunnelKey]Bypass
	// claude reports whether calls of Claude Code were counted.
	claude atomic.Bool
}

// tunnelKey is a host, and whether a tunnel is one of Claude Code. Its calls use the base URL; what it sends beside them is no call.
type tunnelKey struct {
	host   string
	claude bool
}

// add adds connections.
func (b *bypasses) add(key tunnelKey, more Bypass) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.hosts[key] = b.hosts[key].plus(more)
}

// all returns the hosts in their order.
func (b *bypasses) all() []Bypass {
	b.mu.Lock()
	defer b.mu.Unlock()
	sums := map[string]Bypass{}
	for key, h := range b.hosts {
		if !key.claude || !b.claude.Load() {
			sums[key.host] = sums[key.host].plus(h)
		}
	}
	list := make([]Bypass, 0, len(sums))
	for _, host := range slices.Sorted(maps.Keys(sums)) {
		sum := sums[host]
		sum.Host = host
		sum.Provider, _ = meter.HostProvider(host)
		if remedy := remedies[nameOf(host)]; remedy != "" {
			sum.Remedy = host + "=" + remedy
		}
		list = append(list, sum)
	}
	return list
}

// plus returns the sum of the connections to one host.
func (b Bypass) plus(more Bypass) Bypass {
	b.Connections += more.Connections
	b.Sent += more.Sent
	b.Received += more.Received
	b.Direct += more.Direct
	return b
}

// claudeTunnel reports whether CONNECT is of the form that Claude Code sends: curl and Go have a User-Agent, Python has no Proxy-Connection.
func claudeTunnel(r *http.Request) bool {
	return r.Host == "api.anthropic.com:443" && r.UserAgent() == "" && r.Header.Get("Proxy-Connection") != ""
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
