package client_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"math/rand/v2"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
)

// storeQuestions adds n unread messages to the inbox of node-a. Their ids are 1 to n.
func storeQuestions(g *gatewaytest.Gateway, n int) {
	for range n {
		g.Store("node-b", "node-a", "question", "Is the build green?")
	}
}

func TestServeReportsAPollThatIsFullOfMessagesThatWereGivenUp(t *testing.T) {
	g := emptyGateway(t)
	storeQuestions(g, 3) // a poll of two messages hides message 1
	synctest.Test(t, func(t *testing.T) {
		c, _ := worker(t, g)
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
		defer cancel()
		var j journal
		refuse := func(ctx context.Context, m client.MeshMessage) error {
			_ = j.handle(ctx, m)
			return errors.New("impossible")
		}
		opts := client.ServeOptions{MaxAttempts: 1, Watch: client.WatchOptions{Limit: 2}, OnError: j.onError}
		require.NoError(t, c.Serve(ctx, refuse, opts))
		assert.Equal(t, []int64{2, 3}, j.handled)
		require.Len(t, j.failed, 3, "the full poll is reported once")
		assert.ElementsMatch(t, []int64{2, 3}, j.failed[:2], "errors may be reported in another order than messages are handled")
		assert.Zero(t, j.failed[2])
		assert.ErrorContains(t, j.errors[2], "2 unread messages, which hide older ones")
		assert.Equal(t, 3, unread(t, c))
	})
}

func TestCloseEndsServeAtOnce(t *testing.T) {
	for name, opts := range map[string]client.ServeOptions{
		"a handler that waits":            {},
		"a pause between polls":           {Workers: 9, Watch: client.WatchOptions{Interval: time.Hour}},
		"a pause between attempts":        {MaxAttempts: 9},
		"a registration that is repeated": {Register: register},
	} {
		g := emptyGateway(t)
		storeQuestions(g, 3)
		synctest.Test(t, func(t *testing.T) {
			c, d := worker(t, g)
			if opts.Register != nil {
				d.gateway.Store(nil)
			}
			begin := time.Now()
			time.AfterFunc(time.Minute+time.Second, func() { assert.NoError(t, c.Close()) })
			var handled atomic.Int64
			err := c.Serve(t.Context(), func(ctx context.Context, _ client.MeshMessage) error {
				handled.Add(1)
				if opts.MaxAttempts > 0 {
					return errors.New("not yet")
				}
				<-ctx.Done()
				return ctx.Err()
			}, opts)
			require.ErrorIs(t, err, net.ErrClosed, name)
			require.ErrorIs(t, err, client.ErrMesh, name)
			assert.Equal(t, time.Minute+time.Second, time.Since(begin), name)
			if name == "a handler that waits" {
				assert.EqualValues(t, 1, handled.Load(), "no further handler starts")
			}
		})
		assert.Empty(t, g.Requests(gatewaytest.MarkMessageRead), name)
	}
}

func TestServeLeavesAMessageThatWaitsForAnotherAttemptUnread(t *testing.T) {
	g := emptyGateway(t)
	storeQuestions(g, 1)
	synctest.Test(t, func(t *testing.T) {
		c, _ := worker(t, g)
		ctx, cancel := context.WithCancel(t.Context())
		var j journal
		begin := time.Now()
		require.NoError(t, c.Serve(ctx, func(context.Context, client.MeshMessage) error {
			cancel()
			return errors.New("not yet")
		}, client.ServeOptions{OnError: j.onError}))
		assert.Zero(t, time.Since(begin), "the pause ends")
		assert.Empty(t, j.errors, "the message was not given up")
		assert.Equal(t, 1, unread(t, c))
	})
}

