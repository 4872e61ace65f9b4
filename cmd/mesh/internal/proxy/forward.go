package proxy

import (
	"context"
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

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
)

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
