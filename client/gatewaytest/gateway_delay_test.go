package gatewaytest_test

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
	"github.com/mesh-gateway/mesh-go/internal/test/nettest"
)

// waiting names the function that waits for a delay to end.
const waiting = "testserver.(*Server[...]).wait"

// background sends a request in a goroutine and returns its error when it ends.
func (s *testGateway) background(ctx context.Context, method, path, body string) <-chan error {
	s.t.Helper()
	req := s.request(ctx, method, path, body)
	done := make(chan error, 1)
	go func() {
		resp, err := s.http.Do(req)
		if err == nil {
			err = errors.Join(resp.Body.Close(), errors.New("it was answered"))
		}
		done <- err
	}()
	return done
}

func TestDelayedResponse(t *testing.T) {
	t.Parallel()
	const delay = 30 * time.Millisecond
	s := start(t)
	s.Fail(gatewaytest.ListPeers, gatewaytest.Fault{Delay: delay, Status: 503, Body: "late"})
	begin := time.Now()
	r, err := s.faulty("GET", "/peers", "")
	require.NoError(t, err)
	assert.GreaterOrEqual(t, time.Since(begin), delay)
	assert.Equal(t, 503, r.Status)
	assert.Equal(t, "late", r.Body)
}

func TestDelayDoesNotBlockOtherRequests(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.Fail(gatewaytest.ListPeers, gatewaytest.Fault{Delay: time.Hour})
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	s.background(ctx, "GET", "/peers", "")
	eventually(t, func() bool { return len(s.Requests(gatewaytest.ListPeers)) == 1 })
	assert.Len(t, s.peers(), 2)
}

func TestEffectComesBeforeTheDelay(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.Fail(gatewaytest.SendMessage, gatewaytest.Fault{Delay: time.Hour, AfterEffect: true})
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	done := s.background(ctx, "POST", "/messages", message("stored"))
	eventually(t, func() bool { return len(s.inbox("node-b")) == 1 })
	leave()
	require.ErrorIs(t, <-done, context.Canceled)
}

func TestCloseEndsADelay(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.Fail(gatewaytest.SendMessage, gatewaytest.Fault{Delay: time.Hour})
	request := s.background(t.Context(), "POST", "/messages", message("x"))
	eventually(t, func() bool { return len(s.Requests(gatewaytest.SendMessage)) == 1 })
	closed := make(chan error, 1)
	go func() { s.Close(); closed <- nil }()
	require.NoError(t, <-closed)
	err := <-request
	require.Error(t, err)
	assert.NotContains(t, err.Error(), "it was answered")
}

// Not parallel: it counts goroutines.
func TestDisconnectEndsADelay(t *testing.T) {
	s := start(t)
	s.Fail(gatewaytest.ListPeers, gatewaytest.Fault{Delay: time.Hour})
	ctx, leave := context.WithCancel(t.Context())
	done := s.background(ctx, "GET", "/peers", "")
	eventually(t, func() bool { return nettest.Goroutines(waiting) == 1 })
	leave()
	require.ErrorIs(t, <-done, context.Canceled)
	eventually(t, func() bool { return nettest.Goroutines(waiting) == 0 })
}

// Not parallel: it counts goroutines.
func TestCloseLeavesNoGoroutine(t *testing.T) {
	s := start(t)
	s.Fail(gatewaytest.SendMessage, gatewaytest.Fault{Delay: time.Hour})
	s.Fail(gatewaytest.RegisterPeer, gatewaytest.Fault{HangUp: true})
	s.Fail(gatewaytest.MarkMessageRead, gatewaytest.Fault{HangUp: true, Body: "{"})
	for op, request := range validRequests {
		if op != gatewaytest.SendMessage {
			_, _ = s.faulty(request[0], request[1], request[2])
		}
	}
	request := s.background(t.Context(), "POST", "/messages", message("x"))
	eventually(t, func() bool { return nettest.Goroutines(waiting) == 1 })
	require.NotZero(t, nettest.Goroutines("net/http.(*conn).serve"), "the count finds such goroutines")
	require.NotZero(t, nettest.Goroutines("net/http.(*Server).Serve("))

	s.Close()
	require.Error(t, <-request)
	for _, function := range []string{"gatewaytest.(*Gateway)", "testserver.(*Server", "net/http.(*conn).serve", "net/http.(*Server).Serve(", "httptest."} {
		eventually(t, func() bool { return nettest.Goroutines(function) == 0 })
	}
	resp, err := s.http.Do(s.request(t.Context(), http.MethodGet, "/peers", ""))
	if err == nil {
		resp.Body.Close()
	}
	require.Error(t, err, "the port is closed")
}

// New's cleanup closes a gateway again if the test has closed it early.
func TestCloseTwice(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.Close()
	s.Close()
}

func TestDelayAloneKeepsTheUsualResponse(t *testing.T) {
	t.Parallel()
	g := gatewaytest.New(t, gatewaytest.WithPeers("node-b"))
	g.Fail(gatewaytest.ListPeers, gatewaytest.Fault{Delay: 10 * time.Millisecond})
	c, err := client.New("node-a", g.Options()...)
	require.NoError(t, err)
	begin := time.Now()
	peers, err := c.ListPeers(t.Context())
	require.NoError(t, err)
	assert.Len(t, peers, 1)
	assert.GreaterOrEqual(t, time.Since(begin), 10*time.Millisecond)
}
