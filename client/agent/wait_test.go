package agent_test

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/agent"
	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
)

// asking starts Ask in virtual time and returns its results, after the question has been
// sent.
func asking(ctx context.Context, c *client.MeshClient) (answer chan *client.MeshMessage, failed chan error) {
	answer, failed = make(chan *client.MeshMessage, 1), make(chan error, 1)
	go func() {
		m, err := agent.Ask(ctx, c, question("node-b"))
		answer <- m
		failed <- err
	}()
	synctest.Wait()
	return answer, failed
}

// reply answers every unread message of node-b.
func reply(t *testing.T, d http.RoundTripper) {
	t.Helper()
	b, err := client.New("node-b", client.WithGatewayURL("http://gateway.test"), client.WithToken(token), client.WithHTTPClient(&http.Client{Transport: d}))
	require.NoError(t, err)
	rows, err := b.Fetch(t.Context(), client.FetchOptions{UnreadOnly: true})
	require.NoError(t, err)
	require.NotEmpty(t, rows)
	for _, m := range rows {
		_, err := b.Reply(t.Context(), m, client.SendRequest{Kind: client.KindAnswer, Content: "Yes."})
		require.NoError(t, err)
	}
}

func TestAskWaitsThroughErrors(t *testing.T) {
	t.Parallel()
	g := gateway(t)
	synctest.Test(t, func(t *testing.T) {
		c, d := worker(t, g)
		answer, failed := asking(t.Context(), c)
		d.gateway.Store(nil) // the gateway is away for two minutes
		time.Sleep(2 * time.Minute)
		d.gateway.Store(g)
		g.Fail(gatewaytest.ListMessages, gatewaytest.Fault{Status: 503})
		g.Fail(gatewaytest.ListMessages, gatewaytest.Fault{Status: 401}) // with the token of a peer a 401 can pass
		g.Fail(gatewaytest.ListMessages, gatewaytest.Fault{Status: 404, Body: "no upstream"})
		g.Fail(gatewaytest.ListMessages, gatewaytest.Fault{Body: "<html>"})
		time.Sleep(6 * time.Minute)
		reply(t, d)
		time.Sleep(3 * time.Second)
		synctest.Wait()
		require.NoError(t, <-failed)
		assert.Equal(t, "Yes.", (<-answer).GetContent())
	})
}

func TestAskEndsWhenTheGatewayRefuses(t *testing.T) {
	t.Parallel()
	g := gateway(t)
	synctest.Test(t, func(t *testing.T) {
		c, _ := worker(t, g)
		begin := time.Now()
		g.Fail(gatewaytest.ListMessages, gatewaytest.Fault{Status: 403, Times: -1, Body: `{"detail":"refused"}`})
		_, err := agent.Ask(t.Context(), c, question("node-b"))
		var denied *client.MeshAuthError
		require.ErrorAs(t, err, &denied)
		assert.NotZero(t, noAnswer(t, err).Question.ID)
		assert.Less(t, time.Since(begin), 2*time.Second)
	})
	g.Heal()
}

// If the gateway has a new database, Ask would wait forever. It returns a NoAnswerError
// within a minute.
func TestAskEndsWhenTheGatewayLosesTheQuestion(t *testing.T) {
	t.Parallel()
	for name, outage := range map[string]time.Duration{"during an outage": time.Second, "between two polls": 0} {
		t.Run(name, func(t *testing.T) {
			g, lost := gateway(t), gateway(t)
			synctest.Test(t, func(t *testing.T) {
				c, d := worker(t, g)
				_, failed := asking(t.Context(), c)
				if outage > 0 {
					d.gateway.Store(nil)
					time.Sleep(outage)
				}
				d.gateway.Store(lost)
				time.Sleep(70 * time.Second)
				synctest.Wait()
				err := <-failed
				noAnswer(t, err)
				require.ErrorContains(t, err, "the gateway has lost the question")
			})
		})
	}
}

func TestAwaitOfALostQuestionEndsAtOnce(t *testing.T) {
	t.Parallel()
	g := gateway(t)
	c := connect(t, g, "node-a")
	receipt, err := c.Send(t.Context(), client.SendRequest{To: "node-b", Kind: client.KindQuestion, Content: "new"})
	require.NoError(t, err)
	old := *receipt
	old.CreatedAt = "2026-01-01T00:00:00+00:00" // the id belongs to another question now
	_, failed := results(t, agent.Await(t.Context(), c, old))
	assert.ErrorContains(t, failed["node-b"], "lost")
}

func TestAskPollsLessOften(t *testing.T) {
	t.Parallel()
	g := gateway(t)
	synctest.Test(t, func(t *testing.T) {
		c, _ := worker(t, g)
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Minute, errors.New("no time left"))
		defer cancel()
		_, err := agent.Ask(ctx, c, question("node-b"))
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.ErrorContains(t, err, "no time left")
		polls := count(g, "node-a")[gatewaytest.ListMessages]
		assert.Greater(t, polls, 20)
		assert.Less(t, polls, 70)
	})
}

// A node that floods the thread with answers doesn't hide another node's.
func TestAskAllIsNotCrowdedOut(t *testing.T) {
	t.Parallel()
	g := gateway(t)
	synctest.Test(t, func(t *testing.T) {
		c, d := worker(t, g)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		got := make(chan map[string]client.MeshMessage, 1)
		go func() {
			answers := map[string]client.MeshMessage{}
			for m, err := range agent.AskAll(ctx, c, []string{"node-b", "node-c"}, question("")) {
				if err == nil {
					answers[m.FromNode] = m
				}
			}
			got <- answers
		}()
		synctest.Wait()
		reply(t, d)
		b, err := client.New("node-c", client.WithGatewayURL("http://gateway.test"), client.WithToken(token), client.WithHTTPClient(&http.Client{Transport: d}))
		require.NoError(t, err)
		sent, err := c.Sent(t.Context(), client.SentOptions{})
		require.NoError(t, err)
		for range 150 { // forged or not: no question was sent for them
			_, err := b.Send(t.Context(), client.SendRequest{To: "node-a", Kind: client.KindAnswer, Content: "flood", ThreadID: *sent[0].ThreadID})
			require.NoError(t, err)
		}
		answers := <-got
		assert.Equal(t, "Yes.", *answers["node-b"].Content)
		assert.Equal(t, "flood", *answers["node-c"].Content)
	})
}
