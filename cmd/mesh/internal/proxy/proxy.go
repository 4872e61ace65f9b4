// Package proxy is the metering proxy of mesh meter: programs that read a base URL from their environment send their calls through it.
package proxy

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/meter"
)

// headerTimeout bounds how long a program may take for the header of a request.
const headerTimeout = 30 * time.Second

// Proxy forwards calls to their upstreams and counts them with a Meter. It listens on a random port of 127.0.0.1, below a path that
// other users of the machine cannot guess.
type Proxy struct {
	upstreams []Upstream
	base      *url.URL
	server    *http.Server
}

// Start starts a proxy whose calls have labels. Errors of requests go to errs, without their query.
func Start(ctx context.Context, m *meter.Meter, upstreams []Upstream, labels map[string]string, errs io.Writer) (*Proxy, error) {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &Proxy{upstreams: upstreams, base: &url.URL{Scheme: "http", Host: listener.Addr().String(), Path: "/" + rand.Text()}}
	mux := http.NewServeMux()
	for _, u := range upstreams {
		prefix := p.base.Path + "/" + string(u.Provider)
		mux.Handle(prefix+"/", http.StripPrefix(prefix, forward(m, u.URL, errs)))
	}
	quiet := log.New(io.Discard, "", 0) // its messages have addresses of the program and nothing that helps
	p.server = &http.Server{Handler: labeled(labels, noUpgrade(mux)), ReadHeaderTimeout: headerTimeout, ErrorLog: quiet}
	go p.server.Serve(listener) //nolint:errcheck // it ends with Close
	return p, nil
}

// Close ends the proxy and the calls that run.
func (p *Proxy) Close() error { return p.server.Close() }

// Environment returns an environment in which programs send their calls to the proxy. Without 127.0.0.1 in NO_PROXY, some would send
// them, with their keys, to the proxy of HTTP_PROXY.
func (p *Proxy) Environment(env []string) []string {
	env = append([]string{}, env...)
	for _, u := range p.upstreams {
		if u.Variable != "" {
			through := *p.base
			through.Path += "/" + string(u.Provider) + strings.TrimSuffix(u.URL.Path, "/")
			env = append(env, u.Variable+"="+through.String())
		}
	}
	for _, name := range []string{"NO_PROXY", "no_proxy"} {
		value := "127.0.0.1"
		if old := os.Getenv(name); old != "" {
			value = old + "," + value
		}
		env = append(env, name+"="+value)
	}
	return env
}

// labeled gives the calls their labels.
func labeled(labels map[string]string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx := r.Context()
		for name, value := range labels {
			ctx = meter.WithLabel(ctx, name, value)
		}
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

// noUpgrade refuses WebSockets, which cannot be counted: programs that have them fall back to HTTP.
func noUpgrade(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Upgrade") != "" {
			w.Header().Set("Connection", "close")
			http.Error(w, "mesh meter counts HTTP only", http.StatusUpgradeRequired)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// forward returns the proxy of one upstream. Paths stay as they are below its host.
func forward(m *meter.Meter, upstream *url.URL, errs io.Writer) http.Handler {
	base := http.DefaultTransport.(*http.Transport).Clone() //nolint:forcetypeassert // documented
	return &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.Out.URL.Scheme, r.Out.URL.Host, r.Out.Host = upstream.Scheme, upstream.Host, upstream.Host
			// The transport unpacks gzip: the counts of every other encoding would be unknown.
			r.Out.Header.Del("Accept-Encoding")
		},
		Transport:      m.Transport(base),
		FlushInterval:  -1, // at once
		ModifyResponse: plainRefusal,
		ErrorLog:       log.New(io.Discard, "", 0),
		ErrorHandler: func(w http.ResponseWriter, r *http.Request, err error) {
			if !errors.Is(err, context.Canceled) {
				fmt.Fprintf(errs, "mesh: meter: %s %s: %v\n", r.Method, upstream.Host, cause(err))
			}
			http.Error(w, "mesh meter: the provider did not respond", http.StatusBadGateway)
		},
	}
}

// cause returns an error without the URL of a request, whose query may have a key.
func cause(err error) error {
	var of *url.Error
	if errors.As(err, &of) {
		return of.Err
	}
	return err
}

// plainRefusal ends the body of a refusal of a budget with io.EOF: its error cannot cross the proxy, and would look like a broken
// connection, which programs try again.
func plainRefusal(res *http.Response) error {
	if res.StatusCode != http.StatusPaymentRequired || res.Header.Get("X-Should-Retry") == "" {
		return nil
	}
	text, err := io.ReadAll(res.Body)
	if closed := res.Body.Close(); err == nil {
		err = closed
	}
	var refused *meter.BudgetError
	if err != nil && !errors.As(err, &refused) {
		return err
	}
	res.Body, res.ContentLength = io.NopCloser(strings.NewReader(string(text))), int64(len(text))
	res.Header.Set("Content-Length", fmt.Sprint(len(text)))
	return nil
}
