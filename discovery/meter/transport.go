package meter

import (
	"net/http"
	"net/http/httptrace"
	"sync/atomic"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/internal/endpoints"
	"github.com/mesh-gateway/mesh-go/internal/label"
)

const webSockets = "what is sent over a WebSocket is not counted"

type transport struct {
	meter *Meter
	base  http.RoundTripper
}

// RoundTrip sends a request with the base transport and counts the call.
func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	if err := t.meter.ready(); err != nil {
		closeBody(req)
		return nil, err
	}
	host, known := t.meter.endpoint(req.URL)
	target := host.Target(req.Method, req.URL.Path)
	switch {
	case !known:
		target = t.meter.outside(req)
	case req.Header.Get("Upgrade") != "":
		target.API = endpoints.API{Uncounted: webSockets}
	}
	if target.Free {
		return t.base.RoundTrip(req)
	}
	c := &call{
		meter: t.meter, target: target, outside: !known, labels: label.Of(req.Context()), path: req.URL.Path, attempt: attempt(req.Header),
		billing: billing(req), sent: time.Now(),
	}
	sent, err := c.prepare(req)
	if err != nil {
		closeBody(req)
		return nil, err
	}
	if refusal := c.reserve(); refusal != nil {
		closeBody(sent)
		return refused(req, target.Form, refusal), nil
	}
	return t.send(c, sent)
}

// send requires reserved budgets.
func (t *transport) send(c *call, req *http.Request) (*http.Response, error) {
	var written atomic.Bool // other base transports don't report it, but read the body
	trace := &httptrace.ClientTrace{WroteHeaders: func() { written.Store(true) }}
	req = req.WithContext(httptrace.WithClientTrace(req.Context(), trace))
	res, err := t.base.RoundTrip(req)
	switch {
	case err == nil:
		c.receive(res)
	case (written.Load() || c.request.wasRead()) && !c.target.Stored && !c.target.Unknown:
		c.fail(0, "there was no response")
	default:
		c.settle(nil)
	}
	return res, err
}

// CloseIdleConnections forwards [http.Client.CloseIdleConnections] to the base
// transport.
func (t *transport) CloseIdleConnections() {
	if base, ok := t.base.(interface{ CloseIdleConnections() }); ok {
		base.CloseIdleConnections()
	}
}

func closeBody(req *http.Request) {
	if req.Body != nil {
		_ = req.Body.Close()
	}
}

// outside counts a request to an unknown host and returns its target. A model call
// isn't recorded, since its cost can't be estimated, but it costs Budget.PerCall.
func (m *Meter) outside(req *http.Request) endpoints.Target {
	m.ignore(req.URL.Host)
	form, calls := endpoints.Model(req.Method, req.URL.Path)
	return endpoints.Target{Endpoint: endpoints.Endpoint{Form: form}, API: endpoints.API{Free: !m.setsAside() || !calls}}
}
