package agent_test

import (
	"context"
	"errors"
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
	"github.com/mesh-gateway/mesh-go/client/agent"
	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
)

func TestServeDoesNotRunTheHandlerAgainWhenTheMarkFails(t *testing.T) {
	t.Parallel()
	g := emptyGateway(t)
	g.Store("node-b", "node-a", "question", "Is the build green?")
	g.Fail(gatewaytest.MarkMessageRead, gatewaytest.Fault{Status: http.StatusServiceUnavailable, Times: 2})
	synctest.Test(t, func(t *testing.T) {
		c, _ := worker(t, g)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		var j journal
		require.NoError(t, agent.Serve(ctx, c, j.handle, agent.ServeOptions{OnError: j.onError}))
		assert.Len(t, j.handled, 1)
		assert.Empty(t, j.errors)
		assert.Zero(t, unread(t, c))
	})
}

func TestServeRepeatsAMarkForAsLongAsTheGatewayIsDown(t *testing.T) {
	t.Parallel()
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
		require.NoError(t, agent.Serve(ctx, c, handler, agent.ServeOptions{OnError: j.onError}))
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

// Anything but the gateway's own 404 may come from a proxy, or be temporary.
func TestServeRepeatsAMarkUntilTheGatewayAcceptsIt(t *testing.T) {
	t.Parallel()
	page := http.Header{"Content-Type": {"text/html"}}
	for name, fault := range map[string]gatewaytest.Fault{
		"301": {Status: 301}, "302": {Status: 302, Header: http.Header{"Location": {"/login"}}}, "307": {Status: 307},
		"400": {Status: 400}, "401": {Status: 401}, "403": {Status: 403}, "405": {Status: 405}, "408": {Status: 408},
		"409": {Status: 409}, "410": {Status: 410}, "422": {Status: 422}, "451": {Status: 451},
		"404 of a proxy":          {Status: 404, Body: "default backend - 404"},
		"404 of an unknown path":  {Status: 404, Body: `{"detail":"Not Found"}`},
		"404 without a body":      {Status: 404},
		"a page with 200":         {Status: 200, Header: page, Body: "<html>Please sign in.</html>"},
		"a page without its type": {Status: 200, Body: " \n<!DOCTYPE html>"},
		"a blank page":            {Status: 200, Header: page, Body: "\n"},
		"a page that breaks off":  {Status: 200, Header: page, Body: "<html>", HangUp: true},
	} {
		g := emptyGateway(t)
		storeQuestions(g, 1)
		fault.Times = 9
		g.Fail(gatewaytest.MarkMessageRead, fault)
		c := connect(t, g, "node-a")
		if !fault.HangUp { // which needs a real connection
			synctest.Test(t, func(t *testing.T) {
				c, _ := worker(t, g)
				checkRepeatedMark(t, name, g, c)
			})
			continue
		}
		assert.Error(t, c.MarkRead(t.Context(), 1), name)
	}
}

func checkRepeatedMark(t *testing.T, name string, g *gatewaytest.Gateway, c *client.MeshClient) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	var j journal
	require.NoError(t, agent.Serve(ctx, c, j.handle, agent.ServeOptions{OnError: j.onError}), name)
	assert.Equal(t, []int64{1}, j.handled, name)
	assert.Equal(t, []int64{1}, j.failed, name)
	require.ErrorContains(t, j.errors[0], "handled, but not marked read after attempt 5", name)
	assert.Zero(t, unread(t, c), name)
	assert.Len(t, g.Requests(gatewaytest.MarkMessageRead), 10, name)
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
		require.NoError(t, agent.Serve(ctx, c, j.handle, agent.ServeOptions{OnError: j.onError}))
		require.Len(t, j.errors, 1)
		require.ErrorContains(t, j.errors[0], "handled, but not marked read after attempt 1: mesh: id")
	})
}

func TestServeAcceptsThatAMessageIsMarkedReadByAnotherProgram(t *testing.T) {
	t.Parallel()
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
		require.NoError(t, agent.Serve(ctx, c, handler, agent.ServeOptions{OnError: j.onError}))
		assert.Equal(t, []int64{1, 1}, j.handled)
		assert.Empty(t, j.errors)
	})
}

// checkedMarks requires that a message's handler succeeded before a request marks it
// read.
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
	t.Parallel()
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
		require.NoError(t, agent.Serve(ctx, c, handler, agent.ServeOptions{
			Workers: 4, MaxAttempts: 40, Register: register, OnError: func(client.MeshMessage, error) {}, Limit: 7,
		}))
		g.Heal()
		assert.Zero(t, unread(t, c))
		for id := range int64(messages) {
			_, handled := success.Load(id + 1)
			assert.True(t, handled, "message %d", id+1)
		}
	})
}

// A gateway in trouble must not receive more requests if more messages wait for their
// marks.
func TestServeSendsFewMarksWhileEveryMarkFails(t *testing.T) {
	t.Parallel()
	g := emptyGateway(t)
	g.Fail(gatewaytest.MarkMessageRead, gatewaytest.Fault{Status: http.StatusInternalServerError, Times: -1})
	synctest.Test(t, func(t *testing.T) {
		const messages = 120
		c, _ := worker(t, g)
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Hour)
		defer cancel()
		for i := range messages {
			time.AfterFunc(time.Duration(i)*time.Second, func() { storeQuestions(g, 1) })
		}
		sent := func() int { return len(g.Requests(gatewaytest.MarkMessageRead)) }
		time.AfterFunc(2*time.Hour, func() {
			assert.Less(t, sent(), messages*5+2*2*60+10, "five for each message, and one every half minute or less often")
			g.Heal()
		})
		var j journal
		require.NoError(t, agent.Serve(ctx, c, j.handle, agent.ServeOptions{OnError: j.onError, Interval: time.Minute}))
		assert.Len(t, j.handled, messages)
		assert.Len(t, j.errors, messages, "each message is reported once")
		assert.Zero(t, unread(t, c), "the marks are sent when the gateway works again")
	})
}

