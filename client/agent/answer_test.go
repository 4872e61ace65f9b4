package agent_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
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

// answers returns the contents of the messages to node-b.
func answers(t *testing.T, g *gatewaytest.Gateway) (contents []string) {
	t.Helper()
	rows, err := connect(t, g, "node-b").Fetch(context.Background(), client.FetchOptions{Limit: 1000})
	require.NoError(t, err)
	for _, m := range rows {
		assert.Equal(t, client.KindAnswer, m.Kind)
		contents = append(contents, m.GetContent())
	}
	return contents
}

// paid is an Answer function that counts its runs.
type paid struct {
	runs  atomic.Int64
	takes time.Duration
	text  string
	began func(run int64)
}

func (p *paid) answer(context.Context, client.MeshMessage) (string, error) {
	if n := p.runs.Add(1); p.began != nil {
		p.began(n)
	}
	time.Sleep(p.takes)
	return p.text, nil
}

func TestAnswerAnswersQuestionsInTheirThread(t *testing.T) {
	t.Parallel()
	g := gatewaytest.New(t, gatewaytest.WithToken(token), gatewaytest.WithPeers("node-a", "node-b"), gatewaytest.WithThreads(threadID))
	asker := connect(t, g, "node-b")
	for _, kind := range []client.Kind{client.KindFYI, client.KindQuestion, client.KindQuestion} {
		_, err := asker.Send(t.Context(), client.SendRequest{To: "node-a", Kind: kind, Content: "green?", ThreadID: threadID, RelatedTaskID: "42"})
		require.NoError(t, err)
	}
	synctest.Test(t, func(t *testing.T) {
		c, _ := worker(t, g)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		texts := []string{"all green", ""}
		var j journal
		var receipts []int64
		require.NoError(t, agent.Answer(ctx, c, func(ctx context.Context, m client.MeshMessage) (text string, err error) {
			_ = j.handle(ctx, m)
			text, texts = texts[0], texts[1:]
			return text, nil
		}, agent.AnswerOptions{ServeOptions: agent.ServeOptions{OnError: j.onError}, OnAnswer: func(m client.MeshMessage, receipt *client.MeshMessage, err error) {
			assert.EqualValues(t, 2, m.ID)
			assert.NoError(t, err)
			receipts = append(receipts, receipt.ID)
		}}))
		assert.Equal(t, []int64{2, 3}, j.handled)
		assert.Equal(t, []int64{4}, receipts, "an empty text sends nothing")
		assert.Empty(t, j.errors)
		assert.Equal(t, 1, unread(t, c), "the fyi")
	})
	rows, err := asker.Fetch(t.Context(), client.FetchOptions{})
	require.NoError(t, err)
	require.Len(t, rows, 1)
	assert.Equal(t, "all green", rows[0].GetContent())
	assert.Equal(t, client.KindAnswer, rows[0].Kind)
	assert.Equal(t, threadID, rows[0].GetThreadID())
	assert.Equal(t, "42", rows[0].GetRelatedTaskID())
}

func TestAnswerSelectsKinds(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		opts agent.AnswerOptions
		want []int64
	}{
		"questions by default": {agent.AnswerOptions{}, []int64{2}},
		"no kinds":             {agent.AnswerOptions{ServeOptions: agent.ServeOptions{Kinds: []client.Kind{}}}, []int64{2}},
		"all":                  {agent.AnswerOptions{AllKinds: true}, []int64{1, 2}},
		"selected":             {agent.AnswerOptions{ServeOptions: agent.ServeOptions{Kinds: []client.Kind{client.KindFYI}}}, []int64{1}},
		"of the watch":         {agent.AnswerOptions{ServeOptions: agent.ServeOptions{Kinds: []client.Kind{client.KindFYI}}}, []int64{1}},
	} {
		g := emptyGateway(t)
		g.Store("node-b", "node-a", "fyi", "one")
		g.Store("node-b", "node-a", "question", "two")
		synctest.Test(t, func(t *testing.T) {
			node, _ := worker(t, g)
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			var j journal
			require.NoError(t, agent.Answer(ctx, node, func(ctx context.Context, m client.MeshMessage) (string, error) { return "", j.handle(ctx, m) }, c.opts))
			assert.Equal(t, c.want, j.handled, name)
		})
	}
}

