package faults_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/agent"
)

// sequence is a fault that takes several responses. The last one is repeated.
type sequence struct {
	name    string
	op      *operation
	options []client.Option
	calls   int // 0 means 1
	play    []func(*exchange)
	// want has an outcome per call.
	want []outcome
}

// A send is uncertain if the message may have arrived, and delivered if it did but has no
// valid receipt.
const (
	uncertain outcome = "uncertain"
	delivered outcome = "delivered"
)

func sequences() []sequence {
	good := func(x *exchange) { x.send(http.StatusOK, x.good.body) }
	code := func(status int) func(*exchange) { return func(x *exchange) { x.send(status, nil) } }
	gone := func(x *exchange) {
		x.send(http.StatusNotFound, []byte(`{"detail":"message not found or already read"}`))
	}
	lost := (*exchange).hangUp
	crash := func(x *exchange) { x.send(http.StatusInternalServerError, nil); x.hangUp() } // no Connection: close
	portal := html(http.StatusOK, "<html>Please sign in to this network.</html>")
	cutReceipt := func(x *exchange) { x.raw(statusLine(200) + "Content-Length: 99\r\n\r\n{\"id\":"); x.hangUp() }
	retry := client.WithRetry(client.RetryPolicy{BaseDelay: time.Millisecond})
	again := []client.Option{retry}
	peers := good // Send's first request
	return []sequence{
		{name: "500 and a closed connection, then good", op: sendAtPost(), calls: 40, play: []func(*exchange){peers, alternate(crash, good)}, want: repeat(20, uncertain, ok)},
		{name: "a captive portal", op: sendAtPost(), play: []func(*exchange){peers, portal}, want: []outcome{uncertain}},
		{name: "a receipt that breaks off", op: sendAtPost(), play: []func(*exchange){peers, cutReceipt}, want: []outcome{delivered}},
		{name: "no answer, then 409", op: sendAtPost(), options: again, play: []func(*exchange){peers, lost, code(409)}, want: []outcome{uncertain}},
		{name: "429, then 409 for a key of the client", op: sendAtPost(), options: again, play: []func(*exchange){peers, code(429), code(409)}, want: []outcome{uncertain}},
		{name: "409 for a key of the caller", op: sendWithKey(), options: again, play: []func(*exchange){peers, code(409)}, want: []outcome{status}},
		{name: "no answer, then 409 for a key of the caller", op: sendWithKey(), options: again, play: []func(*exchange){peers, lost, code(409)}, want: []outcome{uncertain}},
		{name: "no answer, then 401", op: sendAtPost(), options: again, play: []func(*exchange){peers, lost, code(401)}, want: []outcome{uncertain}},
		{name: "429, then 401", op: sendAtPost(), options: again, play: []func(*exchange){peers, code(429), code(401)}, want: []outcome{denied}},
		{name: "429, then 404", op: markRead(), options: again, play: []func(*exchange){code(429), gone}, want: []outcome{status}},
		{name: "503, then 404", op: markRead(), options: again, play: []func(*exchange){code(503), gone}, want: []outcome{ok}},
		{name: "no answer, then 404", op: markRead(), options: again, play: []func(*exchange){lost, gone}, want: []outcome{ok}},
		{name: "503, then 404 of a proxy", op: markRead(), options: again, play: []func(*exchange){code(503), code(404)}, want: []outcome{status}},
		{name: "an inbox that is too large", op: watchAll(), options: []client.Option{client.WithMaxResponseBytes(smallCap)}, play: []func(*exchange){inboxOver(smallCap)}, want: []outcome{ok}},
		{name: "an inbox that is too large", op: fetch(), options: []client.Option{client.WithMaxResponseBytes(smallCap)}, play: []func(*exchange){inboxOver(smallCap)}, want: []outcome{large}},
		{name: "33 MB of capabilities in the registry", op: sendAtPost(), play: []func(*exchange){advert(33 << 20), good}, want: []outcome{ok}},
		{name: "33 MB of capabilities in the registry", op: listPeers(), play: []func(*exchange){advert(33 << 20)}, want: []outcome{ok}},
	}
}

