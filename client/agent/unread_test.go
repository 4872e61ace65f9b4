package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/agent"
	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
)

// mail is a mailbox message, in the gateway's JSON.
type mail struct {
	ID        int64   `json:"id"`
	FromNode  string  `json:"from_node"`
	ToNode    string  `json:"to_node"`
	Kind      string  `json:"kind"`
	Content   string  `json:"content"`
	CreatedAt string  `json:"created_at"`
	ReadAt    *string `json:"read_at"`
}

// mailbox is a gateway with its own clock that can ignore parameters, like older or
// hostile gateways.
type mailbox struct {
	mu      sync.Mutex
	ignores []string
	mails   []*mail
	broken  string // polls of this kind fail
	empty   int    // polls that are answered with an empty list
	polls   int
	rows    int // in all responses
	marked  []int64
}

func (b *mailbox) add(from, kind, createdAt string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.mails = append(b.mails, &mail{ID: int64(len(b.mails)) + 1, FromNode: from, ToNode: "node-a", Kind: kind, Content: "x", CreatedAt: createdAt})
}

// truncate leaves the first n messages.
func (b *mailbox) truncate(n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.mails = b.mails[:n]
}

func (b *mailbox) handle(w http.ResponseWriter, r *http.Request) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if r.URL.Path == "/peers" {
		_, _ = w.Write([]byte("[" + goodPeer("node-a") + "]"))
		return
	}
	if id, found := strings.CutSuffix(r.URL.Path, "/read"); found {
		n, _ := strconv.ParseInt(strings.TrimPrefix(id, "/messages/"), 10, 64)
		b.marked = append(b.marked, n)
		b.mails[n-1].ReadAt = new(string)
		return
	}
	query := r.URL.Query()
	for _, parameter := range b.ignores {
		query.Del(parameter)
	}
	if b.broken != "" && query.Get("kind") == b.broken {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	if b.polls++; b.empty > 0 {
		b.empty--
		_, _ = w.Write([]byte("[]"))
		return
	}
	limit, err := strconv.Atoi(query.Get("limit"))
	if err != nil {
		limit = len(b.mails)
	}
	is := func(field, value string) bool { return !query.Has(field) || query.Get(field) == value }
	list := []*mail{}
	for _, m := range slices.Backward(b.mails) {
		if len(list) < limit && is("to", m.ToNode) && is("kind", m.Kind) && is("from", m.FromNode) && m.CreatedAt > query.Get("since") &&
			(m.ReadAt == nil || !query.Has("unread_only")) {
			list = append(list, m)
		}
	}
	b.rows += len(list)
	_ = json.NewEncoder(w).Encode(list)
}

func (b *mailbox) marks() []int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Sorted(slices.Values(b.marked))
}

// serveFor runs Serve with a mailbox for a while.
func serveFor(t *testing.T, b *mailbox, d time.Duration, handler func(context.Context, client.MeshMessage) error, opts agent.ServeOptions, more ...client.Option) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	defer cancel()
	require.NoError(t, agent.Serve(ctx, inProcess(t, b.handle, more...), handler, opts))
}

func TestServeMarksMessagesWhileTheClockOfTheGatewayStepsBack(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := new(mailbox)
		for i := range 20 {
			hour := 12
			if i >= 10 {
				hour = 11
			}
			b.add("node-b", "question", fmt.Sprintf("2026-11-21T%d:00:%02d+00:00", hour, i))
		}
		var j journal
		failed := make(map[int64]bool)
		serveFor(t, b, 10*time.Minute, func(ctx context.Context, m client.MeshMessage) error {
			if m.ID%3 == 0 && !failed[m.ID] {
				failed[m.ID] = true
				return errors.New("not yet")
			}
			return j.handle(ctx, m)
		}, agent.ServeOptions{OnError: j.onError, Limit: 7})
		assert.Len(t, j.handled, 20)
		assert.Empty(t, j.errors)
		assert.Len(t, b.marks(), 20)
	})
}

// One response without the message may be the gateway's mistake.
func TestServeLooksAgainForAMessageThatIsNotVisible(t *testing.T) {
	t.Parallel()
	for empty, marks := range map[int]int{1: 1, 2: 1, 4: 0} { // two requests make a look
		synctest.Test(t, func(t *testing.T) {
			b := new(mailbox)
			b.add("node-b", "question", "2026-11-21T12:00:00+00:00")
			var j journal
			serveFor(t, b, time.Minute, func(ctx context.Context, m client.MeshMessage) error {
				b.empty = empty
				return j.handle(ctx, m)
			}, agent.ServeOptions{OnError: j.onError, Interval: time.Hour})
			assert.Len(t, b.marks(), marks, "%d empty responses", empty)
			assert.Len(t, j.errors, 1-marks, "%d empty responses", empty)
		})
	}
}

