package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
)

// flaky answers the first n requests with fail and all later ones with ok. It records
// them.
type flaky struct {
	n        int
	fail, ok http.HandlerFunc
	at       []time.Time
	bodies   []string
}

func (f *flaky) handle(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodGet && r.URL.Path == "/peers" && f.ok == nil {
		_, _ = w.Write([]byte(`[{"name":"node-b"}]`))
		return
	}
	var body []byte
	if r.Body != nil {
		body, _ = io.ReadAll(r.Body)
	}
	f.at, f.bodies = append(f.at, time.Now()), append(f.bodies, string(body))
	if len(f.at) <= f.n {
		f.fail(w, r)
		return
	}
	if f.ok != nil {
		f.ok(w, r)
		return
	}
	_, _ = w.Write([]byte(receipt))
}

func status(code int, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(code)
	}
}

func networkDown(http.ResponseWriter, *http.Request) { panic(errNetwork) }

func emptyList(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`[]`)) }

func TestWithoutRetryEveryRequestIsSentOnce(t *testing.T) {
	t.Parallel()
	for _, fail := range []http.HandlerFunc{networkDown, status(429), status(503)} {
		f := &flaky{n: 1, fail: fail, ok: emptyList}
		_, err := inProcess(t, f.handle).ListPeers(t.Context())
		gatewayError(t, err)
		assert.Len(t, f.at, 1)
	}
}

func TestReadsAreRetried(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		fail    http.HandlerFunc
		retried bool
	}{
		"network": {networkDown, true}, "429": {status(429), true}, "502": {status(502), true},
		"503": {status(503), true}, "504": {status(504), true},
		"500": {status(500), false}, "501": {status(501), false}, "400": {status(400), false}, "401": {status(401), false},
		"404": {status(404), false}, "408": {status(408), false}, "302": {status(302), false},
		"garbage": {func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>")) }, false},
	} {
		synctest.Test(t, func(t *testing.T) {
			for _, read := range []string{"ListPeers", "Fetch", "Health"} {
				f := &flaky{n: 2, fail: row.fail, ok: emptyList}
				err := operations[read](t.Context(), inProcess(t, f.handle, client.WithRetry(client.RetryPolicy{})))
				if row.retried {
					require.NoError(t, err, name)
					assert.Len(t, f.at, 3, name)
				} else if read != "Health" || name != "garbage" {
					gatewayError(t, err)
					assert.Len(t, f.at, 1, name)
				}
			}
		})
	}
}

func TestRetriesEndWithTheLastError(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &flaky{n: 100, fail: status(503), ok: emptyList}
		_, err := inProcess(t, f.handle, client.WithRetry(client.RetryPolicy{MaxAttempts: 4})).ListPeers(t.Context())
		assert.Equal(t, 503, gatewayError(t, err).StatusCode)
		assert.Len(t, f.at, 4)
	})
}

func TestBackoffDoublesWithJitterUpToItsLimit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &flaky{n: 100, fail: networkDown, ok: emptyList}
		policy := client.RetryPolicy{MaxAttempts: 6, BaseDelay: time.Second, MaxDelay: 4 * time.Second}
		_, err := inProcess(t, f.handle, client.WithRetry(policy)).ListPeers(t.Context())
		require.ErrorIs(t, err, errNetwork)
		for i, most := range []time.Duration{1, 2, 4, 4, 4} {
			wait := f.at[i+1].Sub(f.at[i])
			assert.LessOrEqual(t, wait, most*time.Second)
			assert.GreaterOrEqual(t, wait, most*time.Second/2)
		}
	})
}

func TestRetryAfterIsHonored(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		header string
		least  time.Duration
		tries  int
	}{
		"seconds":      {"30", 30 * time.Second, 2},
		"a minute":     {"60", time.Minute, 2},
		"more":         {"61", 0, 1},
		"too long":     {"3600", 0, 1},
		"not a number": {"soon", 0, 2},
		"nothing":      {"0", 0, 2},
	} {
		synctest.Test(t, func(t *testing.T) {
			f := &flaky{n: 1, fail: status(429, "Retry-After", row.header), ok: emptyList}
			_, err := inProcess(t, f.handle, client.WithRetry(client.RetryPolicy{})).ListPeers(t.Context())
			require.Len(t, f.at, row.tries, name)
			if row.tries == 1 {
				assert.Equal(t, 429, gatewayError(t, err).StatusCode)
				assert.Equal(t, row.header+"s", fmt.Sprintf("%.0fs", gatewayError(t, err).RetryAfter.Seconds()))
				return
			}
			require.NoError(t, err)
			assert.GreaterOrEqual(t, f.at[1].Sub(f.at[0]), row.least, name)
			assert.Less(t, f.at[1].Sub(f.at[0]), row.least*5/4+time.Second, name)
		})
	}
	synctest.Test(t, func(t *testing.T) {
		f := &flaky{n: 1, fail: func(w http.ResponseWriter, r *http.Request) {
			status(503, "Retry-After", time.Now().Add(20*time.Second).UTC().Format(http.TimeFormat))(w, r)
		}, ok: emptyList}
		_, err := inProcess(t, f.handle, client.WithRetry(client.RetryPolicy{})).ListPeers(t.Context())
		require.NoError(t, err)
		assert.InDelta(t, 22.5, f.at[1].Sub(f.at[0]).Seconds(), 3.5, "an HTTP date, and up to a quarter more")
	})
}