func TestServeRepeatsAMarkForAsLongAsTheGatewayIsDown(t *testing.T) {
	g := emptyGateway(t)
	storeQuestions(g, 1)
	synctest.Test(t, func(t *testing.T) {
		c, d := worker(t, g)
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Minute)
		defer cancel()
		var j journal
		handler := func(ctx context.Context, m client.MeshMessage) error {
			d.gateway.Store(nil)
			time.AfterFunc(10*time.Minute, func() { d.gateway.Store(g) })
			return j.handle(ctx, m)
		}
		require.NoError(t, c.Serve(ctx, handler, client.ServeOptions{OnError: j.onError}))
		assert.Equal(t, []int64{1}, j.handled)
		assert.Zero(t, unread(t, c))
		reports := 0
		for i, id := range j.failed {
			if id == 1 {
				reports++
				assert.ErrorContains(t, j.errors[i], "handled, but not marked read after attempt 5")
			}
		}
		assert.Equal(t, 1, reports, "the delay is reported once")
	})
}

func TestServeReportsARejectedMark(t *testing.T) {
	g := emptyGateway(t)
	storeQuestions(g, 1)
	g.Fail(gatewaytest.MarkMessageRead, gatewaytest.Fault{Status: http.StatusForbidden, Times: -1})
	synctest.Test(t, func(t *testing.T) {
		c, _ := worker(t, g)
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
		defer cancel()
		var j journal
		require.NoError(t, c.Serve(ctx, j.handle, client.ServeOptions{OnError: j.onError}))
		assert.Equal(t, []int64{1}, j.handled)
		assert.Equal(t, []int64{1}, j.failed)
		var auth *client.MeshAuthError
		assert.ErrorAs(t, j.errors[0], &auth)
	})
	assert.Len(t, g.Requests(gatewaytest.MarkMessageRead), 1)
}

func TestServeAcceptsThatAMessageIsMarkedReadByAnotherProgram(t *testing.T) {
	g := emptyGateway(t)
	storeQuestions(g, 1)
	synctest.Test(t, func(t *testing.T) {
		c, _ := worker(t, g)
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
		defer cancel()
		var j journal
		handler := func(ctx context.Context, m client.MeshMessage) error {
			_ = j.handle(ctx, m)
			if len(j.handled) == 1 {
				assert.NoError(t, c.MarkRead(ctx, m.ID))
				return errors.New("not yet")
			}
			return nil
		}
		require.NoError(t, c.Serve(ctx, handler, client.ServeOptions{OnError: j.onError}))
		assert.Equal(t, []int64{1, 1}, j.handled)
		assert.Empty(t, j.errors)
	})
}

func TestServeHasMoreWorkersThanMessages(t *testing.T) {
	g := emptyGateway(t)
	storeQuestions(g, 2)
	synctest.Test(t, func(t *testing.T) {
		c, _ := worker(t, g)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		var j journal
		require.NoError(t, c.Serve(ctx, j.handle, client.ServeOptions{Workers: 100, OnError: j.onError}))
		assert.ElementsMatch(t, []int64{1, 2}, j.handled)
		assert.Empty(t, j.errors)
	})
}

// OnError may wait, for example for a person: the worker is free for other messages.
func TestServeWorksWhileOnErrorWaits(t *testing.T) {
	g := emptyGateway(t)
	storeQuestions(g, 3)
	synctest.Test(t, func(t *testing.T) {
		c, _ := worker(t, g)
		ctx, cancel := context.WithCancel(t.Context())
		handled := 0
		handler := func(_ context.Context, m client.MeshMessage) error {
			handled++
			if m.ID == 1 {
				return errors.New("impossible")
			}
			if m.ID == 3 {
				cancel()
			}
			return nil
		}
		answered := false
		wait := func(client.MeshMessage, error) { <-ctx.Done(); time.Sleep(time.Hour); answered = true }
		require.NoError(t, c.Serve(ctx, handler, client.ServeOptions{MaxAttempts: 1, OnError: wait}))
		assert.Equal(t, 3, handled)
		assert.True(t, answered, "Serve waits for OnError")
	})
}