func TestServeSendsQueuedMarksPastOneThatAlwaysFails(t *testing.T) {
	t.Parallel()
	const messages = 20
	g := emptyGateway(t)
	storeQuestions(g, messages)
	var works atomic.Bool
	g.FailIf(func(r gatewaytest.Request) *gatewaytest.Fault {
		if r.Operation != gatewaytest.MarkMessageRead || works.Load() && r.Path != "/messages/1/read" {
			return nil
		}
		return &gatewaytest.Fault{Status: http.StatusInternalServerError}
	})
	synctest.Test(t, func(t *testing.T) {
		c, _ := worker(t, g)
		ctx, cancel := context.WithTimeout(t.Context(), 13*time.Minute)
		defer cancel()
		time.AfterFunc(10*time.Minute, func() { works.Store(true) })
		var j journal
		require.NoError(t, agent.Serve(ctx, c, j.handle, agent.ServeOptions{OnError: j.onError}))
		assert.Len(t, j.handled, messages)
		assert.Equal(t, 1, unread(t, c))
	})
}

func TestServeSendsQueuedMarksWhenItsContextEnds(t *testing.T) {
	t.Parallel()
	const messages = 20
	for works, want := range map[bool]int{true: 0, false: messages} {
		g := emptyGateway(t)
		storeQuestions(g, messages)
		g.Fail(gatewaytest.MarkMessageRead, gatewaytest.Fault{Status: http.StatusServiceUnavailable, Times: -1})
		synctest.Test(t, func(t *testing.T) {
			c, _ := worker(t, g)
			ctx, cancel := context.WithCancel(t.Context())
			begin := time.Now()
			var sent int
			time.AfterFunc(10*time.Minute, func() {
				if works {
					g.Heal()
				}
				sent = len(g.Requests(gatewaytest.MarkMessageRead))
				cancel()
			})
			require.NoError(t, agent.Serve(ctx, c, new(journal).handle, agent.ServeOptions{OnError: func(client.MeshMessage, error) {}}))
			assert.Equal(t, 10*time.Minute, time.Since(begin), "there is no further pause")
			assert.Equal(t, want, unread(t, c))
			if !works {
				assert.LessOrEqual(t, len(g.Requests(gatewaytest.MarkMessageRead)), sent+1, "the first failure is the last")
			}
		})
	}
}

func TestCloseEndsTheQueueOfMarks(t *testing.T) {
	t.Parallel()
	g := emptyGateway(t)
	storeQuestions(g, 20)
	g.Fail(gatewaytest.MarkMessageRead, gatewaytest.Fault{Status: http.StatusServiceUnavailable, Times: -1})
	synctest.Test(t, func(t *testing.T) {
		c, _ := worker(t, g)
		begin := time.Now()
		time.AfterFunc(10*time.Minute, func() { assert.NoError(t, c.Close()) })
		err := agent.Serve(t.Context(), c, new(journal).handle, agent.ServeOptions{OnError: func(client.MeshMessage, error) {}})
		require.ErrorIs(t, err, net.ErrClosed)
		assert.Equal(t, 10*time.Minute, time.Since(begin))
	})
}

// A program that ends has to know which messages it will get again.
func TestServeReportsTheMarksThatItLeavesBehind(t *testing.T) {
	t.Parallel()
	g := emptyGateway(t)
	storeQuestions(g, 3)
	g.Fail(gatewaytest.MarkMessageRead, gatewaytest.Fault{Status: http.StatusServiceUnavailable, Times: -1})
	synctest.Test(t, func(t *testing.T) {
		c, _ := worker(t, g)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second/4)
		defer cancel()
		var j journal
		require.NoError(t, agent.Serve(ctx, c, j.handle, agent.ServeOptions{OnError: j.onError}))
		assert.Equal(t, []int64{1, 2, 3}, j.handled)
		assert.ElementsMatch(t, []int64{1, 2, 3}, j.failed)
		assert.Equal(t, 3, unread(t, c))
	})
}

// A hostile gateway has new messages without end, and accepts no mark.
func TestServeBoundsTheMarksThatWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		fresh := newRows(1)
		c := inProcess(t, func(w http.ResponseWriter, r *http.Request) {
			if !r.URL.Query().Has("kind") { // the look before a mark
				w.WriteHeader(http.StatusServiceUnavailable)
				return
			}
			time.Sleep(time.Second) // the polls are full, so that nothing else limits their number
			fresh(w, r)
		})
		ctx, cancel := context.WithTimeout(t.Context(), 23*time.Second)
		defer cancel()
		var j journal
		require.NoError(t, agent.Serve(ctx, c, j.handle, agent.ServeOptions{OnError: j.onError, Kinds: []client.Kind{client.KindFYI}}))
		require.Greater(t, len(j.handled), 21_000)
		excess := 0
		reports := make(map[int64]int)
		for i, err := range j.errors {
			if reports[j.failed[i]]++; strings.Contains(err.Error(), "too many other marks are waiting") {
				excess++
			}
		}
		assert.InDelta(t, len(j.handled)-20_000, excess, 30, "some marks are being sent")
		delete(reports, 0) // polls
		assert.Len(t, reports, len(j.handled), "every message is reported")
	})
}
