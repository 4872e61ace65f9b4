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
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
	"github.com/mesh-gateway/mesh-go/discovery/meter"
	"github.com/mesh-gateway/mesh-go/discovery/models"
)

// maxIdle limits idle connections per upstream. Agents make many calls at once: with
// the default of two, most would open a new connection over HTTP/1.1.
const maxIdle = 64

func (p *Proxy) newTransport() *http.Transport {
	base := http.DefaultTransport.(*http.Transport).Clone() //nolint:forcetypeassert // documented
	base.MaxIdleConnsPerHost = maxIdle
	base.DialContext = p.noted(base.DialContext)
	base.OnProxyConnectResponse = func(_ context.Context, parent *url.URL, _ *http.Request, res *http.Response) error {
		return parentRefusal(parent, res)
	}
	return base
}

// toHost forwards requests to a host, such as api.openai.com or 127.0.0.1:8443, and
// counts them by host.
func (p *Proxy) toHost(address string) http.Handler {
	return p.reverse(&url.URL{Scheme: "https", Host: withoutPort(address)}, "", p.Meters.byHost(p.transport))
}

// withoutPort removes the https port.
func withoutPort(address string) string { return strings.TrimSuffix(address, ":443") }

// reverse sends requests to a URL's host. Programs reach it below prefix, or by the
// host's own name if prefix is "".
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

// rewrite keeps the path, except for the version in known APIs.
func (p *Proxy) rewrite(r *httputil.ProxyRequest, to *url.URL, prefix string) {
	out := r.Out
	if prefix != "" && versioned(to.Host) {
		out.URL.Path, out.URL.RawPath = withVersion(out.URL.Path), withVersion(out.URL.RawPath)
	}
	out.URL.Scheme, out.URL.Host, out.Host = to.Scheme, to.Host, to.Host
	out.URL.RawQuery = r.In.URL.RawQuery
	// Let the transport unpack gzip: with any other encoding the counts would be unknown.
	out.Header.Del("Accept-Encoding")
	if strings.Contains(out.Header.Get("Referer"), p.Secret) { // Go sends the redirected request's URL
		out.Header.Del("Referer")
	}
	if out.Body != nil {
		out.Body = &requestBody{ReadCloser: out.Body}
	}
}

// cause returns only errors from the network, TLS or parentRefusal. Others may quote a
// response, which may repeat a key.
func cause(err error) string {
	var network net.Error
	var certificate *tls.CertificateVerificationError
	var refused parentError
	if errors.As(err, &refused) || errors.As(err, &network) || errors.As(err, &certificate) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return err.Error()
	}
	return "no valid response"
}

// requestBody repeats io.EOF. The server closes the body once the response starts. If a
// transport then reads on, looking for extra bytes, it would get an error and break off
// the response.
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

// versioned reports whether the host's API paths are known to start with /v1.
func versioned(host string) bool {
	p, _ := meter.HostProvider(host)
	return p == models.OpenAI || p == models.Anthropic || p == models.XAI
}

// knownPath matches OpenAI, Anthropic and xAI paths with their version, without it, or
// with it twice.
var knownPath = regexp.MustCompile(`^/+(?:v1/+){0,2}((?:api-key|assistants|audio|batches|chat|complete|completions|containers|` +
	`conversations|embedding-models|embeddings|evals|files|fine_tuning|image-generation-models|images|language-models|messages|` +
	`models|moderations|organization|organizations|realtime|responses|skills|threads|tokenize-text|uploads|vector_stores|` +
	`video-generation-models|videos)(?:/|$))`)

// withVersion returns a known path with /v1 once. Some programs expect it in the base
// URL, and others add it.
func withVersion(path string) string { return knownPath.ReplaceAllString(path, "/v1/$1") }

// buffers is a BufferPool, without which httputil.ReverseProxy allocates 32 kB per
// response.
type buffers struct{ pool sync.Pool }

func (b *buffers) Get() []byte {
	if buffer, ok := b.pool.Get().(*[]byte); ok {
		return *buffer
	}
	return make([]byte, 32<<10)
}

func (b *buffers) Put(buffer []byte) { b.pool.Put(&buffer) }

// refuse counts a budget refusal and lets the response body end normally. A body that
// ends with the BudgetError would look like a broken connection, which programs retry.
func (m *Meters) refuse(res *http.Response) error {
	text, err := io.ReadAll(res.Body)
	var refused *meter.BudgetError
	if !errors.As(err, &refused) {
		return err
	}
	m.Refused.Add(1)
	if codex(res.Request) {
		res.StatusCode, res.Status = http.StatusBadRequest, ""
	}
	res.Body, res.ContentLength = io.NopCloser(strings.NewReader(string(text))), int64(len(text))
	res.Header.Set("Content-Length", strconv.Itoa(len(text)))
	return nil
}

// codex recognizes Codex. It retries five times after status 402, but stops at 400. All
// other programs that we tried stop at 402, too.
func codex(req *http.Request) bool {
	const name = "codex"
	agent := req.UserAgent()
	return len(agent) >= len(name) && strings.EqualFold(agent[:len(name)], name)
}