func TestAnswerRejectsInvalidOptions(t *testing.T) {
	g := emptyGateway(t)
	c := connect(t, g, "node-a")
	assert.Equal(t, "answer", valueError(t, agent.Answer(t.Context(), c, nil, agent.AnswerOptions{})).Field)
	answer := new(paid).answer
	assert.Equal(t, "AllowRules", valueError(t, agent.Answer(t.Context(), c, answer, agent.AnswerOptions{AllowRules: []int{0}})).Field)
	assert.Equal(t, "AllKinds", valueError(t, agent.Answer(t.Context(), c, answer, agent.AnswerOptions{
		AllKinds: true, ServeOptions: agent.ServeOptions{Kinds: []client.Kind{client.KindFYI}},
	})).Field)
	assert.Equal(t, "Workers", valueError(t, agent.Answer(t.Context(), c, answer, agent.AnswerOptions{ServeOptions: agent.ServeOptions{Workers: -1}})).Field)
	assert.Empty(t, g.Requests())
}

// The gateway goes away while the function runs. Before Answer, a handler ran five times
// in 28 s, and the question was given up.
func TestAnswerRunsOnceInAnOutage(t *testing.T) {
	t.Parallel()
	for name, workers := range map[string]int{"one worker": 1, "three workers": 3} {
		g := emptyGateway(t)
		storeQuestions(g, 8)
		synctest.Test(t, func(t *testing.T) {
			c, d := worker(t, g)
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
			defer cancel()
			p := &paid{takes: 20 * time.Second, text: "green"}
			time.AfterFunc(10*time.Second, func() { d.gateway.Store(nil) })
			time.AfterFunc(129*time.Second, func() { assert.EqualValues(t, workers, p.runs.Load(), "no function is started in the outage") })
			time.AfterFunc(130*time.Second, func() { d.gateway.Store(g) })
			var j journal
			require.NoError(t, agent.Answer(ctx, c, p.answer, agent.AnswerOptions{ServeOptions: agent.ServeOptions{Workers: workers, OnError: j.onError}}))
			assert.EqualValues(t, 8, p.runs.Load(), name)
			assert.Zero(t, unread(t, c), name)
			for i, id := range j.failed {
				assert.Zero(t, id, "only polls fail: %v", j.errors[i])
			}
		})
		assert.Len(t, answers(t, g), 8, name)
	}
}

// A worker waiting behind a full window of messages polls by itself.
func TestServeWithReplyRunsAgainAfterAnOutage(t *testing.T) {
	t.Parallel()
	g := emptyGateway(t)
	storeQuestions(g, 3)
	synctest.Test(t, func(t *testing.T) {
		c, d := worker(t, g)
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
		defer cancel()
		time.AfterFunc(time.Second, func() { d.gateway.Store(nil) })
		time.AfterFunc(2*time.Minute, func() { d.gateway.Store(g) })
		runs := 0
		var j journal
		require.NoError(t, agent.Serve(ctx, c, func(ctx context.Context, m client.MeshMessage) error {
			runs++
			time.Sleep(2 * time.Second)
			_, err := c.Reply(ctx, m, client.SendRequest{Kind: client.KindAnswer, Content: "green"})
			return err
		}, agent.ServeOptions{MaxAttempts: 1, OnError: j.onError}))
		assert.Equal(t, 4, runs, "one of them before the outage was known")
		assert.Zero(t, unread(t, c))
		for i, id := range j.failed {
			assert.Zero(t, id, "nothing is given up: %v", j.errors[i])
		}
	})
	assert.Len(t, answers(t, g), 3)
}

