package agent_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/agent"
)

// manyRows answers every request with n messages, whatever it requests.
func manyRows(n int) http.HandlerFunc {
	var list []string
	for id := n; id > 0; id-- {
		list = append(list, row(id, "node-b"))
	}
	body := []byte("[" + strings.Join(list, ",") + "]")
	return func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(body) }
}

func TestWatchDropsMessagesBeyondTheLimit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := inProcess(t, manyRows(5000))
		var seen []string
		var polls []time.Time
		for m, err := range agent.Watch(t.Context(), c, agent.WatchOptions{Limit: 3, Interval: 10 * time.Second}) {
			if err == nil {
				seen = append(seen, fmt.Sprint(m.ID))
				continue
			}
			if strings.Contains(err.Error(), "hide older ones") {
				continue
			}
			require.ErrorContains(t, err, "GET /messages: status 200: the response is not what was requested: 4997 messages exceed the limit of 3")
			if polls = append(polls, time.Now()); len(polls) == 4 {
				break
			}
		}
		assert.Equal(t, []string{"4998", "4999", "5000"}, seen, "the newest ones, before the error")
		assert.Greater(t, polls[3].Sub(polls[2]), 45*time.Second, "the pauses grow")
	})
}

func TestWatchDropsMessagesOfOtherNodes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		foreign := func(w http.ResponseWriter, _ *http.Request) {
			_, _ = fmt.Fprintf(w, "[%s,%s,%s]", strings.ReplaceAll(row(3, "node-b"), "node-a", "node-c"), row(2, "node-b"),
				strings.ReplaceAll(row(1, "node-b"), "node-a", "Node-A"))
		}
		var errs []string
		for m, err := range agent.Watch(t.Context(), inProcess(t, foreign), agent.WatchOptions{}) {
			if err == nil {
				assert.EqualValues(t, 2, m.ID)
				continue
			}
			errs = append(errs, err.Error())
			break
		}
		assert.Equal(t, []string{"mesh: GET /messages: status 200: the response is not what was requested: 0 messages exceed the limit of 1000, and 2 are to other nodes; they are dropped"}, errs)
	})
}

// With such a gateway, Serve has no more goroutines than waiting messages, and handles no
// other node's message.
func TestServeIsBoundedAtAGatewayThatIgnoresItsParameters(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var list []string
		for id := range 4000 {
			to := fmt.Sprintf(`"to_node":"node-%c"`, 'a'+id%2)
			list = append(list, strings.Replace(row(id+1, "node-c"), `"to_node":"node-a"`, to, 1))
		}
		body := []byte("[" + strings.Join(list, ",") + "]")
		c := inProcess(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(body) })
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
		defer cancel()
		var j journal
		require.NoError(t, agent.Serve(ctx, c, func(ctx context.Context, m client.MeshMessage) error {
			assert.Equal(t, "node-a", m.ToNode)
			_ = j.handle(ctx, m)
			return errors.New("not yet")
		}, agent.ServeOptions{MaxAttempts: 1, OnError: j.onError}))
		assert.Len(t, j.handled, 500, "half of the thousand that were requested")
		assert.True(t, slices.ContainsFunc(j.errors, func(err error) bool {
			return strings.Contains(err.Error(), "3000 messages exceed the limit of 1000, and 500 are to other nodes")
		}))
	})
}
