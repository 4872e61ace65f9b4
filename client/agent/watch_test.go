package agent_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/agent"
	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
)

// inbox is a scripted inbox: each poll gets the next response, and the last one stays.
type inbox struct {
	answers []http.HandlerFunc
	polls   []time.Time
	queries []string
}

func (i *inbox) handle(w http.ResponseWriter, r *http.Request) {
	next := min(len(i.polls), len(i.answers)-1)
	i.polls, i.queries = append(i.polls, time.Now()), append(i.queries, r.URL.RawQuery)
	i.answers[next](w, r)
}

// rows answers a poll with messages from node-b that have these ids, in this order.
func rows(ids ...int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		var list []string
		for _, id := range ids {
			list = append(list, row(id, "node-b"))
		}
		_, _ = w.Write([]byte("[" + strings.Join(list, ",") + "]"))
	}
}

func row(id int, from string) string {
	return fmt.Sprintf(`{"id":%d,"from_node":%q,"to_node":"node-a","kind":"fyi","content":"x","created_at":"now"}`, id, from)
}

// watch ranges over Watch until it has seen n messages or errors, and returns them in
// words.
func watch(ctx context.Context, c *client.MeshClient, opts agent.WatchOptions, n int) []string {
	var seen []string
	for m, err := range agent.Watch(ctx, c, opts) {
		if err != nil {
			seen = append(seen, "error")
		} else {
			seen = append(seen, fmt.Sprint(m.ID))
		}
		if len(seen) == n {
			break
		}
	}
	return seen
}

func TestWatchYieldsEachMessageOnceOldestFirst(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		box := &inbox{answers: []http.HandlerFunc{rows(3, 2, 1), rows(3, 2, 1), rows(5, 4, 3), rows(6, 5, 5, 4)}}
		c := inProcess(t, box.handle)
		assert.Equal(t, []string{"1", "2", "3", "4", "5", "6"}, watch(t.Context(), c, agent.WatchOptions{}, 6))
		assert.Equal(t, "to=node-a&unread_only=true&limit=1000", box.queries[0])
		for i := range len(box.polls) - 1 {
			pause := box.polls[i+1].Sub(box.polls[i])
			assert.GreaterOrEqual(t, pause, agent.DefaultWatchInterval*3/4)
			assert.LessOrEqual(t, pause, agent.DefaultWatchInterval*5/4)
		}
	})
}

func TestEveryRangeOverWatchStartsAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		box := &inbox{answers: []http.HandlerFunc{rows(2, 1)}}
		sequence := agent.Watch(t.Context(), inProcess(t, box.handle), agent.WatchOptions{Limit: 7})
		for range 2 {
			for m := range sequence {
				assert.Equal(t, int64(1), m.ID)
				break
			}
		}
		assert.Contains(t, box.queries[1], "limit=7")
	})
}

func TestWatchDropsOwnMessages(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		box := &inbox{answers: []http.HandlerFunc{func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte("[" + row(2, "node-b") + "," + row(1, "node-a") + "]"))
		}}}
		assert.Equal(t, []string{"2"}, watch(t.Context(), inProcess(t, box.handle), agent.WatchOptions{}, 1))
	})
}

func TestWatchBacksOffAfterErrors(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		box := &inbox{answers: []http.HandlerFunc{
			status(503), networkDown, status(401), status(500), status(500), status(500), rows(1), status(500), rows(2, 1),
		}}
		opts := agent.WatchOptions{Interval: 4 * time.Second}
		seen := watch(t.Context(), inProcess(t, box.handle), opts, 9)
		assert.Equal(t, []string{"error", "error", "error", "error", "error", "error", "1", "error", "2"}, seen)
		// At most five seconds while the gateway is unreachable.
		for i, about := range []float64{5, 5, 32, 60, 60, 60, 4, 8} {
			assert.InDelta(t, about, box.polls[i+1].Sub(box.polls[i]).Seconds(), about/4+0.001, "pause %d", i)
		}
	})
}

func TestWatchHonorsRetryAfter(t *testing.T) {
	t.Parallel()
	for header, least := range map[string]time.Duration{"40": 40 * time.Second, "3600": time.Minute, "soon": 0} {
		synctest.Test(t, func(t *testing.T) {
			box := &inbox{answers: []http.HandlerFunc{status(429, "Retry-After", header), rows(1), rows(2, 1)}}
			assert.Len(t, watch(t.Context(), inProcess(t, box.handle), agent.WatchOptions{}, 3), 3)
			require.Len(t, box.polls, 3)
			wait := box.polls[1].Sub(box.polls[0])
			assert.GreaterOrEqual(t, wait, least)
			assert.LessOrEqual(t, wait, max(least*5/4, 15*time.Second), "at most a quarter longer, and at most a minute")
			assert.Less(t, box.polls[2].Sub(box.polls[1]), 10*time.Second, "it applies to one pause only")
		})
	}
}

func TestWatchEndsWithItsContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		box := &inbox{answers: []http.HandlerFunc{rows()}}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		begin := time.Now()
		assert.Empty(t, watch(ctx, inProcess(t, box.handle), agent.WatchOptions{}, -1))
		assert.Equal(t, time.Minute, time.Since(begin))
	})
	synctest.Test(t, func(t *testing.T) {
		box := &inbox{answers: []http.HandlerFunc{rows(3, 2, 1)}}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var seen []int64
		for m, err := range agent.Watch(ctx, inProcess(t, box.handle), agent.WatchOptions{}) {
			require.NoError(t, err)
			seen = append(seen, m.ID)
			cancel()
		}
		assert.Equal(t, []int64{1}, seen, "nothing is yielded after the end")
	})
}

