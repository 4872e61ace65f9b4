// Package proxy is the metering proxy of mesh meter: programs that read a base URL from their environment send their calls through it.
package proxy

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
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
		next[prefix] = http.StripPrefix(prefix, forward(m, u, errs))
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

// forward returns the proxy of one upstream. Paths stay as they are below its host.
func forward(m *Meters, u Upstream, errs io.Writer) http.Handler {
	base := http.DefaultTransport.(*http.Transport).Clone() //nolint:forcetypeassert // documented
	return &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.Out.URL.Scheme, r.Out.URL.Host, r.Out.Host = u.URL.Scheme, u.URL.Host, u.URL.Host
			r.Out.URL.RawQuery = r.In.URL.RawQuery
			// The transport unpacks gzip: the counts of every other encoding would be unknown.
			r.Out.Header.Del("Accept-Encoding")
			if r.Out.Body != nil {
				r.Out.Body = &requestBody{ReadCloser: r.Out.Body}
			}
		},
		Transport:      m.transport(u, base),
		FlushInterval:  -1, // at once
		ModifyResponse: m.refusal,
		ErrorLog:       log.New(io.Discard, "", 0),
		ErrorHandler: func(w http.ResponseWriter, r *http.Request, err error) {
			if !errors.Is(err, context.Canceled) {
				fmt.Fprintf(errs, "mesh: meter: %s %s: %s\n", r.Method, u.URL.Host, output.Line(cause(err)))
			}
			http.Error(w, "mesh meter: the provider did not respond", http.StatusBadGateway)
		},
	}
}

// cause returns the text of an error that the network or TLS has made. Others may quote a response, which may repeat a key.
func cause(err error) string {
	var network net.Error
	var certificate *tls.CertificateVerificationError
	if errors.As(err, &network) || errors.As(err, &certificate) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return err.Error()
	}
	return "there was no valid response"
}

// refusal counts the refusal of a budget, and ends its body with io.EOF: its error cannot cross the proxy, and would look like a broken
// connection, which programs try again.
func (m *Meters) refusal(res *http.Response) error {
	if res.StatusCode != http.StatusPaymentRequired || res.Header.Get("X-Should-Retry") == "" {
		return nil
	}
	text, err := io.ReadAll(res.Body)
	if closed := res.Body.Close(); err == nil {
		err = closed
	}
	var refused *meter.BudgetError
	switch {
	case errors.As(err, &refused):
		m.refused.Add(1)
	case err != nil:
		return err
	}
	res.Body, res.ContentLength = io.NopCloser(strings.NewReader(string(text))), int64(len(text))
	res.Header.Set("Content-Length", fmt.Sprint(len(text)))
	return nil
}
