// Package sockets finds the connections of a command and its children that lead past a proxy. It reads the tables of Linux; on other systems
// it finds nothing.
package sockets

import (
	"context"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"sync"
	"time"
)

// Config is what a Watch looks for.
type Config struct {
	// Hosts are HOST:PORT.
	Hosts []string
	// Own reports whether a connection is one of the proxy, or leads to it.
	Own func(local, remote netip.AddrPort) bool
	// Secret is a text in the environment of the command, by which its children are known whose parent has ended.
	Secret string
	// Lookup returns the addresses of a host; nil is that of net.
	Lookup func(ctx context.Context, host string) ([]netip.Addr, error)
}

// Traffic is the connections to a host.
type Traffic struct {
	Connections    int
	Sent, Received int64
	// Unmeasured is the number of connections whose bytes are not known.
	Unmeasured int
}

// Watch is the connections that were seen. Samples show whose they are. The kernel reports those that end, so that the short ones are
// seen, too; where it does not, the table has most of them for another minute.
type Watch struct {
	Config
	ports     []uint16
	command   int
	seen      map[connection]verdict
	stop      chan struct{}
	ended     sync.WaitGroup
	destroyed *destroyed // nil if the kernel does not report them
	mu        sync.Mutex
	traffic   map[connection]traffic // of those that were reported
	names     map[netip.AddrPort]string
	fresh     bool // connections were seen since the names were looked up
	looked    time.Time
}

// connection is the two ends of a connection.
type connection struct{ local, remote netip.AddrPort }

// traffic is the bytes of a connection, if they are known.
type traffic struct {
	sent, received int64
	known          bool
}

// verdict is whose a connection is.
type verdict int

const (
	others  verdict = 1 + iota // another program has it
	command                    // the command or one of its children has it
	closed                     // it was closed before a sample, or its process is hidden
	gone                       // another program had it, and the last sample had it no more
)

// New returns a Watch that disregards the connections there are.
func New(c Config) *Watch {
	if c.Lookup == nil {
		c.Lookup = func(ctx context.Context, host string) ([]netip.Addr, error) {
			return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
		}
	}
	w := &Watch{Config: c, seen: map[connection]verdict{}, traffic: map[connection]traffic{}, stop: make(chan struct{}), names: map[netip.AddrPort]string{}}
	for _, host := range c.Hosts {
		if _, port := split(host); port != 0 && !slices.Contains(w.ports, port) {
			w.ports = append(w.ports, port)
		}
	}
	if w.destroyed = newDestroyed(); w.destroyed != nil {
		go w.destroyed.each(w.ports, func(c connection, t traffic) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.traffic[c] = t
		})
	}
	for _, r := range connections(w.ports) {
		w.seen[r.connection] = others
	}
	return w
}

// Start begins to sample the connections of a command.
func (w *Watch) Start(ctx context.Context, pid int) {
	w.command = pid
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
	if w.destroyed != nil {
		const late = 10 * time.Millisecond // the kernel reports a moment later
		<-time.After(late)
		defer w.destroyed.close()
	}
	w.sample(ctx)
	if w.fresh {
		w.lookUp(ctx)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	sums := map[string]Traffic{}
	for c, v := range w.seen {
		host := w.names[c.remote]
		if host == "" || (v != command && v != closed) {
			continue
		}
		sum, t := sums[host], w.traffic[c]
		sum.Connections, sum.Sent, sum.Received = sum.Connections+1, sum.Sent+t.sent, sum.Received+t.received
		if !t.known {
			sum.Unmeasured++
		}
		sums[host] = sum
	}
	return sums
}

// sample decides on the connections that are new, and forgets those of other programs that are gone.
func (w *Watch) sample(ctx context.Context) {
	present := w.reported()
	var added []row
	for _, r := range connections(w.ports) {
		present[r.connection] = true
		if w.seen[r.connection] == 0 && !w.Own(r.local, r.remote) {
			added = append(added, r)
		}
	}
	pids := owners(added)
	for i, r := range added {
		w.decide(r.connection, w.judge(pids[i]))
	}
	w.forget(present)
	const again = time.Minute
	if w.fresh && time.Since(w.looked) > again { // soon, since the addresses of a host change
		w.lookUp(ctx)
	}
}

// reported decides on the connections that have ended unseen, and returns those of other programs that were reported since the last sample.
func (w *Watch) reported() map[connection]bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	present := map[connection]bool{}
	for c := range w.traffic {
		switch v := w.seen[c]; {
		case v == command || v == closed:
		case v == 0 && !w.Own(c.local, c.remote):
			w.decide(c, closed)
		default:
			present[c] = true
			delete(w.traffic, c)
		}
	}
	return present
}

func (w *Watch) decide(c connection, v verdict) {
	w.seen[c], w.fresh = v, w.fresh || v != others
}

// forget removes the connections of other programs that two samples did not have. What is reported arrives a moment later.
func (w *Watch) forget(present map[connection]bool) {
	for c, v := range w.seen {
		switch {
		case present[c]:
		case v == others:
			w.seen[c] = gone
		case v == gone:
			delete(w.seen, c)
		}
	}
}

// judge returns whose the connection of a process is; 0 is no process.
func (w *Watch) judge(pid int) verdict {
	switch {
	case pid == 0:
		return closed
	case descends(pid, w.command), inherits(pid, w.Secret):
		return command
	}
	return others
}

// lookUp looks up the hosts with the ports of connections.
func (w *Watch) lookUp(ctx context.Context) {
	ports := map[uint16]bool{}
	for c, v := range w.seen {
		ports[c.remote.Port()] = ports[c.remote.Port()] || v == command || v == closed
	}
	const patience, parallel = 2 * time.Second, 32
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	w.looked, w.fresh = time.Now(), false
	var mu sync.Mutex
	var all sync.WaitGroup
	running := make(chan struct{}, parallel)
	for _, host := range w.Hosts {
		name, port := split(host)
		if !ports[port] {
			continue
		}
		running <- struct{}{}
		all.Go(func() {
			defer func() { <-running }()
			addresses, _ := w.Lookup(ctx, name)
			mu.Lock()
			defer mu.Unlock()
			for _, a := range addresses {
				w.names[netip.AddrPortFrom(a.Unmap(), port)] = host
			}
		})
	}
	all.Wait()
}

// split returns the name and the port of HOST:PORT.
func split(address string) (host string, port uint16) {
	host, text, _ := net.SplitHostPort(address)
	n, _ := strconv.ParseUint(text, 10, 16)
	return host, uint16(n)
}
