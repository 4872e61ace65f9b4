package agent_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/agent"
	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
	"github.com/mesh-gateway/mesh-go/internal/test/whole"
)

// hangingMarks is a transport whose marks get no response until released. It counts those
// that are waiting.
type hangingMarks struct {
	next         http.RoundTripper
	released     atomic.Bool
	now, most, n atomic.Int64
}

func (h *hangingMarks) RoundTrip(req *http.Request) (*http.Response, error) {
	if !strings.HasSuffix(req.URL.Path, "/read") || h.released.Load() {
		return h.next.RoundTrip(req)
	}
	h.n.Add(1)
	now := h.now.Add(1)
	for most := h.most.Load(); now > most && !h.most.CompareAndSwap(most, now); most = h.most.Load() {
	}
	defer h.now.Add(-1)
	<-req.Context().Done()
	return nil, req.Context().Err()
}

// If marks hang, 300 messages would cause 1,000 marks and 6,008 goroutines. With 8
// workers there are 9 marks.
func TestServeSendsNoMoreMarksAtATimeThanItHasWorkers(t *testing.T) {
	t.Parallel()
	const workers, messages = 8, 300
	g := emptyGateway(t)
	storeQuestions(g, messages)
	synctest.Test(t, func(t *testing.T) {
		d := new(direct)
		d.gateway.Store(g)
		h := &hangingMarks{next: d}
		c, _ := worker(t, g, client.WithHTTPClient(&http.Client{Transport: h}), client.WithRetry(client.RetryPolicy{}))
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
		defer cancel()
		var j journal
		handledAt := func(d time.Duration, n int) {
			time.AfterFunc(d, func() {
				j.mu.Lock()
				defer j.mu.Unlock()
				assert.GreaterOrEqual(t, len(j.handled), n, "the workers go on after the timeout of each mark")
			})
		}
		handledAt(time.Minute-time.Second, 6*workers)
		time.AfterFunc(2*time.Minute, func() { h.released.Store(true) })
		require.NoError(t, agent.Serve(ctx, c, j.handle, agent.ServeOptions{Workers: workers, OnError: j.onError}))
		assert.LessOrEqual(t, h.most.Load(), int64(workers+1), "one for each worker, and the one of the queue")
		assert.Len(t, j.handled, messages, "each is handled once")
		assert.Zero(t, unread(t, c))
		reported := make(map[int64]int)
		for _, id := range j.failed {
			reported[id]++
			assert.Equal(t, 1, reported[id], "message %d", id)
		}
	})
}

func TestServeSendsTheFirstMarkOnceBeforeTheWorkerIsFree(t *testing.T) {
	t.Parallel()
	g := emptyGateway(t)
	storeQuestions(g, 2)
	g.Fail(gatewaytest.MarkMessageRead, gatewaytest.Fault{Status: 503, Times: 5})
	synctest.Test(t, func(t *testing.T) {
		c, _ := worker(t, g, client.WithRetry(client.RetryPolicy{}))
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
		defer cancel()
		var sent []int
		handler := func(context.Context, client.MeshMessage) error {
			sent = append(sent, len(g.Requests(gatewaytest.MarkMessageRead)))
			return nil
		}
		begin := time.Now()
		require.NoError(t, agent.Serve(ctx, c, func(ctx context.Context, m client.MeshMessage) error {
			assert.Zero(t, time.Since(begin), "there is no pause between the messages")
			return handler(ctx, m)
		}, agent.ServeOptions{}))
		assert.Equal(t, []int{0, 1}, sent)
		assert.Zero(t, unread(t, c))
	})
}

// newRows answers every poll with as many new messages as it requests, each with some
// content.
func newRows(bytes int) http.HandlerFunc {
	last := 0
	content := `"content":"` + strings.Repeat("x", bytes) + `"`
	return func(w http.ResponseWriter, r *http.Request) {
		var limit int
		_, _ = fmt.Sscan(r.URL.Query().Get("limit"), &limit)
		var list []string
		for range limit {
			last++
			list = append(list, strings.Replace(row(last, "node-b"), `"content":"x"`, content, 1))
		}
		_, _ = w.Write([]byte("[" + strings.Join(list, ",") + "]"))
	}
}

func TestServeBoundsTheMessagesThatWait(t *testing.T) {
	t.Parallel()
	const workers = 3
	for name, c := range map[string]struct{ bytes, limit, most int }{
		"small": {10, 1000, 1024}, "large": {1 << 20, 20, 32},
	} {
		if c.bytes > whole.Cases(1<<20, 10) {
			continue
		}
		for what, onError := range map[string]func(context.Context){
			"an attempt": nil,
			"OnError":    func(ctx context.Context) { <-ctx.Done(); time.Sleep(time.Second) },
		} {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
				defer cancel()
				opts := agent.ServeOptions{
					Workers: workers, MaxAttempts: 1_000_000,
					Interval: time.Second, Limit: c.limit, OnError: func(client.MeshMessage, error) {},
				}
				if onError != nil {
					opts.MaxAttempts, opts.OnError = 1, func(client.MeshMessage, error) { onError(ctx) }
				}
				var j journal
				require.NoError(t, agent.Serve(ctx, inProcess(t, newRows(c.bytes)), func(ctx context.Context, m client.MeshMessage) error {
					_ = j.handle(ctx, m)
					return errors.New("not yet")
				}, opts))
				distinct := make(map[int64]bool)
				for _, id := range j.handled {
					distinct[id] = true
				}
				assert.LessOrEqual(t, len(distinct), c.most+workers, "%s messages wait for %s", name, what)
				assert.GreaterOrEqual(t, len(distinct), c.most/2, "%s messages wait for %s", name, what)
			})
		}
	}
}
