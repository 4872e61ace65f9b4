package agent_test

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/agent"
)

func TestWatchYieldsAnInvalidMessageOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var marked []string
		polls := 0
		inbox := invalidInbox(&marked)
		c := inProcess(t, func(w http.ResponseWriter, r *http.Request) { polls++; inbox(w, r) })
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
		defer cancel()
		var failures []string
		for m, err := range agent.Watch(ctx, c, agent.WatchOptions{}) {
			if err != nil {
				failures = append(failures, err.Error())
				continue
			}
			require.NoError(t, c.MarkRead(ctx, m.ID))
		}
		assert.Equal(t, []string{
			"mesh: message 9 cannot be decoded: content: got array, want string",
			"mesh: message 7 cannot be decoded: created_at: got number, want string",
		}, failures)
		assert.Greater(t, polls, 100, "polling does not slow down")
	})
}

func TestServeReportsAnInvalidMessageOnceAndNeverMarksIt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var marked []string
		var logged bytes.Buffer
		c := inProcess(t, invalidInbox(&marked), client.WithLogger(slog.New(slog.NewTextHandler(&logged, nil))))
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
		defer cancel()
		var handled []int64
		require.NoError(t, agent.Serve(ctx, c, func(_ context.Context, m client.MeshMessage) error {
			handled = append(handled, m.ID)
			return nil
		}, agent.ServeOptions{}))
		assert.Equal(t, []int64{8}, handled)
		assert.Equal(t, []string{"/messages/8/read"}, marked)
		assert.Equal(t, 1, strings.Count(logged.String(), "message 9 cannot be decoded"))
		assert.Equal(t, 1, strings.Count(logged.String(), "message 7 cannot be decoded"))
		assert.NotContains(t, logged.String(), "canary")
	})
}

func TestAskBesideInvalidRows(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		thread := `{"thread_uuid":"` + threadID + `","thread_name":"n","peer_pair":"","topic":"","created_at":"","last_used_at":""}`
		polls := 0
		c := inProcess(t, func(w http.ResponseWriter, r *http.Request) {
			switch r.Method + r.URL.Path {
			case "GET/peers":
				_, _ = w.Write([]byte("[" + goodPeer("node-a") + "," + goodPeer("node-b") + ",null]"))
			case "POST/threads":
				_, _ = w.Write([]byte(thread))
			case "POST/messages":
				_, _ = w.Write([]byte(receipt))
			case "GET/messages":
				polls++
				answer := `,{"id":8,"from_node":"node-b","to_node":"node-a","kind":"answer","content":"yes","created_at":"","thread_id":"` + threadID + `"}`
				if polls < 5 {
					answer = ""
				}
				_, _ = w.Write([]byte(`[{"id":7,"content":7}` + answer + `]`))
			default:
				_, _ = w.Write([]byte("{}"))
			}
		})
		m, err := agent.Ask(t.Context(), c, client.SendRequest{To: "node-b", Content: "?"})
		require.NoError(t, err)
		assert.Equal(t, int64(8), m.ID)
		polls = -100
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err = agent.Ask(ctx, c, client.SendRequest{To: "node-b", Content: "?"})
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.ErrorContains(t, err, "mesh: message 7 cannot be decoded: content: got number, want string")
	})
}
