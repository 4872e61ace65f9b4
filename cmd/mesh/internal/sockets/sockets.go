// Package sockets finds the connections of a command and its children that lead past a proxy. It reads what the kernel of Linux lists; on
// other systems it finds nothing.
package sockets

import (
	"context"
	"maps"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"sync"
	"time"
)

// Config is what a Watch looks for.
type Config struct {
	// Hosts are HOST or HOST:PORT; without a port it is that of https.
	Hosts []string
	// Own reports whether the local end of a connection is one of the proxy.
	Own func(local netip.AddrPort) bool
	// Secret is a text in the environment of the command, by which its children are known whose parent has ended.
	Secret string
	// Lookup returns the addresses of a host in the network "ip"; nil is that of net.
	Lookup func(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// Traffic is the connections to a host. The bytes are a lower bound: those of a connection are known as far as it was seen.
type Traffic struct {
	Connections    int
	Sent, Received int64
}

// Watch is the connections that were seen. Samples show whose they are.
type Watch struct {
	Config
	ports   []uint16
	diag    *diag // nil if the kernel lists no connections
	command int
	samples int
	seen    map[connection]*sighting
	names   map[netip.AddrPort]string
	fresh   bool // connections were found since the names were looked up
	looked  time.Time
	stop    chan struct{}
	ended   sync.WaitGroup
}

// connection is the two ends of a connection.
type connection struct{ local, remote netip.AddrPort }

// row is a connection in the list of the kernel.
type row struct {
	connection
	inode          uint32 // 0 for one that was closed
	sent, received int64
}

// sighting is a connection that was seen.
type sighting struct {
	sent, received int64
	ours           bool // it is of the command
	last           int  // the sample that had it
}

// New returns a Watch that disregards the connections there are.
func New(c Config) *Watch {
	if c.Lookup == nil {
		c.Lookup = net.DefaultResolver.LookupNetIP
	}
	w := &Watch{Config: c, diag: openDiag(), seen: map[connection]*sighting{}, names: map[netip.AddrPort]string{}, stop: make(chan struct{})}
	for _, host := range c.Hosts {
		if _, port := split(host); !slices.Contains(w.ports, port) {
			w.ports = append(w.ports, port)
		}
	}
	if w.diag != nil {
		for _, r := range w.diag.rows(w.ports) {
			w.seen[r.connection] = &sighting{}
		}
	}
	return w
}

// Start begins to sample the connections of a command.
func (w *Watch) Start(ctx context.Context, pid int) {
	w.command = pid
	if w.diag == nil {
		return
	}
	w.ended.Go(func() {
		const pause, share = 50 * time.Millisecond, 50 // a fiftieth of a processor at most
		for {
			began := time.Now()
			w.sample(ctx)
			select {
			case <-w.stop:
				return
			case <-time.After(max(pause, share*time.Since(began))):
			}
		}
	})
}

// End returns the connections to each host.
func (w *Watch) End(ctx context.Context) map[string]Traffic {
	close(w.stop)
	w.ended.Wait()
	if w.diag == nil {
		return nil
	}
	defer w.diag.close()
	const late = 10 * time.Millisecond // the kernel reports a moment later
	<-time.After(late)
	w.looked = time.Time{}
	w.sample(ctx)
	sums := map[string]Traffic{}
	for c, s := range w.seen {
		if host := w.names[c.remote]; s.ours && host != "" {
			sum := sums[host]
			sums[host] = Traffic{sum.Connections + 1, sum.Sent + s.sent, sum.Received + s.received}
		}
	}
	return sums
}

// sample adds the connections that are new. One without an owner was closed, or its process is hidden: it is taken for one of the command.
func (w *Watch) sample(ctx context.Context) {
	w.samples++
	owned := sync.OnceValue(func() map[uint32]bool { return owners(w.command, w.Secret) })
	ofOthers := func(inode uint32) bool {
		ours, found := owned()[inode]
		return found && !ours
	}
	for _, r := range w.diag.rows(w.ports) {
		s := w.seen[r.connection]
		if s == nil {
			s = &sighting{ours: !w.Own(r.local) && !ofOthers(r.inode)}
			w.seen[r.connection] = s
			w.fresh = w.fresh || s.ours
		}
		s.sent, s.received, s.last = max(r.sent, s.sent), max(r.received, s.received), w.samples
	}
	// The kernel reports a moment later what has ended.
	maps.DeleteFunc(w.seen, func(_ connection, s *sighting) bool { return !s.ours && s.last < w.samples-1 })
	const again = time.Minute
	if w.fresh && time.Since(w.looked) > again { // soon, since the addresses of a host change
		w.lookUp(ctx)
	}
}

// lookUp looks up the hosts.
func (w *Watch) lookUp(ctx context.Context) {
	const patience, parallel = 2 * time.Second, 32
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	w.looked, w.fresh = time.Now(), false
	var mu sync.Mutex
	var all sync.WaitGroup
	running := make(chan struct{}, parallel)
	for _, host := range w.Hosts {
		running <- struct{}{}
		all.Go(func() {
			defer func() { <-running }()
			name, port := split(host)
			addresses, _ := w.Lookup(ctx, "ip", name)
			mu.Lock()
			defer mu.Unlock()
			for _, a := range addresses {
				w.names[netip.AddrPortFrom(a.Unmap(), port)] = host
			}
		})
	}
	all.Wait()
}

// split returns the name and the port of a host.
func split(address string) (host string, port uint16) {
	host, text, err := net.SplitHostPort(address)
	if err != nil {
		return address, 443
	}
	n, _ := strconv.ParseUint(text, 10, 16)
	return host, uint16(n)
}
