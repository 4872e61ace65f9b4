// Package sockets finds the connections of a command and its children that lead past a proxy. It reads the tables of Linux; on other systems
// it finds nothing.
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
	// Hosts are HOST:PORT.
	Hosts []string
	// Own reports whether a connection is one of the proxy, or leads to it.
	Own func(local, remote netip.AddrPort) bool
	// Secret is a text in the environment of the command, by which its children are known whose parent has ended.
	Secret string
	// Lookup returns the addresses of a host; nil is that of net.
	Lookup func(ctx context.Context, host string) ([]netip.Addr, error)
}

// Watch is the connections that were seen. They are sampled, and closed ones stay in the table of Linux for a minute, so that short ones are
// seen too, except those that the other side has closed between two samples.
type Watch struct {
	Config
	ports   []uint16
	command int
	seen    map[connection]verdict
	stop    chan struct{}
	ended   sync.WaitGroup
	names   map[netip.AddrPort]string
	fresh   bool // connections were seen since the names were looked up
	looked  time.Time
}

// connection is the two ends of a connection.
type connection struct{ local, remote netip.AddrPort }

// verdict is whose a connection is.
type verdict int

const (
	others  verdict = 1 + iota // another program has it
	command                    // the command or one of its children has it
	closed                     // it was closed before a sample, or its process is hidden
)

// New returns a Watch that disregards the connections there are.
func New(c Config) *Watch {
	if c.Lookup == nil {
		c.Lookup = func(ctx context.Context, host string) ([]netip.Addr, error) {
			return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
		}
	}
	w := &Watch{Config: c, seen: map[connection]verdict{}, stop: make(chan struct{}), names: map[netip.AddrPort]string{}}
	for _, host := range c.Hosts {
		if _, port := split(host); port != 0 && !slices.Contains(w.ports, port) {
			w.ports = append(w.ports, port)
		}
	}
	for _, r := range connections(w.ports) {
		w.seen[r.connection] = others
	}
	return w
}

// Start begins to sample the connections of a command.
func (w *Watch) Start(pid int) {
	w.command = pid
	w.ended.Go(func() {
		const pause, share = 50 * time.Millisecond, 50 // a fiftieth of a processor at most
		for {
			began := time.Now()
			w.sample()
			select {
			case <-w.stop:
				return
			case <-time.After(max(pause, share*time.Since(began))):
			}
		}
	})
}

// End returns the number of connections to each host.
func (w *Watch) End() map[string]int {
	close(w.stop)
	w.ended.Wait()
	w.sample()
	if w.fresh {
		w.lookUp()
	}
	counts := map[string]int{}
	for c, v := range w.seen {
		if host := w.names[c.remote]; host != "" && v != others {
			counts[host]++
		}
	}
	return counts
}

// sample decides on the connections that are new, and forgets those of other programs that are gone.
func (w *Watch) sample() {
	present := map[connection]bool{}
	var added []row
	for _, r := range connections(w.ports) {
		present[r.connection] = true
		if w.seen[r.connection] == 0 && !w.Own(r.local, r.remote) {
			added = append(added, r)
		}
	}
	pids := owners(added)
	for i, r := range added {
		v := w.judge(pids[i])
		w.seen[r.connection], w.fresh = v, w.fresh || v != others
	}
	maps.DeleteFunc(w.seen, func(c connection, v verdict) bool { return v == others && !present[c] })
	const again = time.Minute
	if w.fresh && time.Since(w.looked) > again { // soon, since the addresses of a host change
		w.lookUp()
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
func (w *Watch) lookUp() {
	ports := map[uint16]bool{}
	for c, v := range w.seen {
		ports[c.remote.Port()] = ports[c.remote.Port()] || v != others
	}
	const patience, parallel = 2 * time.Second, 32
	ctx, cancel := context.WithTimeout(context.Background(), patience)
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
