package agent_test

import (
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/agent"
	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
)

func isNumber(t *testing.T, task string) {
	t.Helper()
	n, err := strconv.ParseInt(task, 10, 64)
	require.NoError(t, err)
	assert.True(t, n >= 1<<52 && n < 1<<53, "%d", n)
}

// If the caller sets ThreadID and RelatedTaskID, the answer is the next one without a
// number.
func TestATaskOfTheCallerStays(t *testing.T) {
	t.Parallel()
	g := gateway(t)
	c, b := connect(t, g, "node-a"), connect(t, g, "node-b")
	thread := openThread(t, c, "build")
	req := inThread(thread, "with a task")
	req.RelatedTaskID = "42"
	q := askBriefly(t, g, "node-a", req)
	assert.Equal(t, "42", q.GetRelatedTaskID())
	askBriefly(t, g, "node-a", inThread(thread, "another"))
	replyTo(t, b, "another", "to the other")
	_, err := b.Send(t.Context(), client.SendRequest{To: "node-a", Kind: client.KindAnswer, Content: "to the task", ThreadID: thread.ID})
	require.NoError(t, err)
	answers, failed := results(t, agent.Await(t.Context(), c, q))
	assert.Empty(t, failed)
	assert.Equal(t, "to the task", *answers["node-b"].Content)
}

func TestAKeyDerivesTheNumber(t *testing.T) {
	t.Parallel()
	g := gateway(t)
	thread := openThread(t, connect(t, g, "node-a"), "build")
	req := inThread(thread, "nightly?")
	req.IdempotencyKey = "nightly"
	first, again, other := askBriefly(t, g, "node-a", req), askBriefly(t, g, "node-a", req), askBriefly(t, g, "node-c", req)
	isNumber(t, first.GetRelatedTaskID())
	assert.Equal(t, first, again)
	assert.NotEqual(t, first.GetRelatedTaskID(), other.GetRelatedTaskID(), "two nodes have two numbers")
}

// A gateway with its own tasks may refuse the number of a task that doesn't exist.
func TestAGatewayThatRefusesTheNumberGetsTheQuestionWithoutIt(t *testing.T) {
	t.Parallel()
	for _, status := range []int{http.StatusBadRequest, http.StatusNotFound, http.StatusConflict, http.StatusUnprocessableEntity} {
		g := gateway(t)
		synctest.Test(t, func(t *testing.T) {
			bot(t, g, "node-b", inMemory(g)...)
			var log strings.Builder
			c := connect(t, g, "node-a", append(inMemory(g), client.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))...)
			thread := openThread(t, c, "build")
			g.FailIf(func(r gatewaytest.Request) *gatewaytest.Fault {
				if r.Operation == gatewaytest.SendMessage && strings.Contains(r.Body, `"from_node":"node-a"`) && strings.Contains(r.Body, "related_task_id") {
					return &gatewaytest.Fault{Status: status, Body: `{"detail":"no such task"}`, Header: http.Header{"Content-Type": {"application/json"}}}
				}
				return nil
			})
			answer, err := agent.Ask(t.Context(), c, inThread(thread, "green?"))
			require.NoError(t, err, "%d", status)
			assert.Equal(t, "node-b: green?", answer.GetContent())
			assert.Contains(t, log.String(), "question numbers", "%d", status)
			sent, err := c.Sent(t.Context(), client.SentOptions{})
			require.NoError(t, err)
			require.Len(t, sent, 1)
			assert.Nil(t, sent[0].RelatedTaskID)
			assert.Equal(t, []bool{true, true, false}, numbers(g), "%d", status)
		})
	}
}

// numbers reports for each question that node-a sent whether it had a number.
func numbers(g *gatewaytest.Gateway) (numbered []bool) {
	for _, r := range g.Requests(gatewaytest.SendMessage) {
		if strings.Contains(r.Body, `"kind":"question"`) {
			numbered = append(numbered, strings.Contains(r.Body, "related_task_id"))
		}
	}
	return numbered
}

