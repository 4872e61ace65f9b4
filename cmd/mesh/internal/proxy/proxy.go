// Package proxy is the metering proxy of mesh meter: programs that read a base URL from their environment send their calls through it.
package proxy

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/meter"
	"github.com/mesh-gateway/mesh-go/discovery/models"
)

// headerTimeout bounds how long a program may take for the header of a request.
const headerTimeout = 30 * time.Second

// Config is what a Proxy does.
type Config struct {
	Meters    *Meters
	Upstreams []Upstream
	// Labels are those of all calls.
	Labels map[string]string
	// Hosts are those of --host: HOST or HOST:PORT.
	Hosts []string
	// Addr is the address to listen on; "" is a free port of 127.0.0.1.
	Addr string
	// Secret is a part of the paths of the proxy and its password; "" is a new one.
	Secret string
	// Intercept decrypts the tunnels to providers and to Hosts, and counts their calls.
	Intercept bool
	// Errs gets errors of requests, without their content, query and keys.
	Errs io.Writer
}

// Proxy forwards calls to their upstreams and counts them. It listens on 127.0.0.1. Other users of the machine cannot
// use it: its paths and its CONNECT need a secret.
type Proxy struct {
	Config
	hosts       hostTable
	host        string // with the port on which it listens
	server      *http.Server
	interceptor *http.Server // of decrypted connections
	accepted    *handed
	authority   *authority // nil without --intercept
	transport   *http.Transport
	bypasses    bypasses
	rejections  rejections
	strangers   strangers
	redirects   string             // the path that leads to other hosts
	watched     atomic.Bool        // a Watch looks for connections that lead past the proxy
	dialed      sync.Map           // the local ends of the proxy's own ones
	cancel      context.CancelFunc // ends the calls that run
	calls       sync.RWMutex       // calls that run hold it for reading
}

// Start starts a proxy.
func Start(ctx context.Context, c Config) (*Proxy, error) {
	p := &Proxy{
		Config: c, hosts: newHostTable(c.Hosts), redirects: "/" + rand.Text(),
		bypasses:   bypasses{hosts: map[tunnelKey]Bypass{}},
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

// connKey is the key of a connection in the context of its requests.
type connKey struct{}

// connOf returns the connection of a request.
func connOf(r *http.Request) net.Conn {
	return r.Context().Value(connKey{}).(net.Conn) //nolint:forcetypeassert // newServer sets it
}

// newServer returns a server whose requests have a context.
func newServer(ctx context.Context, handler http.Handler) *http.Server {
	return &http.Server{
		Handler: handler, ReadHeaderTimeout: headerTimeout,
		BaseContext: func(net.Listener) context.Context { return ctx },
		ConnContext: func(ctx context.Context, conn net.Conn) context.Context {
			return context.WithValue(ctx, connKey{}, conn)
		},
		ErrorLog: log.New(io.Discard, "", 0), // its messages have addresses of the program and nothing that helps
	}
}

// Shutdown accepts no more calls and waits until those that run have ended, streams included, but not for tunnels.
func (p *Proxy) Shutdown(ctx context.Context) error { return p.server.Shutdown(ctx) }

// Close ends the proxy and the calls that run, and waits until these are recorded.
func (p *Proxy) Close() error {
	p.cancel()
	err := errors.Join(p.server.Close(), p.interceptor.Close())
	p.calls.Lock()
	defer p.calls.Unlock()
	return err
}

// Bypasses returns the connections whose calls are not counted, by host, as far as they have ended.
func (p *Proxy) Bypasses() []Bypass { return p.bypasses.all() }

// Rejections returns the clients that do not accept the certificate of the authority.
func (p *Proxy) Rejections() []Rejection { return p.rejections.all() }

// prefix returns the path of the proxy that leads to an API.
func (p *Proxy) prefix(api models.Provider) string { return "/" + p.Secret + "/" + string(api) }

// handler returns the handler of CONNECT, of the upstreams and of hosts. An http.ServeMux would redirect paths with two slashes.
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

// absolute serves a request for a URL with the scheme https, which some programs send to a proxy in place of CONNECT.
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

// noWebSocket refuses WebSockets, which cannot be counted: programs that have them fall back to HTTP. Other upgrades, such as that to
// HTTP/2 that Java offers, are ignored, as a server may do.
func noWebSocket(next http.Handler, w http.ResponseWriter, r *http.Request) {
	if strings.EqualFold(r.Header.Get("Upgrade"), "websocket") {
		w.Header().Set("Connection", "close")
		http.Error(w, "mesh meter counts HTTP only", http.StatusUpgradeRequired)
		return
	}
	r.Header.Del("Upgrade")
	next.ServeHTTP(w, r)
}
