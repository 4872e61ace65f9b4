package client_test

import (
	"context"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
)

// A gateway in trouble must not receive more requests the more messages are waiting for their marks.
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
		require.NoError(t, c.Serve(ctx, j.handle, client.ServeOptions{OnError: j.onError, Watch: client.WatchOptions{Interval: time.Minute}}))
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
		require.NoError(t, c.Serve(ctx, j.handle, client.ServeOptions{OnError: j.onError}))
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
	t.Parallel()
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

// A program that ends has to know which of its messages will be handed over again.
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
		require.NoError(t, c.Serve(ctx, j.handle, client.ServeOptions{OnError: j.onError}))
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
		ctx, cancel := context.WithTimeout(t.Context(), 28*time.Second)
		defer cancel()
		var j journal
		require.NoError(t, c.Serve(ctx, j.handle, client.ServeOptions{OnError: j.onError, Kinds: []client.Kind{client.KindFYI}}))
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