// The statuses answer the question's posts in turn; 0 is the gateway's own response. A
// negative one comes after the gateway has stored the question.
func TestAQuestionKeepsItsBodyUnderItsKey(t *testing.T) {
	t.Parallel()
	const internal, portal = 500, 404
	for name, test := range map[string]struct {
		statuses []int
		numbers  []bool // of the posts
	}{
		"stored before a 500":            {[]int{-internal}, []bool{true, true}},
		"stored before two 500":          {[]int{-internal, -internal}, []bool{true, true, true}},
		"not stored":                     {[]int{internal, internal, internal, internal}, []bool{true, true, true, true, true}},
		"one refusal":                    {[]int{portal}, []bool{true, true}},
		"stored, then refused twice":     {[]int{-internal, portal, portal}, []bool{true, true, true, false, true}},
		"refused while it is stored":     {[]int{-portal, -portal}, []bool{true, true, false, true}},
		"refused twice, then 500":        {[]int{portal, portal, -internal}, []bool{true, true, false, false}},
		"a 500 between the two refusals": {[]int{portal, internal, portal}, []bool{true, true, true, false}},
		"500 after the conflict":         {[]int{-internal, portal, portal, 0, internal}, []bool{true, true, true, false, true, true}},
	} {
		g := gateway(t)
		synctest.Test(t, func(t *testing.T) {
			bot(t, g, "node-b", inMemory(g)...)
			c := connect(t, g, "node-a", append(inMemory(g), quiet())...)
			thread := openThread(t, c, "build")
			posts := 0
			g.FailIf(func(r gatewaytest.Request) *gatewaytest.Fault {
				if r.Operation != gatewaytest.SendMessage || !strings.Contains(r.Body, `"from_node":"node-a"`) {
					return nil
				}
				posts++
				if posts > len(test.statuses) || test.statuses[posts-1] == 0 {
					return nil
				}
				status := test.statuses[posts-1]
				return &gatewaytest.Fault{Status: max(status, -status), AfterEffect: status < 0}
			})
			answer, err := agent.Ask(t.Context(), c, inThread(thread, "green?"))
			require.NoError(t, err, name)
			assert.Equal(t, "node-b: green?", answer.GetContent(), name)
			assert.Equal(t, test.numbers, numbers(g), name)
			sent, err := c.Sent(t.Context(), client.SentOptions{})
			require.NoError(t, err)
			require.Len(t, sent, 1, name)
			last := test.numbers[len(test.numbers)-1]
			assert.Equal(t, last, sent[0].RelatedTaskID != nil, name)
		})
	}
}

// A question with its own thread has no number.
func TestASingleQuestionIsRepeatedAfterA500(t *testing.T) {
	t.Parallel()
	g := gateway(t)
	bot(t, g, "node-b")
	c := connect(t, g, "node-a")
	g.Fail(gatewaytest.SendMessage, gatewaytest.Fault{Status: 500, AfterEffect: true})
	answer, err := agent.Ask(t.Context(), c, question("node-b"))
	require.NoError(t, err)
	assert.Equal(t, "node-b", answer.FromNode)
	sent, err := c.Sent(t.Context(), client.SentOptions{})
	require.NoError(t, err)
	assert.Len(t, sent, 1)
}

// A gateway that always fails may have the question, but Ask doesn't wait forever.
func TestAskEndsAfterInternalErrors(t *testing.T) {
	t.Parallel()
	g := gateway(t)
	synctest.Test(t, func(t *testing.T) {
		c, _ := worker(t, g)
		thread := openThread(t, c, "build")
		g.Fail(gatewaytest.SendMessage, gatewaytest.Fault{Status: 500, Times: -1})
		for _, req := range []client.SendRequest{{ThreadID: thread.ID}, {ThreadID: thread.ID, IdempotencyKey: "k"}, {}} {
			req.To, req.Content = "node-b", "green?"
			_, err := agent.Ask(t.Context(), c, req)
			assert.True(t, gatewayError(t, err).Uncertain)
		}
	})
	assert.Equal(t, append(slices.Repeat([]bool{true}, 10), slices.Repeat([]bool{false}, 5)...), numbers(g))
}
