package proxy

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/meter"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// Meters counts a command's calls. If a host belongs to no provider, we don't know who
// bills the calls, so they use a Meter without prices.
type Meters struct {
	// Refused counts calls refused by a budget.
	Refused atomic.Int64
	// Failed counts requests without a response. Those that weren't sent are not counted
	// as calls.
	Failed atomic.Int64

	priced, unpriced *meter.Meter
	run              *meter.Meter // from LimitRun, or nil
	hosts            sync.Map     // hosts that requests named themselves
}

// NewMeters returns Meters for upstreams. The Meter with the list's prices uses opts.
// record gets the records from both Meters.
func NewMeters(list *prices.List, upstreams []Upstream, record func(calls.Record), opts ...meter.Option) (*Meters, error) {
	priced, err := newMeter(list, append(opts, meter.WithRecorder(func(r calls.Record) { record(public(r, upstreams)) })))
	if err != nil {
		return nil, err
	}
	unpriced, err := newMeter(new(prices.List), []meter.Option{meter.WithRecorder(func(r calls.Record) { record(explain(public(r, upstreams), upstreams)) })})
	return &Meters{priced: priced, unpriced: unpriced}, err
}

// newMeter returns a Meter that knows the names from hostOf. It doesn't log: the
// command prints its own warnings.
func newMeter(list *prices.List, opts []meter.Option) (*meter.Meter, error) {
	opts = append(opts, meter.WithPrices(list), meter.WithLogger(slog.New(slog.DiscardHandler)))
	for _, k := range known {
		opts = append(opts, meter.WithEndpoint(meter.Endpoint{Host: hostOf(k.provider), API: k.provider}))
	}
	return meter.New(opts...)
}

// LimitRun adds budgets that count only this run's calls. Other budgets can also count a
// directory; see Follow.
func (m *Meters) LimitRun(list *prices.List, opts ...meter.Option) (err error) {
	m.run, err = newMeter(list, opts)
	return err
}

// Follow counts calls that other programs write to the log's directory towards the
// budgets, until ctx ends.
func (m *Meters) Follow(ctx context.Context, log *calls.Log) error { return m.priced.Follow(ctx, log) }

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

// limited counts calls and refuses them once a budget is used up. LimitRun's Meter comes
// first and doesn't record, so the calls that it refuses aren't recorded.
func (m *Meters) limited(base http.RoundTripper) http.RoundTripper {
	return roundTripper(func(req *http.Request) (*http.Response, error) {
		sent := false
		next := m.priced.Transport(roundTripper(func(req *http.Request) (*http.Response, error) {
			sent = true
			return base.RoundTrip(req)
		}))
		if m.run != nil {
			next = m.run.Transport(next)
		}
		res, err := next.RoundTrip(req)
		if err == nil && !sent { // refused by a budget
			err = m.refuse(res)
		}
		return res, err
	})
}

// byHost counts calls under the host in their URL, and remembers the host for Reached.
func (m *Meters) byHost(base http.RoundTripper) http.RoundTripper {
	return m.limited(roundTripper(func(req *http.Request) (*http.Response, error) {
		m.hosts.Store(req.URL.Host, true)
		return base.RoundTrip(req)
	}))
}

// Budgets returns the budgets' state.
func (m *Meters) Budgets() []meter.BudgetState {
	return append(m.run.Budgets(), m.priced.Budgets()...)
}

// Reached reports whether requests were sent to a --host, given as HOST or HOST:PORT.
func (m *Meters) Reached(given string) (reached bool) {
	table := tableOf([]string{given})
	m.hosts.Range(func(host, _ any) bool {
		reached = table.has(host.(string)) //nolint:forcetypeassert // byHost stores strings
		return !reached
	})
	return reached
}

// public removes an upstream's base path from the record, except for the version: the
// path may contain a key.
func public(r calls.Record, upstreams []Upstream) calls.Record {
	private := ""
	for _, u := range upstreams {
		if path := u.private(); len(path) > len(private) && strings.HasPrefix(r.Path+"/", path+"/") {
			private = path
		}
	}
	r.Path = strings.TrimPrefix(r.Path, private)
	return r
}

// explain handles complete calls to an upstream host that belongs to no provider: it
// removes their cost and says how to get one.
func explain(r calls.Record, upstreams []Upstream) calls.Record {
	for _, u := range upstreams {
		if u.API == r.Provider && !r.Incomplete {
			r.USD, r.SourceKey = "", ""
			r.Unpriced = fmt.Sprintf("%s is no provider's host; --upstream %s=URL gives it the prices of %[2]s", u.URL.Host, u.API)
		}
	}
	return r
}

// hostOf returns a made-up host that stands for a provider in a Meter, since a real host
// may have APIs from several providers.
func hostOf(p models.Provider) string { return string(p) + ".upstream" }

// transport returns a transport that counts calls and sends them to u. Unless u.ByHost is
// set, the Meter sees the host from hostOf.
func (m *Meters) transport(u Upstream, base http.RoundTripper) http.RoundTripper {
	target := at(u.URL.Scheme, u.URL.Host, base)
	switch {
	case u.ByHost:
		return m.byHost(base)
	case u.Provider == "": // the priced Meter has the budget, and doesn't know this host
		return at(u.URL.Scheme, string(u.API)+".unpriced", m.limited(at(u.URL.Scheme, hostOf(u.API), m.unpriced.Transport(target))))
	}
	return at(u.URL.Scheme, hostOf(u.Provider), m.limited(target))
}

