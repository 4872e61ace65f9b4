package agent_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/agent"
)

func TestRetryPause(t *testing.T) {
	t.Parallel()
	failed := func(status int) error { return fmt.Errorf("later: %w", &client.MeshGatewayError{StatusCode: status}) }
	const second = time.Second
	for _, row := range []struct {
		err      error
		longest  []time.Duration // after 1, 2, … failures
		shortest time.Duration
	}{
		{errors.New("of a handler"), []time.Duration{second, 2 * second, 4 * second, 8 * second, 16 * second, 32 * second, 60 * second, 60 * second}, 0},
		{failed(500), []time.Duration{second, 2 * second, 4 * second, 8 * second, 16 * second, 32 * second, 60 * second, 60 * second}, 0},
		{failed(0), []time.Duration{second, 2 * second, 4 * second, 5 * second, 5 * second}, 0},
		{failed(502), []time.Duration{second, 2 * second, 4 * second, 5 * second, 5 * second}, 0},
		{failed(503), []time.Duration{second, 2 * second, 4 * second, 5 * second, 5 * second}, 0},
		{failed(504), []time.Duration{second, 2 * second, 4 * second, 5 * second, 5 * second}, 0},
		{&client.MeshGatewayError{StatusCode: 503, RetryAfter: 20 * second}, []time.Duration{25 * second, 25 * second}, 20 * second},
		{&client.MeshGatewayError{StatusCode: 429, RetryAfter: time.Hour}, []time.Duration{75 * second}, 60 * second},
	} {
		for i, longest := range row.longest {
			for range 20 {
				pause := agent.RetryPause(row.err, i+1)
				assert.LessOrEqual(t, pause, longest, "%v, failure %d", row.err, i+1)
				assert.GreaterOrEqual(t, pause, max(row.shortest, min(longest/2, 30*second)), "%v, failure %d", row.err, i+1)
			}
		}
	}
	assert.LessOrEqual(t, agent.RetryPause(failed(0), math.MaxInt), 5*second)
}

// If an answer is finished during an outage, or a question arrives then, neither waits
// long afterwards.
func TestServeIsSoonBackAfterAnOutage(t *testing.T) {
	t.Parallel()
	for range 20 { // the pauses are random
		g := emptyGateway(t)
		synctest.Test(t, func(t *testing.T) {
			storeQuestions(g, 1)
			c, d := worker(t, g)
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
			defer cancel()
			var mu sync.Mutex
			var back time.Time
			time.AfterFunc(2*time.Minute, func() {
				mu.Lock()
				defer mu.Unlock()
				storeQuestions(g, 1)
				d.gateway.Store(g)
				back = time.Now()
			})
			after := map[int64]time.Duration{}
			require.NoError(t, agent.Answer(ctx, c, func(_ context.Context, m client.MeshMessage) (string, error) {
				d.gateway.CompareAndSwap(g, nil)
				if m.ID == 2 {
					d.gateway.Store(g)
				}
				return "Yes.", nil
			}, agent.AnswerOptions{ServeOptions: agent.ServeOptions{
				OnError: func(client.MeshMessage, error) {},
			}, OnAnswer: func(m client.MeshMessage, _ *client.MeshMessage, err error) {
				mu.Lock()
				defer mu.Unlock()
				if err == nil {
					after[m.ID] = time.Since(back)
				}
				if len(after) == 2 {
					cancel()
				}
			}}))
			assert.Len(t, after, 2)
			assert.LessOrEqual(t, after[1], 6*time.Second, "the finished answer")
			assert.LessOrEqual(t, after[2], 12*time.Second, "the new question")
		})
	}
}

func TestAskPollsOnceMoreBeforeItsDeadline(t *testing.T) {
	t.Parallel()
	for _, before := range []time.Duration{300 * time.Millisecond, 500 * time.Millisecond, time.Second, 2250 * time.Millisecond} {
		g := gateway(t)
		synctest.Test(t, func(t *testing.T) {
			c, d := worker(t, g)
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			answer, failed := asking(ctx, c)
			time.Sleep(time.Minute - before)
			reply(t, d)
			require.NoError(t, <-failed, "%v", before)
			assert.Equal(t, "Yes.", (<-answer).GetContent())
			require.NoError(t, ctx.Err())
		})
	}
}