// When the context ends, the sequence yields no error, and no request follows.
func TestWatchEndsSilently(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]func(w http.ResponseWriter, r *http.Request){
		"a response that arrives too late": rows(1),
		"a request that was canceled":      networkDown,
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			box := &inbox{answers: []http.HandlerFunc{func(w http.ResponseWriter, r *http.Request) { cancel(); answer(w, r) }}}
			assert.Empty(t, watch(ctx, inProcess(t, box.handle), agent.WatchOptions{}, -1), name)
		})
	}
	synctest.Test(t, func(t *testing.T) {
		requests := 0
		c := newClient(t, "node-a", client.WithGatewayURL("http://gateway"), client.WithHTTPClient(&http.Client{Transport: countingTransport{&requests}}))
		ctx, cancel := context.WithTimeout(t.Context(), time.Second) // less than a pause
		defer cancel()
		for range 2 { // the second time ctx has ended before the beginning
			assert.Empty(t, watch(ctx, c, agent.WatchOptions{Interval: time.Minute}, -1))
		}
		assert.Equal(t, 1, requests)
	})
}

// countingTransport counts requests and answers with an empty list, also when the context
// has ended.
type countingTransport struct{ requests *int }

func (c countingTransport) RoundTrip(*http.Request) (*http.Response, error) {
	*c.requests++
	return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader("[]"))}, nil
}

func TestWatchYieldsOneErrorForInvalidOptions(t *testing.T) {
	t.Parallel()
	for field, opts := range map[string]agent.WatchOptions{
		"Interval": {Interval: 5}, "Limit": {Limit: 1001},
	} {
		box := &inbox{answers: []http.HandlerFunc{rows()}}
		n := 0
		for _, err := range agent.Watch(t.Context(), inProcess(t, box.handle), opts) {
			assert.Equal(t, field, valueError(t, err).Field)
			n++
		}
		assert.Equal(t, 1, n)
		assert.Empty(t, box.polls)
	}
}

// A full window may hide older messages. A message that is pushed out and comes back
// isn't yielded twice.
func TestWatchReportsAFullWindowAndRepeatsNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		box := &inbox{answers: []http.HandlerFunc{rows(2, 1), rows(4, 3), rows(4, 3), rows(2, 1), rows(5)}}
		c := inProcess(t, box.handle)
		assert.Equal(t, []string{"1", "2", "3", "4", "error", "5"}, watch(t.Context(), c, agent.WatchOptions{Limit: 2}, 6))
	})
}

// A message that is missing from one window may still be unread: some gateways return
// fewer rows than the limit.
func TestWatchRepeatsNothingAfterShortWindows(t *testing.T) {
	t.Parallel()
	for name, answers := range map[string][]http.HandlerFunc{
		"an empty list in between": {rows(2, 1), rows(), rows(2, 1), status(204), rows(3, 2, 1)},
		"a limit of the gateway":   {rows(2, 1), rows(3, 2), rows(3, 2), rows(3, 2), rows(3, 2), rows(3, 2), rows(2, 1), rows(2, 1), rows(3)},
	} {
		synctest.Test(t, func(t *testing.T) {
			c := inProcess(t, (&inbox{answers: answers}).handle)
			assert.Equal(t, []string{"1", "2", "3"}, watch(t.Context(), c, agent.WatchOptions{}, 3), name)
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
			defer cancel()
			c = inProcess(t, (&inbox{answers: answers}).handle)
			assert.Len(t, watch(ctx, c, agent.WatchOptions{}, -1), 3, name)
		})
	}
}

func TestWatchEndsWhenTheClientIsClosed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := inProcess(t, (&inbox{answers: []http.HandlerFunc{rows(1)}}).handle, client.WithRetry(client.RetryPolicy{}))
		begin, n := time.Now(), 0
		for _, err := range agent.Watch(t.Context(), c, agent.WatchOptions{}) {
			if n++; n == 1 {
				require.NoError(t, c.Close())
				continue
			}
			require.ErrorIs(t, err, net.ErrClosed)
		}
		assert.Equal(t, 2, n)
		assert.Less(t, time.Since(begin), 10*time.Second, "a closed client is not polled again")
	})
}

func TestWatchOverTheNetwork(t *testing.T) {
	t.Parallel()
	g := gateway(t)
	sender, receiver := connect(t, g, "node-a"), connect(t, g, "node-b")
	_, err := sender.Send(t.Context(), hello("node-b"))
	require.NoError(t, err)
	n := 0
	for m, err := range agent.Watch(t.Context(), receiver, agent.WatchOptions{Interval: time.Millisecond}) {
		require.NoError(t, err)
		n++
		assert.Equal(t, int64(n), m.ID)
		if n == 20 {
			break
		}
		_, err = sender.Send(t.Context(), hello("node-b"))
		require.NoError(t, err)
	}
	assert.Empty(t, g.Requests(gatewaytest.MarkMessageRead), "watching marks nothing read")
}