func TestServeHonorsTheRetryAfterOfAHandlersError(t *testing.T) {
	for header, want := range map[string]time.Duration{"30": 30 * time.Second, "3600": time.Minute} {
		g := emptyGateway(t)
		storeQuestions(g, 1)
		g.Fail(gatewaytest.SendMessage, gatewaytest.Fault{Status: http.StatusTooManyRequests, Header: http.Header{"Retry-After": {header}}})
		synctest.Test(t, func(t *testing.T) {
			c, _ := worker(t, g)
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
			defer cancel()
			var attempts []time.Time
			require.NoError(t, c.Serve(ctx, func(ctx context.Context, m client.MeshMessage) error {
				attempts = append(attempts, time.Now())
				_, err := c.Reply(ctx, m, client.KindAnswer, "done")
				return err
			}, client.ServeOptions{}))
			require.Len(t, attempts, 2, header)
			assert.GreaterOrEqual(t, attempts[1].Sub(attempts[0]), want, header)
			assert.LessOrEqual(t, attempts[1].Sub(attempts[0]), want*5/4, header)
		})
	}
}

func TestServeRegistersAgainAtAGatewayThatCannotReturnOnePeer(t *testing.T) {
	noPath := func(r gatewaytest.Request) *gatewaytest.Fault {
		if r.Operation != gatewaytest.GetPeer {
			return nil
		}
		return &gatewaytest.Fault{Status: http.StatusNotFound, Body: `{"detail":"Not Found"}`, Header: http.Header{"Content-Type": {"application/json"}}}
	}
	before, after := emptyGateway(t), emptyGateway(t)
	before.FailIf(noPath)
	after.FailIf(noPath)
	synctest.Test(t, func(t *testing.T) {
		c, d := worker(t, before)
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
		defer cancel()
		time.AfterFunc(5*time.Minute, func() { d.gateway.Store(after) })
		var j journal
		require.NoError(t, c.Serve(ctx, j.handle, client.ServeOptions{Register: register, OnError: j.onError}))
		assert.Empty(t, j.errors)
	})
	assert.Len(t, before.Requests(gatewaytest.RegisterPeer), 1)
	assert.Len(t, after.Requests(gatewaytest.RegisterPeer), 1)
}

func TestServeReportsAFailedCheckOfItsRegistration(t *testing.T) {
	g := emptyGateway(t)
	synctest.Test(t, func(t *testing.T) {
		c, _ := worker(t, g)
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
		defer cancel()
		g.Fail(gatewaytest.GetPeer, gatewaytest.Fault{Status: http.StatusInternalServerError})
		var j journal
		require.NoError(t, c.Serve(ctx, j.handle, client.ServeOptions{Register: register, OnError: j.onError}))
		require.Len(t, j.errors, 1)
		require.ErrorContains(t, j.errors[0], "GET /peers/node-a: status 500")
		assert.Equal(t, []int64{0}, j.failed, "without a message")
	})
}

// MarkRead refuses such an id without a request.
func TestServeReportsAMessageWhoseIDCannotBeMarked(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := inProcess(t, func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte("[" + row(0, "node-b") + "]"))
		})
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		var j journal
		require.NoError(t, c.Serve(ctx, j.handle, client.ServeOptions{OnError: j.onError}))
		require.Len(t, j.errors, 1)
		require.ErrorContains(t, j.errors[0], "handled, but not marked read after attempt 1: mesh: message id")
	})
}

func TestServeDoesNotRegisterADisabledNodeAgain(t *testing.T) {
	g := emptyGateway(t)
	synctest.Test(t, func(t *testing.T) {
		// An alias for the node's own name does not change which peer Serve looks for.
		c, _ := worker(t, g, client.WithAliases(map[string]string{"node-a": "node-a", "alias": "node-a"}))
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
		defer cancel()
		time.AfterFunc(time.Second, func() { g.Disable("node-a", true) })
		require.NoError(t, c.Serve(ctx, new(journal).handle, client.ServeOptions{Register: register}))
	})
	assert.Len(t, g.Requests(gatewaytest.RegisterPeer), 1)
	assert.GreaterOrEqual(t, len(g.Requests(gatewaytest.GetPeer)), 9, "the registration is checked every minute or sooner")
}

