// Package proxy is the metering proxy for mesh meter. Programs that read a base URL
// from their environment send their calls through it.
package proxy

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"io"
	"log"
	"maps"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/sockets"
	"github.com/mesh-gateway/mesh-go/discovery/meter"
	"github.com/mesh-gateway/mesh-go/discovery/models"
)

const headerTimeout = 30 * time.Second

// Config configures a Proxy.
type Config struct {
	Meters    *Meters
	Upstreams []Upstream
	// Labels are added to all calls.
	Labels map[string]string
	// Hosts are --host values: HOST or HOST:PORT.
	Hosts []string
	// Addr is the address to listen on. "" means a free port on 127.0.0.1.
	Addr string
	// Secret is the proxy's password, also used in its paths. "" means a new secret.
	Secret string
	// Intercept decrypts tunnels to providers and to Hosts, and counts their calls.
	Intercept bool
	// Errs gets request errors, without content, queries or keys.
	Errs io.Writer
}

// Proxy forwards calls to their upstreams and counts them. It listens on 127.0.0.1 by
// default. Other users on this machine can't use it: its paths and CONNECT need a
// secret.
type Proxy struct {
	Config
	hosts       hostTable
	host        string // with the listening port
	server      *http.Server
	interceptor *http.Server // for decrypted connections
	accepted    *handed
	authority   *authority // nil without --intercept
	transport   *http.Transport
	bypasses    bypasses
	rejections  rejections
	strangers   strangers
	buffers     buffers
	redirects   string             // path for redirects to other hosts
	watched     atomic.Bool        // a Watch looks for connections that bypass the proxy
	dialed      sync.Map           // local addresses of the proxy's own connections
	cancel      context.CancelFunc // ends running calls
	calls       sync.RWMutex       // running calls hold it for reading
}

// Start starts a proxy.
func Start(ctx context.Context, c Config) (*Proxy, error) {
	p := &Proxy{
		Config: c, hosts: newHostTable(c.Hosts), redirects: "/" + rand.Text(),
		bypasses:   bypasses{hosts: map[tunnelKey]Bypass{}},
		strangers:  strangers{known: map[net.Conn]bool{}, ours: sockets.Ours},
		rejections: rejections{counts: map[Rejection]int{}, accepted: map[Rejection]bool{}},
	}
	p.Secret = cmp.Or(c.Secret, rand.Text())
	p.transport = p.newTransport()
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", cmp.Or(c.Addr, "127.0.0.1:0"))
	if err == nil && c.Intercept {
		p.authority, err = newAuthority(p.hosts.names())
	}
	if err != nil {
		return nil, err
	}
	p.host = listener.Addr().String()
	for name, value := range c.Labels {
		ctx = meter.WithLabel(ctx, name, value)
	}
	ctx, p.cancel = context.WithCancel(ctx)
	p.server, p.interceptor = newServer(ctx, p.handler()), p.newInterceptor(ctx)
	p.accepted = &handed{listener, make(chan net.Conn), ctx.Done()}
	p.strangers.watch(p.server)
	go p.server.Serve(listener)        //nolint:errcheck // it ends with Close
	go p.interceptor.Serve(p.accepted) //nolint:errcheck // it ends with Close
	return p, nil
}

type connKey struct{}

func connOf(r *http.Request) net.Conn {
	return r.Context().Value(connKey{}).(net.Conn) //nolint:forcetypeassert // newServer sets it
}

// newServer adds ctx and the connection to each request's context.
func newServer(ctx context.Context, handler http.Handler) *http.Server {
	return &http.Server{
		Handler: handler, ReadHeaderTimeout: headerTimeout,
		BaseContext: func(net.Listener) context.Context { return ctx },
		ConnContext: func(ctx context.Context, conn net.Conn) context.Context {
			return context.WithValue(ctx, connKey{}, conn)
		},
		ErrorLog: log.New(io.Discard, "", 0), // it would only log the program's addresses
	}
}

// Shutdown accepts no more calls and waits until the running calls end, streams
// included. It doesn't wait for tunnels.
func (p *Proxy) Shutdown(ctx context.Context) error { return p.server.Shutdown(ctx) }