// at sends requests to another host. It copies them: a RoundTripper must not change a
// request.
func at(scheme, host string, next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(req *http.Request) (*http.Response, error) {
		sent, url := *req, *req.URL
		url.Scheme, url.Host = scheme, host
		sent.URL = &url
		return next.RoundTrip(&sent)
	})
}

//go:embed hosts.txt
var hostsFile string

// official are the hosts whose calls are counted by default. remedies maps other hosts
// that serve models to the --host value that makes their calls count.
var official, remedies = readHosts()

func readHosts() (official []string, remedies map[string]string) {
	remedies = map[string]string{}
	for line := range strings.Lines(hostsFile) {
		switch host, remedy, _ := strings.Cut(strings.TrimSpace(line), " "); {
		case host == "" || host == "#":
		case remedy != "":
			remedies[host] = remedy
		default:
			official = append(official, host)
		}
	}
	return official, remedies
}

// hostTable has the hosts whose calls are counted, whatever base URL a program uses:
// HOST with any port, HOST:PORT, and *.HOST for names one label below. The preload has
// the same table.
type hostTable map[string]bool

// newHostTable adds the given --host values to the official hosts.
func newHostTable(given []string) hostTable { return tableOf(slices.Concat(official, given)) }

// tableOf accepts HOST or HOST:PORT.
func tableOf(hosts []string) hostTable {
	t := hostTable{}
	for _, host := range hosts {
		name := nameOf(host)
		if _, port, err := net.SplitHostPort(host); err == nil {
			name = net.JoinHostPort(name, port)
		}
		t[name] = true
	}
	return t
}

// has accepts HOST or HOST:PORT. The default port is 443.
func (t hostTable) has(host string) bool {
	name := nameOf(host)
	_, port, err := net.SplitHostPort(host)
	if err != nil {
		port = "443"
	}
	return t[net.JoinHostPort(name, port)] || t[name] || t["*"+name[max(strings.IndexByte(name, '.'), 0):]]
}

// names returns the names below which the authority may certify.
func (t hostTable) names() (names []string) {
	for host := range t {
		names = append(names, nameOf(strings.TrimPrefix(host, "*.")))
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// nameOf returns the host in lower case, without its port.
func nameOf(address string) string {
	if name, _, err := net.SplitHostPort(address); err == nil {
		address = name
	}
	return strings.Trim(strings.TrimSuffix(strings.ToLower(address), "."), "[]")
}

// CheckHost rejects anything except HOST or HOST:PORT. The error omits the value, which
// may be a URL with a password.
func CheckHost(host string) error {
	name := nameOf(host)
	if name == "" || strings.ContainsAny(host, "/@?# *%_\"'\\") || (net.ParseIP(name) == nil && strings.Contains(name, ":")) ||
		strings.HasPrefix(name, ".") || strings.Contains(name, "..") {
		return errors.New("must be a host or host:port")
	}
	if _, port, err := net.SplitHostPort(host); err == nil && !isPort(port) {
		return errPort
	}
	return nil
}

var errPort = errors.New("must have a port from 1 to 65535")

func isPort(text string) bool {
	n, err := strconv.ParseUint(text, 10, 16)
	return err == nil && n > 0
}

// maxStrangers and patience limit connections that haven't shown the secret. Otherwise
// other users on this machine could use up the process's open files.
const (
	maxStrangers = 64
	patience     = 5 * time.Second
)

// strangers tracks connections that haven't sent the secret yet. conns has the oldest
// first.
type strangers struct {
	mu    sync.Mutex
	conns []net.Conn
	known map[net.Conn]bool           // belongs to this user, if looked up
	ours  func(program net.Conn) bool // reports whether this user owns the connection
}

func (s *strangers) watch(server *http.Server) {
	server.ConnState = func(conn net.Conn, state http.ConnState) {
		switch state {
		case http.StateNew:
			s.add(conn)
		case http.StateClosed, http.StateHijacked:
			s.remove(conn)
		default:
		}
	}
}

// add gives a connection time to show the secret. If there are too many, the oldest one
// ends unless it's this user's.
func (s *strangers) add(conn net.Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.conns) == maxStrangers {
		oldest := s.conns[0]
		if s.conns = s.conns[1:]; s.ours(oldest) {
			s.known[oldest] = true
		} else {
			_ = oldest.Close()
		}
	}
	s.conns = append(s.conns, conn)
	time.AfterFunc(patience, func() {
		if s.remove(conn) {
			_ = conn.Close()
		}
	})
}

// remove forgets a connection that has ended or shown the secret. It reports whether conn
// was a stranger.
func (s *strangers) remove(conn net.Conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := len(s.conns) + len(s.known)
	s.conns = slices.DeleteFunc(s.conns, func(c net.Conn) bool { return c == conn })
	delete(s.known, conn)
	return len(s.conns)+len(s.known) < before
}
