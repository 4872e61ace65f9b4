package pipe

import (
	"net/http"
	"net/http/httptest"
)

// Call is a transport that calls a handler, without a connection. A handler that panics with an error is a failing
// network.
type Call http.HandlerFunc

// RoundTrip implements http.RoundTripper.
func (c Call) RoundTrip(req *http.Request) (resp *http.Response, err error) {
	if err := req.Context().Err(); err != nil {
		return nil, err
	}
	defer func() {
		if failure := recover(); failure != nil {
			resp, err = nil, failure.(error)
		}
	}()
	w := httptest.NewRecorder()
	c(w, req)
	return w.Result(), nil
}
