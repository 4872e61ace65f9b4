package proxy

import (
	"cmp"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
	"github.com/mesh-gateway/mesh-go/discovery/meter"
	"github.com/mesh-gateway/mesh-go/discovery/models"
)

// Bypass counts the connections to a host whose calls aren't counted. A tunnel is
// encrypted, and HTTP/2 puts many calls into one connection, so the number of calls is
// unknown.
type Bypass struct {
	Host        string          `json:"host"`
	Provider    models.Provider `json:"provider"`
	Connections int             `json:"connections"`
	Sent        int64           `json:"sent_bytes"`
	Received    int64           `json:"received_bytes"`
	// Direct counts connections that bypassed the proxy. Their bytes are a lower bound.
	Direct int `json:"direct"`
	// Remedy is the --host value that makes the calls count. It's "" if the host needs no
	// --host.
	Remedy string `json:"remedy"`
}

type bypasses struct {
	mu    sync.Mutex
	hosts map[tunnelKey]Bypass
	// claude reports whether calls from Claude Code were counted.
	claude atomic.Bool
}

// tunnelKey keeps Claude Code's tunnels apart. Claude Code sends its calls to the base
// URL; other requests, which go through a tunnel, aren't calls.
type tunnelKey struct {
	host   string
	claude bool
}

func (b *bypasses) add(key tunnelKey, more Bypass) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.hosts[key] = b.hosts[key].plus(more)
}

// all returns bypasses sorted by host. If Claude Code's calls were counted, its tunnels
// are left out.
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

func (b Bypass) plus(more Bypass) Bypass {
	b.Connections += more.Connections
	b.Sent += more.Sent
	b.Received += more.Received
	b.Direct += more.Direct
	return b
}

// Rejection counts connections by a client that rejects the authority's certificate.
// Its calls weren't sent.
type Rejection struct {
	Host string `json:"host"`
	// Client is the User-Agent from CONNECT, or "" if missing.
	Client string `json:"client"`
	// Alert is the TLS alert from the client, or "" if it closed the connection without
	// any.
	Alert       string `json:"alert"`
	Connections int    `json:"connections"`
}

// rejections counts connections without a request.
type rejections struct {
	mu       sync.Mutex
	counts   map[Rejection]int // Connections is 0 in the keys
	accepted map[Rejection]bool
}

func rejectionOf(d *decrypted, alert string) Rejection {
	return Rejection{Host: withoutPort(d.address), Client: output.Shorten(output.Line(d.agent)), Alert: alert}
}

func (r *rejections) add(d *decrypted, alert string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.counts[rejectionOf(d, alert)]++
}

// accept notes that a client accepts the certificate: it may open more connections than
// it uses.
func (r *rejections) accept(d *decrypted) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.accepted[rejectionOf(d, "")] = true
}

// all sorts by host, client and alert.
func (r *rejections) all() []Rejection {
	r.mu.Lock()
	defer r.mu.Unlock()
	list := []Rejection{}
	for key, n := range r.counts {
		if !r.accepted[key] {
			key.Connections = n
			list = append(list, key)
		}
	}
	slices.SortFunc(list, func(a, b Rejection) int {
		return cmp.Or(cmp.Compare(a.Host, b.Host), cmp.Compare(a.Client, b.Client), cmp.Compare(a.Alert, b.Alert))
	})
	return list
}
