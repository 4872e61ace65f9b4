package contract

import (
	"bytes"
	"io"
	"net/http"
	"strings"
)

// Transport checks every exchange that passes through base, and hands each fault to report. basePath is what stands
// before the document's paths.
func (c *Checker) Transport(base http.RoundTripper, basePath string, report func(error)) http.RoundTripper {
	return &transport{checker: c, base: base, basePath: basePath, report: report}
}

type transport struct {
	checker  *Checker
	base     http.RoundTripper
	basePath string
	report   func(error)
}

// RoundTrip implements http.RoundTripper. The request is checked even when the exchange breaks off.
func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	e := Exchange{Request: req.Clone(req.Context())}
	e.Request.URL.Path = strings.TrimPrefix(req.URL.Path, t.basePath)
	var err error
	if e.RequestBody, req.Body, err = drain(req.Body); err != nil {
		return nil, err
	}
	t.check(t.checker.Request(e))
	resp, err := t.base.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	e.Status, e.Header = resp.StatusCode, resp.Header
	if e.ResponseBody, resp.Body, err = drain(resp.Body); err != nil {
		return nil, err
	}
	t.check(t.checker.Response(e))
	return resp, nil
}

func (t *transport) check(err error) {
	if err != nil {
		t.report(err)
	}
}

// drain reads a body and returns another like it.
func drain(body io.ReadCloser) ([]byte, io.ReadCloser, error) {
	if body == nil || body == http.NoBody {
		return nil, body, nil
	}
	text, err := io.ReadAll(body)
	if err != nil {
		return nil, nil, err
	}
	return text, io.NopCloser(bytes.NewReader(text)), body.Close()
}
