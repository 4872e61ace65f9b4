package client_test

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
	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
)

func TestServeDoesNotRunTheHandlerAgainWhenTheMarkFails(t *testing.T) {
	g := emptyGateway(t)
	g.Store("node-b", "node-a", "question", "Is the build green?")
	g.Fail(gatewaytest.MarkMessageRead, gatewaytest.Fault{Status: http.StatusServiceUnavailable, Times: 2})
	synctest.Test(t, func(t *testing.T) {
		c, _ := worker(t, g)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		var j journal
		require.NoError(t, c.Serve(ctx, j.handle, client.ServeOptions{OnError: j.onError}))
		assert.Len(t, j.handled, 1)
		assert.Empty(t, j.errors)
		assert.Zero(t, unread(t, c))
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

// The mark of a message that its handler finished late would be the mark of another message in a new database.
func TestServeDoesNotMarkAMessageOfAnEarlierDatabase(t *testing.T) {
	before, after := emptyGateway(t), emptyGateway(t)
	synctest.Test(t, func(t *testing.T) {
		before.Store("node-b", "node-a", "question", "before")
		c, d := worker(t, before)
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		attempts := make(map[string]int)
		handler := func(_ context.Context, m client.MeshMessage) error {
			attempts[m.GetContent()]++
			if attempts["before"] == 2 && m.GetContent() == "before" {
				return nil
			}
			if attempts["after"] == 0 {
				time.Sleep(time.Millisecond) // the time of the new message is later
				after.Store("node-b", "node-a", "question", "after")
				d.gateway.Store(after)
			}
			return errors.New("later")
		}
		options := client.ServeOptions{Watch: client.WatchOptions{Interval: 100 * time.Millisecond}}
		require.NoError(t, c.Serve(ctx, handler, options))
		assert.Equal(t, 2, attempts["before"])
		assert.Greater(t, attempts["after"], 1)
		assert.Equal(t, 1, unread(t, c), "no handler has succeeded for it")
	})
}

// Serve knows of the new database while its only worker is still busy.
func TestServeNoticesANewDatabaseWhileAllWorkersAreBusy(t *testing.T) {
	before, after := emptyGateway(t), emptyGateway(t)
	synctest.Test(t, func(t *testing.T) {
		before.Store("node-b", "node-a", "question", "before")
		c, d := worker(t, before)
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		time.AfterFunc(time.Second, func() {
			after.Store("node-b", "node-a", "question", "after")
			d.gateway.Store(after)
		})
		handler := func(_ context.Context, m client.MeshMessage) error {
			if m.GetContent() == "before" {
				time.Sleep(5 * time.Second)
				return nil
			}
			return errors.New("later")
		}
		require.NoError(t, c.Serve(ctx, handler, client.ServeOptions{Watch: client.WatchOptions{Interval: 100 * time.Millisecond}}))
		assert.Equal(t, 1, unread(t, c), "no handler has succeeded for it")
	})
	assert.Empty(t, after.Requests(gatewaytest.MarkMessageRead))
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
			Workers: 4, MaxAttempts: 40, Register: register, OnError: func(client.MeshMessage, error) {}, Watch: client.WatchOptions{Limit: 7},
		}))
		g.Heal()
		assert.Zero(t, unread(t, c))
		for id := range int64(messages) {
			_, handled := success.Load(id + 1)
			assert.True(t, handled, "message %d", id+1)
		}
	})
}

// A gateway in trouble must not receive more requests the more messages are waiting for their marks.
func TestServeSendsFewMarksWhileEveryMarkFails(t *testing.T) {
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
		require.NoError(t, c.Serve(ctx, j.handle, client.ServeOptions{OnError: j.onError, Watch: client.WatchOptions{Interval: time.Minute}}))
		assert.Len(t, j.handled, messages)
		assert.Len(t, j.errors, messages, "each message is reported once")
		assert.Zero(t, unread(t, c), "the marks are sent when the gateway works again")
	})
}

func TestServeSendsQueuedMarksPastOneThatAlwaysFails(t *testing.T) {
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
		require.NoError(t, c.Serve(ctx, j.handle, client.ServeOptions{OnError: j.onError}))
		assert.Len(t, j.handled, messages)
		assert.Equal(t, 1, unread(t, c))
	})
}

func TestServeSendsQueuedMarksWhenItsContextEnds(t *testing.T) {
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
			require.NoError(t, c.Serve(ctx, new(journal).handle, client.ServeOptions{OnError: func(client.MeshMessage, error) {}}))
			assert.Equal(t, 10*time.Minute, time.Since(begin), "there is no further pause")
			assert.Equal(t, want, unread(t, c))
			if !works {
				assert.LessOrEqual(t, len(g.Requests(gatewaytest.MarkMessageRead)), sent+1, "the first failure is the last")
			}
		})
	}
}

func TestCloseEndsTheQueueOfMarks(t *testing.T) {
	g := emptyGateway(t)
	storeQuestions(g, 20)
	g.Fail(gatewaytest.MarkMessageRead, gatewaytest.Fault{Status: http.StatusServiceUnavailable, Times: -1})
	synctest.Test(t, func(t *testing.T) {
		c, _ := worker(t, g)
		begin := time.Now()
		time.AfterFunc(10*time.Minute, func() { assert.NoError(t, c.Close()) })
		err := c.Serve(t.Context(), new(journal).handle, client.ServeOptions{OnError: func(client.MeshMessage, error) {}})
		require.ErrorIs(t, err, net.ErrClosed)
		assert.Equal(t, 10*time.Minute, time.Since(begin))
	})
}

// A proxy answers 404 while it has no gateway to forward to. That is not the gateway's 404 for a message that is read.
func TestServeRepeatsAMarkThatAProxyAnswersWith404(t *testing.T) {
	for name, body := range map[string]string{"text": "default backend - 404", "unknown path": `{"detail":"Not Found"}`, "empty": ""} {
		g := emptyGateway(t)
		storeQuestions(g, 1)
		g.Fail(gatewaytest.MarkMessageRead, gatewaytest.Fault{Status: http.StatusNotFound, Body: body, Times: 9})
		synctest.Test(t, func(t *testing.T) {
			c, _ := worker(t, g)
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Minute)
			defer cancel()
			var j journal
			require.NoError(t, c.Serve(ctx, j.handle, client.ServeOptions{OnError: j.onError}), name)
			assert.Equal(t, []int64{1}, j.handled, name)
			require.Len(t, j.errors, 1, name)
			require.ErrorContains(t, j.errors[0], "not marked read after attempt 5", name)
			assert.Zero(t, unread(t, c), name)
		})
	}
}