// serveWhileSendsFail serves one question while every send fails with a status, until the
// question is given up. It returns the number of sends and runs.
func serveWhileSendsFail(t *testing.T, status int, serve func(context.Context, *client.MeshClient, *journal) error) (sends, runs int) {
	t.Helper()
	g := emptyGateway(t)
	storeQuestions(g, 1)
	g.Fail(gatewaytest.SendMessage, gatewaytest.Fault{Status: status, Times: -1})
	synctest.Test(t, func(t *testing.T) {
		c, _ := worker(t, g)
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		var j journal
		require.NoError(t, serve(ctx, c, &j))
		require.Len(t, j.errors, 1, status)
		require.ErrorContains(t, j.errors[0], fmt.Sprint("given up after attempt 5: mesh: POST /messages: status ", status))
		assert.Equal(t, 1, unread(t, c), status)
		runs = len(j.handled)
	})
	return len(g.Requests(gatewaytest.SendMessage)), runs
}

// If the attempts didn't count, a paid function would run forever while only sends fail.
func TestAttemptsCountWhilePollsSucceed(t *testing.T) {
	for _, status := range []int{500, 502, 503, 504} {
		sends, runs := serveWhileSendsFail(t, status, func(ctx context.Context, c *client.MeshClient, j *journal) error {
			return agent.Serve(ctx, c, func(ctx context.Context, m client.MeshMessage) error {
				_ = j.handle(ctx, m)
				_, err := c.Reply(ctx, m, client.SendRequest{Kind: client.KindAnswer, Content: "green"})
				return err
			}, agent.ServeOptions{OnError: j.onError})
		})
		assert.Equal(t, []int{5, 5}, []int{sends, runs}, status)
	}
}

func TestAnswerRunsOnceWhilePollsSucceed(t *testing.T) {
	for _, status := range []int{500, 502, 503, 504} {
		sends, runs := serveWhileSendsFail(t, status, func(ctx context.Context, c *client.MeshClient, j *journal) error {
			return agent.Answer(ctx, c, func(ctx context.Context, m client.MeshMessage) (string, error) { return "green", j.handle(ctx, m) },
				agent.AnswerOptions{ServeOptions: agent.ServeOptions{OnError: j.onError}})
		})
		assert.Equal(t, []int{5, 1}, []int{sends, runs}, status)
	}
}

// The function gets MaxAttempts, and so does the delivery of its final result.
func TestAnswerCountsDeliveriesByThemselves(t *testing.T) {
	t.Parallel()
	g := emptyGateway(t)
	storeQuestions(g, 1)
	g.Fail(gatewaytest.SendMessage, gatewaytest.Fault{Status: 500, Times: 2})
	synctest.Test(t, func(t *testing.T) {
		c, _ := worker(t, g)
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		runs := 0
		var j journal
		require.NoError(t, agent.Answer(ctx, c, func(context.Context, client.MeshMessage) (string, error) {
			if runs++; runs < 3 {
				return "lost", errors.New("not yet")
			}
			return "green", nil
		}, agent.AnswerOptions{ServeOptions: agent.ServeOptions{MaxAttempts: 3, OnError: j.onError}}))
		assert.Equal(t, 3, runs)
		assert.Empty(t, j.errors)
	})
	assert.Equal(t, []string{"green"}, answers(t, g))
}

// The asker must not wait for an answer that never comes.
func TestAnswerTellsTheAskerOfARefusedText(t *testing.T) {
	t.Parallel()
	leak := "the key is AKIA" + "QWERTYUIOPASDFGH"
	for name, c := range map[string]struct {
		text, want string
		allow      []int
	}{
		"a credential": {leak, "There is an answer, but it was not sent: it seems to contain a credential (rule 9, aws-access-key-id).", nil},
		"too long":     {long("x", 200_001), "There is an answer, but it was not sent: its text must have at most 200000 characters.", nil},
		"its token":    {"it is " + token, "There is an answer, but it was not sent: it seems to contain a credential (rule 0, live-gateway-token).", nil},
		"allowed":      {leak, leak, []int{9}},
	} {
		g := emptyGateway(t)
		storeQuestions(g, 1)
		synctest.Test(t, func(t *testing.T) {
			node, _ := worker(t, g)
			ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
			defer cancel()
			p := &paid{text: c.text}
			var j journal
			require.NoError(t, agent.Answer(ctx, node, p.answer, agent.AnswerOptions{ServeOptions: agent.ServeOptions{OnError: j.onError}, AllowRules: c.allow}))
			assert.EqualValues(t, 1, p.runs.Load(), name)
			assert.Zero(t, unread(t, node), "%s: the question is marked read", name)
			if c.allow != nil {
				assert.Empty(t, j.errors)
				return
			}
			require.Len(t, j.errors, 1, name)
			assert.Equal(t, []int64{1}, j.failed, name)
			require.ErrorContains(t, j.errors[0], "the answer was refused, and the sender was told so: mesh:", name)
			assert.NotContains(t, shown(j.errors[0]), c.text)
		})
		assert.Equal(t, []string{c.want}, answers(t, g), name)
	}
}

