package agent_test

import (
	"context"
	"errors"
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

// If a handler finishes late, its message's mark would mark another message in a new
// database.
func TestServeDoesNotMarkAMessageOfAnEarlierDatabase(t *testing.T) {
	t.Parallel()
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
		options := agent.ServeOptions{Interval: 100 * time.Millisecond}
		require.NoError(t, agent.Serve(ctx, c, handler, options))
		assert.Equal(t, 2, attempts["before"])
		assert.Greater(t, attempts["after"], 1)
		assert.Equal(t, 1, unread(t, c), "no handler has succeeded for it")
	})
}

// Serve notices the new database while its only worker is still busy.
func TestServeNoticesANewDatabaseWhileAllWorkersAreBusy(t *testing.T) {
	t.Parallel()
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
		require.NoError(t, agent.Serve(ctx, c, handler, agent.ServeOptions{Interval: 100 * time.Millisecond}))
		assert.Equal(t, 1, unread(t, c), "no handler has succeeded for it")
	})
	assert.Empty(t, after.Requests(gatewaytest.MarkMessageRead))
}

// The rest of a poll is from the old database. Unchecked, its marks would mark messages
// that no handler saw.
func TestServeMarksNoMessageOfANewDatabaseUnhandled(t *testing.T) {
	for name, marksFail := range map[string]bool{"at once": false, "while marks fail": true} {
		before := emptyGateway(t)
		storeQuestions(before, 60)
		reports := 60 - 20 + 1 // from the message whose handler sees the new database
		if marksFail {
			before.Fail(gatewaytest.MarkMessageRead, gatewaytest.Fault{Status: 503, Times: -1})
			reports = 60
		}
		checkReset(t, name, before, reports)
	}
}

// checkReset replaces a gateway with 60 messages by another one while the twentieth is
// handled.
func checkReset(t *testing.T, name string, before *gatewaytest.Gateway, reports int) {
	t.Helper()
	after := emptyGateway(t)
	synctest.Test(t, func(t *testing.T) {
		c, d := worker(t, before)
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
		defer cancel()
		old, handled := 0, new(sync.Map)
		handler := func(_ context.Context, m client.MeshMessage) error {
			if m.GetContent() == "after" {
				handled.Store(m.ID, true)
			} else if old++; old == 20 {
				for range 60 {
					after.Store("node-b", "node-a", "question", "after")
				}
				d.gateway.Store(after)
			}
			return nil
		}
		after.FailIf(func(r gatewaytest.Request) *gatewaytest.Fault {
			if id, isMark := strings.CutSuffix(strings.TrimPrefix(r.Path, "/messages/"), "/read"); isMark {
				n, err := strconv.ParseInt(id, 10, 64)
				_, ok := handled.Load(n)
				assert.True(t, err == nil && ok, "%s: message %s is marked before it is handled", name, id)
			}
			return nil
		})
		var j journal
		require.NoError(t, agent.Serve(ctx, c, handler, agent.ServeOptions{OnError: j.onError}))
		assert.Zero(t, unread(t, c), name)
		assert.Len(t, j.errors, reports, "%s: each message of the database before is reported once", name)
	})
}

// Watch yields a message again that was missing from three polls.
func TestServeHandsNoMessageToTwoHandlersAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := new(mailbox)
		b.add("node-b", "question", "2026-11-21T12:00:00+00:00")
		flicker := time.NewTicker(20 * time.Second)
		defer flicker.Stop()
		var j journal
		serveFor(t, b, 20*time.Minute, func(ctx context.Context, m client.MeshMessage) error {
			if m.ID == 2 {
				return j.handle(ctx, m)
			}
			for range 15 {
				<-flicker.C
				b.mu.Lock()
				b.empty = 3
				b.mu.Unlock()
			}
			b.add("node-b", "question", "2026-11-21T12:00:01+00:00")
			time.Sleep(5 * time.Minute)
			return j.handle(ctx, m)
		}, agent.ServeOptions{Workers: 4, OnError: j.onError, Interval: 2 * time.Second})
		assert.Equal(t, []int64{2, 1}, j.handled, "the other workers are free")
		assert.Empty(t, j.errors)
		assert.Equal(t, []int64{1, 2}, b.marks())
	})
}