func TestServeWithoutOnErrorLogsErrorsWithoutTokens(t *testing.T) {
	g := emptyGateway(t)
	storeQuestions(g, 1)
	synctest.Test(t, func(t *testing.T) {
		var log strings.Builder
		c, _ := worker(t, g, client.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		fail := func(context.Context, client.MeshMessage) error { return fmt.Errorf("denied for %s", token[2:]) }
		require.NoError(t, c.Serve(ctx, fail, client.ServeOptions{MaxAttempts: 1}))
		assert.Contains(t, log.String(), "message=1")
		assert.Contains(t, log.String(), "given up after attempt 1: denied for [REDACTED]")
		assert.NotContains(t, log.String(), token[2:])
	})
}

func TestServeChecksEveryOptionBeforeItRegisters(t *testing.T) {
	g := emptyGateway(t)
	c := connect(t, g, "node-a")
	handler := new(journal).handle
	for name, opts := range map[string]client.ServeOptions{
		"watch":        {Register: register, Watch: client.WatchOptions{Interval: 5}},
		"capabilities": {Register: &client.RegisterRequest{Capabilities: map[string]any{"load": math.NaN()}}},
	} {
		var invalid *client.ValueError
		require.ErrorAs(t, c.Serve(t.Context(), handler, opts), &invalid, name)
	}
	var none context.Context
	assert.Equal(t, "context", valueError(t, c.Serve(none, handler, client.ServeOptions{})).Field)
	assert.Equal(t, "MeshClient", valueError(t, new(client.MeshClient).Serve(t.Context(), handler, client.ServeOptions{})).Field)
	assert.Empty(t, g.Requests())
}

// checkedMarks requires that the handler of a message succeeded before a request marks it read.
type checkedMarks struct {
	t       *testing.T
	next    http.RoundTripper
	success *sync.Map
}

func (c checkedMarks) RoundTrip(req *http.Request) (*http.Response, error) {
	if id, found := strings.CutSuffix(req.URL.Path, "/read"); found {
		n, err := strconv.ParseInt(strings.TrimPrefix(id, "/messages/"), 10, 64)
		assert.NoError(c.t, err)
		_, handled := c.success.Load(n)
		assert.True(c.t, handled, "message %d is marked read before its handler succeeded", n)
	}
	return c.next.RoundTrip(req)
}

func TestServeLosesNoMessageAtAFaultyGateway(t *testing.T) {
	const messages = 60
	g := emptyGateway(t)
	random := rand.New(rand.NewPCG(1, 2))
	var mu sync.Mutex
	chance := func(n int) bool {
		mu.Lock()
		defer mu.Unlock()
		return random.IntN(n) == 0
	}
	g.FailIf(func(gatewaytest.Request) *gatewaytest.Fault {
		if !chance(3) {
			return nil
		}
		return &gatewaytest.Fault{Status: http.StatusServiceUnavailable, AfterEffect: chance(2)}
	})
	synctest.Test(t, func(t *testing.T) {
		var success sync.Map
		d := new(direct)
		d.gateway.Store(g)
		c, err := client.New("node-a", client.WithGatewayURL("http://gateway.test"), client.WithToken(token),
			client.WithHTTPClient(&http.Client{Transport: checkedMarks{t, d, &success}}))
		require.NoError(t, err)
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		for i := range messages {
			time.AfterFunc(time.Duration(i)*time.Second, func() { storeQuestions(g, 1) })
		}
		handler := func(_ context.Context, m client.MeshMessage) error {
			time.Sleep(time.Second)
			if chance(3) {
				return errors.New("not yet")
			}
			success.Store(m.ID, true)
			return nil
		}
		require.NoError(t, c.Serve(ctx, handler, client.ServeOptions{
			Workers: 4, MaxAttempts: 20, Register: register, OnError: func(client.MeshMessage, error) {}, Watch: client.WatchOptions{Limit: 7},
		}))
		g.Heal()
		assert.Zero(t, unread(t, c))
		for id := range int64(messages) {
			_, handled := success.Load(id + 1)
			assert.True(t, handled, "message %d", id+1)
		}
	})
}