func TestMaxDelayAllowsALongRetryAfter(t *testing.T) {
	t.Parallel()
	for limit, tries := range map[time.Duration]int{0: 1, time.Minute: 1, 2 * time.Minute: 2} {
		synctest.Test(t, func(t *testing.T) {
			f := &flaky{n: 1, fail: status(429, "Retry-After", "120"), ok: emptyList}
			_, _ = inProcess(t, f.handle, client.WithRetry(client.RetryPolicy{MaxDelay: limit})).ListPeers(t.Context())
			assert.Len(t, f.at, tries, limit)
		})
	}
}

func TestSendIsRetriedUnderOneKey(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &flaky{n: 2, fail: networkDown}
		c := inProcess(t, f.handle, client.WithRetry(client.RetryPolicy{}))
		_, err := c.Send(t.Context(), hello("node-b"))
		require.NoError(t, err)
		require.Len(t, f.bodies, 3)
		assert.Contains(t, f.bodies[0], `"idempotency_key":"`)
		assert.Equal(t, f.bodies[0], f.bodies[1])
		assert.Equal(t, f.bodies[0], f.bodies[2])
		_, err = c.Send(t.Context(), hello("node-b"))
		require.NoError(t, err)
		assert.NotEqual(t, f.bodies[0], f.bodies[3], "another message has another key")
	})
}

func TestLostReceiptDoesNotDeliverTwice(t *testing.T) {
	t.Parallel()
	g := gateway(t)
	c := connect(t, g, "node-a", client.WithRetry(client.RetryPolicy{BaseDelay: time.Millisecond}))
	g.Fail(gatewaytest.SendMessage, gatewaytest.Fault{HangUp: true, AfterEffect: true})
	receipt, err := c.Send(t.Context(), hello("node-b"))
	require.NoError(t, err)
	inbox, err := connect(t, g, "node-b").Fetch(t.Context(), client.FetchOptions{})
	require.NoError(t, err)
	require.Len(t, inbox, 1)
	assert.Equal(t, inbox[0].ID, receipt.ID)
}

func TestMarkReadSucceedsWhenARetryFindsTheMessageRead(t *testing.T) {
	t.Parallel()
	g := gateway(t)
	c := connect(t, g, "node-a", client.WithRetry(client.RetryPolicy{BaseDelay: time.Millisecond}))
	id := g.Store("node-b", "node-a", "fyi", "hello")
	g.Fail(gatewaytest.MarkMessageRead, gatewaytest.Fault{HangUp: true, AfterEffect: true})
	require.NoError(t, c.MarkRead(t.Context(), id))
	assert.Len(t, g.Requests(gatewaytest.MarkMessageRead), 2)
	assert.Equal(t, 404, gatewayError(t, c.MarkRead(t.Context(), id)).StatusCode, "without an earlier attempt a 404 is an error")
}

func TestContextEndsAPauseBetweenAttempts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		f := &flaky{n: 1, fail: status(503, "Retry-After", "50"), ok: emptyList}
		begin := time.Now()
		_, err := inProcess(t, f.handle, client.WithRetry(client.RetryPolicy{})).ListPeers(ctx)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		assert.Equal(t, 503, gatewayError(t, err).StatusCode, "the status of the last response is kept")
		assert.Equal(t, 10*time.Second, time.Since(begin))
		assert.Len(t, f.at, 1)
	})
}

func TestEndedContextIsNotRetried(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	f := &flaky{n: 9, fail: func(http.ResponseWriter, *http.Request) { cancel(); panic(errors.Join(errNetwork, context.Canceled)) }, ok: emptyList}
	var log strings.Builder
	c := inProcess(t, f.handle, client.WithRetry(client.RetryPolicy{}),
		client.WithLogger(slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))))
	_, err := c.ListPeers(ctx)
	require.ErrorIs(t, err, context.Canceled)
	assert.Len(t, f.at, 1)
	assert.NotContains(t, log.String(), "repeating a request", "no record of a retry that does not happen")
}

func TestReadWhoseResponseBreaksOffIsRetried(t *testing.T) {
	t.Parallel()
	half := gatewaytest.Fault{Body: `{"half`, HangUp: true}
	for operation, op := range map[string]gatewaytest.Operation{
		"ListPeers": gatewaytest.ListPeers, "Fetch": gatewaytest.ListMessages, "Health": gatewaytest.GetHealth,
	} {
		g := gateway(t)
		g.Fail(op, half)
		require.NoError(t, operations[operation](t.Context(), connect(t, g, "node-a", client.WithRetry(client.RetryPolicy{BaseDelay: 1}))))
		assert.Len(t, g.Requests(op), 2, operation)
	}
	g := gateway(t)
	c := connect(t, g, "node-a", client.WithRetry(client.RetryPolicy{BaseDelay: 1}), client.WithMaxResponseBytes(100))
	g.Fail(gatewaytest.ListPeers, gatewaytest.Fault{Body: long(" ", 200)})
	_, err := c.ListPeers(t.Context())
	gatewayError(t, err)
	assert.Len(t, g.Requests(gatewaytest.ListPeers), 1, "the next response would be too large again")
}

func TestMarkReadIgnoresTheBodyOfSuccess(t *testing.T) {
	t.Parallel()
	g := gateway(t)
	c := connect(t, g, "node-a")
	id := g.Store("node-b", "node-a", "fyi", "x")
	g.Fail(gatewaytest.MarkMessageRead, gatewaytest.Fault{Body: `{"half`, HangUp: true, AfterEffect: true})
	require.NoError(t, c.MarkRead(t.Context(), id))
}

func TestClosedClientDoesNotRetry(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := inProcess(t, emptyList, client.WithRetry(client.RetryPolicy{}))
		require.NoError(t, c.Close())
		begin := time.Now()
		_, err := c.ListPeers(t.Context())
		require.ErrorContains(t, err, "closed")
		assert.Zero(t, time.Since(begin))
	})
}

var errNetwork = errors.New("the network is down")
