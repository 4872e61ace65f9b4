package nettest

import (
	"context"
	"net/http"
	"strings"
)

// UntilSent returns a context that ends once an Ask with the HTTP client has sent its
// question and polls the inbox, so that tests need not guess how long sending takes.
func UntilSent(parent context.Context) (context.Context, *http.Client) {
	ctx, cancel := context.WithCancel(parent)
	return ctx, &http.Client{Transport: &transport{cancel: cancel}}
}

type transport struct {
	cancel context.CancelFunc
	sent   bool
}

// RoundTrip needs no lock, because Ask sends one request at a time.
func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	if strings.HasSuffix(r.URL.Path, "/messages") {
		if t.sent {
			t.cancel()
		}
		t.sent = r.Method == http.MethodPost
	}
	return http.DefaultTransport.RoundTrip(r)
}
