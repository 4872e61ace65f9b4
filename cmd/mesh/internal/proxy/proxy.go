// Package proxy is the metering proxy of mesh meter: programs that read a base URL from their environment send their calls through it.
package proxy

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"maps"
	"net"
	"net/http"
	"net/http/httputil"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/sockets"
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
	buffers     buffers
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

// Direct returns what finds the connections of a command that lead past the proxy, to hosts that serve models. Azure has a host for each
// customer, which a variable of env names.
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

// AddDirect adds connections by their hosts to Bypasses.
func (p *Proxy) AddDirect(hosts map[string]sockets.Traffic) {
	for address, t := range hosts {
		p.bypasses.add(tunnelKey{host: withoutPort(address)}, Bypass{Connections: t.Connections, Sent: t.Sent, Received: t.Received, Direct: t.Connections})
	}
}

// owns reports whether the local end of a connection is one of the proxy.
func (p *Proxy) owns(local netip.AddrPort) bool {
	_, dialed := p.dialed.Load(local)
	return dialed
}

type dialFunc = func(ctx context.Context, network, address string) (net.Conn, error)

// noted returns a function to connect whose connections are known as those of the proxy also when they have ended.
func (p *Proxy) noted(dial dialFunc) dialFunc {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		if err == nil && p.watched.Load() {
			p.dialed.Store(conn.LocalAddr().(*net.TCPAddr).AddrPort(), true) //nolint:forcetypeassert // of TCP
		}
		return conn, err
	}
}

// maxIdle is the number of idle connections to an upstream that are kept. An agent makes many calls at once; with the default of two
// most of them would open a connection over HTTP/1.1.
const maxIdle = 64

// newTransport returns a transport to upstreams.
func (p *Proxy) newTransport() *http.Transport {
	base := http.DefaultTransport.(*http.Transport).Clone() //nolint:forcetypeassert // documented
	base.MaxIdleConnsPerHost = maxIdle
	base.DialContext = p.noted(base.DialContext)
	base.OnProxyConnectResponse = func(_ context.Context, parent *url.URL, _ *http.Request, res *http.Response) error {
		return parentRefusal(parent, res)
	}
	return base
}

// toHost returns a handler that forwards requests to a host, such as api.openai.com or 127.0.0.1:8443, and counts them by it.
func (p *Proxy) toHost(address string) http.Handler {
	return p.reverse(&url.URL{Scheme: "https", Host: withoutPort(address)}, "", p.Meters.byHost(p.transport))
}

// withoutPort returns an address without the port of https.
func withoutPort(address string) string { return strings.TrimSuffix(address, ":443") }

// reverse returns a proxy that sends requests to the host of a URL with a transport. Prefix is where programs reach it, "" below its own name.
func (p *Proxy) reverse(to *url.URL, prefix string, transport http.RoundTripper) http.Handler {
	return &httputil.ReverseProxy{
		Rewrite:        func(r *httputil.ProxyRequest) { p.rewrite(r, to, prefix) },
		Transport:      transport,
		FlushInterval:  -1, // at once
		BufferPool:     &p.buffers,
		ModifyResponse: func(res *http.Response) error { p.redirect(res, to, prefix); return nil },
		ErrorLog:       log.New(io.Discard, "", 0),
		ErrorHandler: func(w http.ResponseWriter, r *http.Request, err error) {
			p.Meters.Failed.Add(1)
			if !errors.Is(err, context.Canceled) {
				fmt.Fprintf(p.Errs, "mesh: meter: %s %s: %s\n", r.Method, to.Host, output.Line(cause(err)))
			}
			http.Error(w, "mesh meter: the provider did not respond", http.StatusBadGateway)
		},
	}
}

// rewrite leads a request to a host. Its path stays as it is, except for the version of known APIs.
func (p *Proxy) rewrite(r *httputil.ProxyRequest, to *url.URL, prefix string) {
	out := r.Out
	if prefix != "" && versioned(to.Host) {
		out.URL.Path, out.URL.RawPath = withVersion(out.URL.Path), withVersion(out.URL.RawPath)
	}
	out.URL.Scheme, out.URL.Host, out.Host = to.Scheme, to.Host, to.Host
	out.URL.RawQuery = r.In.URL.RawQuery
	// The transport unpacks gzip: the counts of every other encoding would be unknown.
	out.Header.Del("Accept-Encoding")
	if strings.Contains(out.Header.Get("Referer"), p.Secret) { // Go sends the URL of a request that was redirected
		out.Header.Del("Referer")
	}
	if out.Body != nil {
		out.Body = &requestBody{ReadCloser: out.Body}
	}
}

// cause returns the text of an error that the network, TLS or parentRefusal has made. Others may quote a response, which may repeat a key.
func cause(err error) string {
	var network net.Error
	var certificate *tls.CertificateVerificationError
	var refused parentError
	if errors.As(err, &refused) || errors.As(err, &network) || errors.As(err, &certificate) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return err.Error()
	}
	return "there was no valid response"
}

// requestBody is the body of a request that is forwarded. The server closes the body when the response begins. A transport that then
// reads on, to see whether more bytes follow than were declared, would receive an error and break the response off.
type requestBody struct {
	io.ReadCloser
	ended bool
}

func (b *requestBody) Read(p []byte) (int, error) {
	if b.ended {
		return 0, io.EOF
	}
	n, err := b.ReadCloser.Read(p)
	b.ended = errors.Is(err, io.EOF)
	return n, err
}

// versioned reports whether the paths of the APIs of a host are known to begin with /v1. Other hosts may have other paths.
func versioned(host string) bool {
	p, _ := meter.HostProvider(host)
	return p == models.OpenAI || p == models.Anthropic || p == models.XAI
}

// knownPath matches the paths of the APIs of OpenAI, Anthropic and xAI, with their version or without, or twice.
var knownPath = regexp.MustCompile(`^/+(?:v1/+){0,2}((?:api-key|assistants|audio|batches|chat|complete|completions|containers|` +
	`conversations|embedding-models|embeddings|evals|files|fine_tuning|image-generation-models|images|language-models|messages|` +
	`models|moderations|organization|organizations|realtime|responses|skills|threads|tokenize-text|uploads|vector_stores|` +
	`video-generation-models|videos)(?:/|$))`)

// withVersion returns the path of a known API with /v1 once. Some programs expect it in the base URL, and others add it.
func withVersion(path string) string { return knownPath.ReplaceAllString(path, "/v1/$1") }

// buffers are a BufferPool of httputil.ReverseProxy, which else allocates 32 kB for each response.
type buffers struct{ pool sync.Pool }

func (b *buffers) Get() []byte {
	if buffer, ok := b.pool.Get().(*[]byte); ok {
		return *buffer
	}
	return make([]byte, 32<<10)
}

func (b *buffers) Put(buffer []byte) { b.pool.Put(&buffer) }
