// Package unanswered cancels an Ask once its question was sent, so that tests need not
// guess how long sending takes.
package unanswered

import (
	"context"
	"net/http"
	"strings"
)

// Context returns a context and the HTTP client to ask with. The context ends when the
// client polls the inbox after sending a message.
func Context(parent context.Context) (context.Context, *http.Client) {
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