func alternate(a, b func(*exchange)) func(*exchange) {
	var n atomic.Int64
	return func(x *exchange) {
		if n.Add(1)%2 == 1 {
			a(x)
		} else {
			b(x)
		}
	}
}

func repeat(n int, pattern ...outcome) []outcome {
	var all []outcome
	for range n {
		all = append(all, pattern...)
	}
	return all
}

func sendWithKey() *operation {
	op := sendAtPost()
	op.mesh = func(ctx context.Context, c *client.MeshClient) (any, error) {
		return c.Send(ctx, client.SendRequest{To: "node-a", Kind: client.KindStatus, Content: "green", IdempotencyKey: "build-7"})
	}
	return op
}

func watchAll() *operation {
	op := watch()
	op.mesh = func(ctx context.Context, c *client.MeshClient) (any, error) {
		for m, err := range agent.Watch(ctx, c, agent.WatchOptions{}) {
			return m, err
		}
		return nil, ctx.Err()
	}
	return op
}

// inboxOver answers requests for up to ten messages with the good inbox, and others with
// n more bytes.
func inboxOver(n int) func(*exchange) {
	return func(x *exchange) {
		limit, err := strconv.Atoi(x.request.URL.Query().Get("limit"))
		if err == nil && limit <= 10 {
			x.send(http.StatusOK, x.good.body)
			return
		}
		x.send(http.StatusOK, append([]byte(strings.Repeat(" ", n)), x.good.body...))
	}
}

// advert answers with the good registry, except for an n-byte capability in the first
// peer.
func advert(n int) func(*exchange) {
	return func(x *exchange) {
		x.send(http.StatusOK, replace(x.good.body, path{"peers", 0, "capabilities"}, `{"advert":"`+strings.Repeat("x", n)+`"}`))
	}
}

// TestSequences runs the faults that need several responses. With -v it prints the
// outcomes.
func TestSequences(t *testing.T) {
	for _, s := range sequences() {
		replies := recorded(t, s.op.recordings)
		var played atomic.Int64 // every connection has its own goroutine
		f := &fault{play: func(x *exchange) {
			s.play[min(int(played.Add(1))-1, len(s.play)-1)](x)
		}}
		op := *s.op
		op.skip = 0 // every response is in the sequence
		server := newServer(t, &op, replies, f)
		server.repeats = true
		c, err := client.New("node-c", append([]client.Option{
			client.WithGatewayURL("http://" + server.listener.Addr().String()), client.WithToken(token), client.WithLogger(silent),
		}, s.options...)...)
		require.NoError(t, err)
		var seen []outcome
		for range max(s.calls, 1) {
			_, err := op.mesh(t.Context(), c)
			seen = append(seen, outcomeOf(err))
		}
		require.NoError(t, c.Close())
		left, _ := server.close()
		assert.Zero(t, left, "%s: connections are left open", s.name)
		assert.Equal(t, s.want, seen, "%s: %s", op.name, s.name)
		t.Logf("%-14s %-46s %v", op.name, s.name, seen[:min(len(seen), 2)])
	}
}

// outcomeOf classifies err by the caller's first question: may the message have arrived?
func outcomeOf(err error) outcome {
	var failed *client.MeshGatewayError
	var auth *client.MeshAuthError
	switch errors.As(err, &failed); {
	case err == nil:
		return ok
	case failed == nil:
		return outcome(fmt.Sprint(err))
	case failed.Delivered:
		return delivered
	case failed.Uncertain:
		return uncertain
	case errors.As(err, &auth):
		return denied
	case errors.Is(err, client.ErrTooLarge):
		return large
	case failed.StatusCode == 0:
		return network
	}
	return status
}