// Close ends the proxy and its running calls, and waits until they are recorded.
func (p *Proxy) Close() error {
	p.cancel()
	err := errors.Join(p.server.Close(), p.interceptor.Close())
	p.calls.Lock()
	defer p.calls.Unlock()
	return err
}

// Bypasses returns ended connections whose calls aren't counted, by host.
func (p *Proxy) Bypasses() []Bypass { return p.bypasses.all() }

// Rejections returns the clients that reject the authority's certificate.
func (p *Proxy) Rejections() []Rejection { return p.rejections.all() }

// prefix is the proxy path for an API.
func (p *Proxy) prefix(api models.Provider) string { return "/" + p.Secret + "/" + string(api) }

// handler serves CONNECT, upstreams and hosts. It isn't an http.ServeMux, which would
// redirect paths with two slashes.
func (p *Proxy) handler() http.Handler {
	next := make(map[string]http.Handler, len(p.Upstreams))
	for _, u := range p.Upstreams {
		prefix := p.prefix(u.API)
		next[prefix] = http.StripPrefix(prefix, p.reverse(u.URL, prefix, p.Meters.transport(u, p.transport)))
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.calls.RLock()
		defer p.calls.RUnlock()
		if r.Method == http.MethodConnect {
			p.connect(w, r)
			return
		}
		for prefix, upstream := range next {
			if strings.HasPrefix(r.URL.Path, prefix+"/") {
				p.strangers.remove(connOf(r))
				if strings.HasPrefix(r.UserAgent(), "claude-cli/") {
					p.bypasses.claude.Store(true)
				}
				noWebSocket(upstream, w, r)
				return
			}
		}
		switch {
		case r.URL.Scheme == "https":
			p.absolute(w, r)
		case r.URL.Path == p.redirects:
			leave(w, r)
		default:
			http.NotFound(w, r)
		}
	})
}

// absolute serves https URLs, which some programs send to a proxy in place of CONNECT.
func (p *Proxy) absolute(w http.ResponseWriter, r *http.Request) {
	if !p.authorized(w, r) {
		return
	}
	address := strings.ToLower(r.URL.Host)
	if !p.hosts.has(address) {
		p.unread(address, r, r.ContentLength, 0)
	}
	noWebSocket(p.toHost(address), w, r)
}

// noWebSocket refuses WebSockets, which can't be counted: programs then fall back to
// HTTP. It ignores other upgrades, such as HTTP/2 from Java, as servers may.
func noWebSocket(next http.Handler, w http.ResponseWriter, r *http.Request) {
	if strings.EqualFold(r.Header.Get("Upgrade"), "websocket") {
		w.Header().Set("Connection", "close")
		http.Error(w, "mesh meter counts HTTP only", http.StatusUpgradeRequired)
		return
	}
	r.Header.Del("Upgrade")
	next.ServeHTTP(w, r)
}

// Direct configures a search for connections that bypass the proxy to hosts that serve
// models. Azure has a host for each customer, which env names in a variable.
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

// AddDirect adds connections to Bypasses. The keys in hosts are addresses.
func (p *Proxy) AddDirect(hosts map[string]sockets.Traffic) {
	for address, t := range hosts {
		p.bypasses.add(tunnelKey{host: withoutPort(address)}, Bypass{Connections: t.Connections, Sent: t.Sent, Received: t.Received, Direct: t.Connections})
	}
}

// owns reports whether the proxy opened a connection with this local address.
func (p *Proxy) owns(local netip.AddrPort) bool {
	_, dialed := p.dialed.Load(local)
	return dialed
}

type dialFunc = func(ctx context.Context, network, address string) (net.Conn, error)

// noted remembers the proxy's own connections, even after they end.
func (p *Proxy) noted(dial dialFunc) dialFunc {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		if err == nil && p.watched.Load() {
			p.dialed.Store(conn.LocalAddr().(*net.TCPAddr).AddrPort(), true) //nolint:forcetypeassert // of TCP
		}
		return conn, err
	}
}
