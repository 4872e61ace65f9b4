package proxy

import (
	"cmp"
	"context"
	"io"
	"maps"
	"net"
	"slices"
	"sync"

	"github.com/mesh-gateway/mesh-go/discovery/models"
)

// Bypass is the tunnels to a host of a provider. What passes through them is encrypted: HTTP/2 puts many calls into one connection, so
// that the number of calls is not known.
type Bypass struct {
	Host        string          `json:"host"`
	Provider    models.Provider `json:"provider"`
	Connections int             `json:"connections"`
	Sent        int64           `json:"sent_bytes"`
	Received    int64           `json:"received_bytes"`
	// Recorded reports whether other calls to the host were counted in this run.
	Recorded bool `json:"recorded"`
}

// bypasses adds up tunnels by host.
type bypasses struct {
	mu    sync.Mutex
	hosts map[string]*Bypass
}

func (b *bypasses) add(host string, p models.Provider, sent, received int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.hosts[host] == nil {
		b.hosts[host] = &Bypass{Host: host, Provider: p}
	}
	h := b.hosts[host]
	h.Connections++
	h.Sent += sent
	h.Received += received
}

// all returns the hosts in their order.
func (b *bypasses) all() []Bypass {
	b.mu.Lock()
	defer b.mu.Unlock()
	list := make([]Bypass, 0, len(b.hosts))
	for _, h := range slices.SortedFunc(maps.Values(b.hosts), func(a, b *Bypass) int { return cmp.Compare(a.Host, b.Host) }) {
		list = append(list, *h)
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
