package soak_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/agent"
	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
)

// The gateway disappears while several workers answer questions, and returns with a slow
// link. Every question gets one answer, from one run.
func TestAnswersAreProducedOnceInAnOutageAndOnASlowLink(t *testing.T) {
	t.Parallel()
	const questions, beforeOutage, failures = 100, 20, 4
	g := gatewaytest.New(t, gatewaytest.WithPeers("node-a", "node-b"), gatewaytest.WithoutRequestLog())
	for i := range questions {
		g.Store("node-a", "node-b", "question", fmt.Sprint(i, strings.Repeat(" ", 6000)))
	}
	slow := func(r gatewaytest.Request) *gatewaytest.Fault {
		if r.Operation == gatewaytest.ListMessages {
			return &gatewaytest.Fault{BytesPerSecond: 4_000_000}
		}
		return nil
	}
	var failed atomic.Int64
	away := func(gatewaytest.Request) *gatewaytest.Fault {
		if failed.Add(1) == failures {
			g.FailIf(slow)
		}
		return &gatewaytest.Fault{HangUp: true}
	}
	c, err := client.New("node-b", append(g.Options(), client.WithTimeout(100*time.Millisecond))...)
	require.NoError(t, err)
	defer c.Close()
	ctx, stop := context.WithTimeout(t.Context(), 2*time.Minute)
	defer stop()
	var mu sync.Mutex
	runs, answered := make(map[int64]int), make(map[int64]int)
	require.NoError(t, agent.Answer(ctx, c, func(_ context.Context, m client.MeshMessage) (string, error) {
		mu.Lock()
		defer mu.Unlock()
		runs[m.ID]++
		if len(runs) == beforeOutage {
			g.FailIf(away)
		}
		return fmt.Sprint("answer ", m.ID), nil
	}, agent.AnswerOptions{
		ServeOptions: agent.ServeOptions{
			Workers:  workers,
			Interval: 100 * time.Millisecond,
			OnError:  func(client.MeshMessage, error) {}, // polls and marks fail
		},
		OnAnswer: func(m client.MeshMessage, _ *client.MeshMessage, err error) {
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				answered[m.ID]++
			}
			if len(answered) == questions {
				stop()
			}
		},
	}))
	assert.GreaterOrEqual(t, failed.Load(), int64(failures), "the outage happened")
	for id := range int64(questions) {
		assert.Equal(t, 1, runs[id+1], "runs for message %d", id+1)
		assert.Equal(t, 1, answered[id+1], "answers to message %d", id+1)
	}
	g.Heal()
	asker, err := client.New("node-a", g.Options()...)
	require.NoError(t, err)
	defer asker.Close()
	rows, err := asker.Fetch(t.Context(), client.FetchOptions{Limit: 1000})
	require.NoError(t, err)
	assert.Len(t, rows, questions)
}
