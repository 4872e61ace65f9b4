// Package sockets finds connections from a command and its children that bypass a proxy.
// It uses Linux kernel tables; on other systems it finds nothing.
package sockets

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"time"
)

// Config says which connections a Watch looks for.
type Config struct {
	// Hosts are HOST or HOST:PORT; the default port is 443.
	Hosts []string
	// Own reports whether the proxy made the connection with this local address.
	Own func(local netip.AddrPort) bool
	// Secret is in the command's environment. It identifies children whose parent has
	// ended.
	Secret string
	// Lookup resolves a host; nil means net's resolver. network is "ip".
	Lookup func(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// Traffic counts connections to a host. Byte counts are lower bounds: traffic after the
// last sample is unknown.
type Traffic struct {
	Connections    int
	Sent, Received int64
}

// Watch lists a command's connections again and again while it runs.
type Watch struct {
	Config
	ports   []uint16
	diag    *diag // nil if unsupported
	command int
	samples int
	seen    map[connection]*sighting
	names   map[netip.AddrPort]string
	fresh   bool // new connections since the last lookup
	looked  time.Time
	stop    chan struct{}
	ended   sync.WaitGroup
}

type connection struct{ local, remote netip.AddrPort }

// row is an entry in the kernel's list.
type row struct {
	connection
	inode          uint32 // 0 if closed
	sent, received int64
}

type sighting struct {
	sent, received int64
	ours           bool // belongs to the command
	last           int  // number of the last sample with it
}

// New returns a Watch that ignores existing connections.
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

// Start samples the command's connections in the background until End.
func (w *Watch) Start(ctx context.Context, pid int) {
	w.command = pid
	if w.diag == nil {
		return
	}
	w.ended.Go(func() {
		const pause, share = 50 * time.Millisecond, 50 // at most 1/50 of a CPU
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

// End stops sampling and returns the traffic by host. It returns nil if the system can't
// list connections.
func (w *Watch) End(ctx context.Context) map[string]Traffic {
	close(w.stop)
	w.ended.Wait()
	if w.diag == nil {
		return nil
	}
	defer w.diag.close()
	const late = 10 * time.Millisecond // the kernel announces closed connections a little late
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

// sample adds new connections. A connection without a visible owner counts as the
// command's: either it was closed, or its process is hidden.
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
	// keep one more sample: the kernel announces closed connections a little late
	maps.DeleteFunc(w.seen, func(_ connection, s *sighting) bool { return !s.ours && s.last < w.samples-1 })
	const again = time.Minute
	if w.fresh && time.Since(w.looked) > again { // soon after the connection: DNS answers change
		w.lookUp(ctx)
	}
}

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

// split defaults to the https port.
func split(address string) (host string, port uint16) {
	host, text, err := net.SplitHostPort(address)
	if err != nil {
		return address, 443
	}
	n, _ := strconv.ParseUint(text, 10, 16)
	return host, uint16(n)
}

// owners maps each visible socket inode to whether it's ours: its process descends from
// command, or has secret in its environment.
func owners(command int, secret string) map[uint32]bool {
	inodes := map[uint32]bool{}
	processes, _ := filepath.Glob("/proc/[0-9]*")
	for _, folder := range processes {
		pid, _ := strconv.Atoi(filepath.Base(folder))
		environment, _ := os.ReadFile(filepath.Join(folder, "environ")) //nolint:gosec // in /proc
		ours := descends(pid, command) || (secret != "" && bytes.Contains(environment, []byte(secret)))
		files, _ := filepath.Glob(filepath.Join(folder, "fd", "*"))
		for _, file := range files {
			target, _ := os.Readlink(file)
			var inode uint32
			if n, _ := fmt.Sscanf(target, "socket:[%d]", &inode); n == 1 {
				inodes[inode] = inodes[inode] || ours
			}
		}
	}
	return inodes
}

// descends also returns true for the ancestor itself.
func descends(pid, ancestor int) bool {
	for pid > 1 && pid != ancestor {
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:]) // the program name may contain spaces
		if len(fields) < 2 {
			return false
		}
		pid, _ = strconv.Atoi(string(fields[1]))
	}
	return pid == ancestor
}
