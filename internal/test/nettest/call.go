package nettest

import (
	"net/http"
	"net/http/httptest"
)

// Call is a transport that calls a handler directly, without a connection. If the handler
// panics with an error, RoundTrip returns it as a network error.
type Call http.HandlerFunc

// RoundTrip implements [http.RoundTripper].
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
