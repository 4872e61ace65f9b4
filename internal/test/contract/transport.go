package contract

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing/iotest"
)

// Transport returns a round tripper that checks every exchange through base and calls
// report for each violation. basePath precedes the document's paths. Bodies are read
// completely before they are passed on.
func (c *Checker) Transport(base http.RoundTripper, basePath string, report func(error)) http.RoundTripper {
	return &transport{checker: c, base: base, basePath: basePath, report: report}
}

type transport struct {
	checker  *Checker
	base     http.RoundTripper
	basePath string
	report   func(error)
}

// RoundTrip checks the request even if the exchange fails. It passes a response that
// breaks off without checking it.
func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	body, err := drain(req.Body)
	if err != nil {
		return nil, err
	}
	path, below := strings.CutPrefix(req.URL.Path, t.basePath)
	if !below {
		t.report(fmt.Errorf("request %s %s: not below %s", req.Method, req.URL.Path, t.basePath))
	}
	e := Exchange{Request: req.Clone(req.Context()), RequestBody: body}
	e.Request.URL.Path = path
	t.check(t.checker.Request(e)) //nolint:contextcheck // the request carries it

	sent := req.Clone(req.Context()) // a RoundTripper must not change its request
	sent.Body = http.NoBody
	if len(body) > 0 {
		sent.Body = io.NopCloser(bytes.NewReader(body))
	}
	resp, err := t.base.RoundTrip(sent)
	if err != nil {
		return nil, err
	}
	e.Status, e.Header = resp.StatusCode, resp.Header
	if e.ResponseBody, err = drain(resp.Body); err != nil {
		resp.Body = io.NopCloser(io.MultiReader(bytes.NewReader(e.ResponseBody), iotest.ErrReader(err)))
		return resp, nil
	}
	resp.Body = io.NopCloser(bytes.NewReader(e.ResponseBody))
	t.check(t.checker.Response(e)) //nolint:contextcheck // the request carries it
	return resp, nil
}

func (t *transport) check(err error) {
	if err != nil {
		t.report(err)
	}
}

// drain reads and closes a body. On an error, it returns the bytes read before.
func drain(body io.ReadCloser) ([]byte, error) {
	if body == nil {
		return nil, nil
	}
	defer func() { _ = body.Close() }()
	return io.ReadAll(body)
}
