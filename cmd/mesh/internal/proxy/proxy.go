// Package proxy is the metering proxy of mesh meter: programs that read a base URL from their environment send their calls through it.
package proxy

import (
	"context"
	"crypto/rand"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/meter"
)

// headerTimeout bounds how long a program may take for the header of a request.
const headerTimeout = 30 * time.Second

// Proxy forwards calls to their upstreams and counts them. It listens on a random port of 127.0.0.1, below a path that other users
// of the machine cannot guess.
type Proxy struct {
	upstreams []Upstream
	base      *url.URL
	server    *http.Server
	cancel    context.CancelFunc // ends the calls that run
	calls     sync.RWMutex       // calls that run hold it for reading
}

// Start starts a proxy whose calls have labels. Errors of requests go to errs, without their content, query and keys.
func Start(ctx context.Context, m *Meters, upstreams []Upstream, labels map[string]string, errs io.Writer) (*Proxy, error) {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &Proxy{upstreams: upstreams, base: &url.URL{Scheme: "http", Host: listener.Addr().String(), Path: "/" + rand.Text()}}
	for name, value := range labels {
		ctx = meter.WithLabel(ctx, name, value)
	}
	ctx, p.cancel = context.WithCancel(ctx)
	p.server = &http.Server{
		Handler: p.handler(m, errs), ReadHeaderTimeout: headerTimeout,
		BaseContext: func(net.Listener) context.Context { return ctx },
		ErrorLog:    log.New(io.Discard, "", 0), // its messages have addresses of the program and nothing that helps
	}
	go p.server.Serve(listener) //nolint:errcheck // it ends with Close
	return p, nil
}

// Close ends the proxy and the calls that run, and waits until these are recorded.
func (p *Proxy) Close() error {
	p.cancel()
	err := p.server.Close()
	p.calls.Lock()
	defer p.calls.Unlock()
	return err
}

// Environment returns an environment in which programs send their calls to the proxy. Without 127.0.0.1 in NO_PROXY, some would send
// them, with their keys, to the proxy of HTTP_PROXY.
func (p *Proxy) Environment(env []string) []string {
	direct := valueOf(env, "NO_PROXY")
	if lower := valueOf(env, "no_proxy"); lower != "" && lower != direct {
		direct = strings.Trim(direct+","+lower, ",")
	}
	if direct != "*" { // some programs know it only by itself
		direct = strings.Trim(direct+",127.0.0.1", ",")
	}
	env = append([]string{}, env...)
	for _, u := range p.upstreams {
		if u.Variable != "" {
			env = append(env, u.Variable+"="+p.base.String()+"/"+string(u.API)+u.URL.EscapedPath())
		}
	}
	return append(env, "NO_PROXY="+direct, "no_proxy="+direct)
}

// valueOf returns the value of a variable, the last one if there are several.
func valueOf(env []string, name string) (value string) {
	for _, variable := range env {
		if v, ok := strings.CutPrefix(variable, name+"="); ok {
			value = v
		}
	}
	return value
}

// handler returns the handler of the upstreams. An http.ServeMux would redirect paths with two slashes.
func (p *Proxy) handler(m *Meters, errs io.Writer) http.Handler {
	next := make(map[string]http.Handler, len(p.upstreams))
	for _, u := range p.upstreams {
		prefix := p.base.Path + "/" + string(u.API)
		next[prefix] = http.StripPrefix(prefix, p.forward(m, u, errs))
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.calls.RLock()
		defer p.calls.RUnlock()
		for prefix, upstream := range next {
			if strings.HasPrefix(r.URL.Path, prefix+"/") {
				noWebSocket(upstream, w, r)
				return
			}
		}
		http.NotFound(w, r)
	})
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
