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

// transport is the RoundTripper of a Meter.
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

// send sends the request of a call whose budgets are reserved.
func (t *transport) send(c *call, req *http.Request) (*http.Response, error) {
	var written atomic.Bool // a base transport that is not of net/http does not report it, but reads the body
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

// CloseIdleConnections closes the idle connections of the base transport, as [http.Client.CloseIdleConnections] expects.
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

// outside counts a request to a host that the Meter does not know, and returns what it is for. The call of a model has no record, since
// nothing is known of what it costs, but it costs Budget.PerCall.
func (m *Meter) outside(req *http.Request) endpoints.Target {
	m.ignore(req.URL.Host)
	form, calls := endpoints.Model(req.Method, req.URL.Path)
	return endpoints.Target{Endpoint: endpoints.Endpoint{Form: form}, API: endpoints.API{Free: !m.setsAside() || !calls}}
}