// Faulty gateways and proxies answer 200 without a body, which doesn't prove that a
// message is gone.
func TestServeRepeatsAMarkWhileTheInboxHasNoBody(t *testing.T) {
	t.Parallel()
	g := emptyGateway(t)
	storeQuestions(g, 1)
	synctest.Test(t, func(t *testing.T) {
		c, _ := worker(t, g)
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
		defer cancel()
		var j journal
		require.NoError(t, agent.Serve(ctx, c, func(ctx context.Context, m client.MeshMessage) error {
			g.Fail(gatewaytest.ListMessages, gatewaytest.Fault{Status: 200, Times: 20})
			return j.handle(ctx, m)
		}, agent.ServeOptions{OnError: j.onError}))
		assert.Zero(t, unread(t, c))
		assert.Equal(t, []int64{1}, j.handled)
	})
}

// More new messages than a response has may hide the message.
func TestServeMarksAMessageThatNewerOnesHide(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		ignores []string
		from    string
		kind    string
	}{
		"kind": {from: "node-b", kind: "fyi"}, "sender": {from: "node-c", kind: "question"},
		"both, not the time": {from: "node-c", kind: "fyi", ignores: []string{"since"}},
	} {
		synctest.Test(t, func(t *testing.T) {
			b := &mailbox{ignores: c.ignores}
			b.add("node-b", "question", "2026-11-21T12:00:00+00:00")
			var j journal
			serveFor(t, b, time.Minute, func(ctx context.Context, m client.MeshMessage) error {
				for range 1500 {
					b.add(c.from, c.kind, "2026-11-21T12:00:01+00:00")
				}
				return j.handle(ctx, m)
			}, agent.ServeOptions{Interval: time.Hour, OnError: j.onError})
			assert.Equal(t, []int64{1}, b.marks(), name)
			assert.Empty(t, j.errors, name)
		})
	}
}

// Newer messages' contents must not hide the message either: without contents, all fit
// into a response.
func TestServeMarksAMessageThatLargeOnesHide(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := new(mailbox)
		b.add("node-b", "question", "2026-11-21T12:00:00+00:00")
		var j journal
		serveFor(t, b, time.Minute, func(ctx context.Context, m client.MeshMessage) error {
			for range 8 {
				b.add("node-b", "question", "2026-11-21T12:00:01+00:00")
				b.mails[len(b.mails)-1].Content = long("x", 1<<16)
			}
			return j.handle(ctx, m)
		}, agent.ServeOptions{Interval: time.Hour, OnError: j.onError}, client.WithMaxResponseBytes(1<<17))
		assert.Equal(t, []int64{1}, b.marks())
		assert.Empty(t, j.errors)
	})
}

// Each mark in a backlog must not list the whole backlog again.
func TestServeListsABacklogFewTimes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := new(mailbox)
		for i := range 200 {
			b.add("node-b", "question", fmt.Sprintf("2026-11-21T12:00:00.%06d+00:00", i))
		}
		var j journal
		serveFor(t, b, time.Minute, j.handle, agent.ServeOptions{OnError: j.onError})
		assert.Len(t, b.marks(), 200)
		assert.Less(t, b.rows, 4*200)
	})
}

// The newest unread message proves that the database is the same only if it's known and
// not older than the one to mark.
func TestServeDoesNotMarkAMessageThatARestoredDatabaseDoesNotHave(t *testing.T) {
	t.Parallel()
	for _, now := range []string{"2026-11-21T11:00:00+00:00", "2026-11-21T14:00:00+00:00"} { // also with a clock that steps back
		synctest.Test(t, func(t *testing.T) {
			b := new(mailbox)
			b.add("node-b", "question", "2026-11-21T13:00:00+00:00")
			for i := range 3 {
				b.add("node-b", "question", fmt.Sprintf("2026-11-21T12:00:0%d+00:00", i))
			}
			var j journal
			serveFor(t, b, time.Minute, func(ctx context.Context, m client.MeshMessage) error {
				switch m.ID {
				case 1:
					return errors.New("no") // stays unread
				case 3: // a backup with two messages is restored, and others get the ids 3 and 4
					b.truncate(2)
					b.add("node-b", "question", now)
					b.add("node-b", "question", now)
				}
				return j.handle(ctx, m)
			}, agent.ServeOptions{MaxAttempts: 1, OnError: j.onError, Interval: time.Hour})
			assert.Equal(t, []int64{2, 3, 4}, j.handled)
			assert.Equal(t, []int64{2}, b.marks(), now)
		})
	}
}