// After a crash that follows a delivery, the function runs again and may return another
// text. The asker gets one answer.
func TestAnswerSendsOneAnswerAcrossACrash(t *testing.T) {
	t.Parallel()
	g := emptyGateway(t)
	storeQuestions(g, 1)
	g.Fail(gatewaytest.MarkMessageRead, gatewaytest.Fault{Status: 503, Times: -1})
	for _, text := range []string{"first", "second"} {
		synctest.Test(t, func(t *testing.T) {
			c, _ := worker(t, g)
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			p := &paid{text: text}
			require.NoError(t, agent.Answer(ctx, c, p.answer, agent.AnswerOptions{
				ServeOptions: agent.ServeOptions{OnError: func(client.MeshMessage, error) {}}, // the marks
				OnAnswer: func(_ client.MeshMessage, receipt *client.MeshMessage, err error) {
					assert.Equal(t, text == "first", receipt != nil, err)
				},
			}))
			assert.EqualValues(t, 1, p.runs.Load())
		})
		g.Heal()
	}
	assert.Equal(t, []string{"first"}, answers(t, g))
}

func TestAnswerDeliversWhatItHasWhenItsContextEnds(t *testing.T) {
	t.Parallel()
	for name, away := range map[string]bool{"the gateway is back": false, "the gateway is away": true} {
		g := emptyGateway(t)
		storeQuestions(g, 3)
		synctest.Test(t, func(t *testing.T) {
			c, d := worker(t, g)
			ctx, cancel := context.WithCancel(t.Context())
			p := &paid{takes: 10 * time.Second, text: "green", began: func(run int64) {
				if run == 3 {
					d.gateway.Store(nil)
				}
			}}
			var ended time.Time
			time.AfterFunc(time.Minute, func() {
				if !away {
					d.gateway.Store(g)
				}
				ended = time.Now()
				cancel()
			})
			var j journal
			require.NoError(t, agent.Answer(ctx, c, p.answer, agent.AnswerOptions{ServeOptions: agent.ServeOptions{Workers: 3, OnError: j.onError}}))
			assert.Equal(t, ended, time.Now(), "there is no further pause")
			assert.EqualValues(t, 3, p.runs.Load())
			reported := map[int64]bool{}
			for i, id := range j.failed {
				if reported[id] = true; id != 0 {
					require.ErrorContains(t, j.errors[i], "the answer is lost", name)
				}
			}
			delete(reported, 0) // polls
			assert.Len(t, reported, map[bool]int{true: 3}[away], name)
		})
		assert.Len(t, answers(t, g), map[bool]int{false: 3}[away], name)
	}
}

func TestAnswerBoundsWhatItKeeps(t *testing.T) {
	t.Parallel()
	const workers = 2
	g := emptyGateway(t)
	storeQuestions(g, 60)
	g.Fail(gatewaytest.SendMessage, gatewaytest.Fault{Status: http.StatusInternalServerError, Times: -1})
	synctest.Test(t, func(t *testing.T) {
		c, _ := worker(t, g)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		p := &paid{text: long("\U0001F7E2", 200_000)} // 800 KB
		require.NoError(t, agent.Answer(ctx, c, p.answer, agent.AnswerOptions{ServeOptions: agent.ServeOptions{Workers: workers, MaxAttempts: 1_000_000, OnError: func(client.MeshMessage, error) {}}}))
		kept := int64(32<<20) / (800_000 + 32<<10)
		assert.LessOrEqual(t, p.runs.Load(), kept+workers)
		assert.Greater(t, p.runs.Load(), kept/2)
	})
}
