package meter_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/agent"
	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/meter"
	"github.com/mesh-gateway/mesh-go/discovery/models"
)

// A handler of package client has the name of its conversation as a label, which a label of the same name replaces.
func TestAConversationIsALabel(t *testing.T) {
	t.Parallel()
	provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"id":"c1","model":"gpt-5.2","usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}}`)
	}))
	defer provider.Close()
	records := make(chan calls.Record, 3)
	m, err := meter.New(meter.WithHost(strings.TrimPrefix(provider.URL, "http://"), models.OpenAI), meter.WithRecorder(func(r calls.Record) { records <- r }))
	require.NoError(t, err)
	g := gatewaytest.New(t, gatewaytest.WithPeers("node-a", "node-b"))
	a, err := client.New("node-a", g.Options()...)
	require.NoError(t, err)
	defer a.Close()
	b, err := client.New("node-b", g.Options()...)
	require.NoError(t, err)
	defer b.Close()
	ctx, stop := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() {
		served <- agent.Answer(ctx, b, func(ctx context.Context, q client.MeshMessage) (string, error) {
			if q.GetContent() == "own" {
				ctx = meter.WithLabel(ctx, "thread", "own")
			}
			req, _ := http.NewRequestWithContext(ctx, http.MethodPost, provider.URL+"/v1/chat/completions", strings.NewReader(`{"model":"gpt-5.2"}`))
			resp, err := m.Client().Do(req)
			if err != nil {
				return "", err
			}
			defer resp.Body.Close()
			_, err = io.Copy(io.Discard, resp.Body)
			return "Yes.", err
		}, agent.AnswerOptions{ServeOptions: agent.ServeOptions{Interval: 100 * time.Millisecond}})
	}()
	thread, err := a.OpenThread(t.Context(), "build")
	require.NoError(t, err)
	for _, row := range []struct{ text, thread, label string }{{"named", thread.ID, "build"}, {"own", thread.ID, "own"}, {"single", "", ""}} {
		_, err := agent.Ask(t.Context(), a, client.SendRequest{To: "node-b", Content: row.text, ThreadID: row.thread})
		require.NoError(t, err)
		assert.Equal(t, row.label, (<-records).Labels["thread"], row.text)
	}
	stop()
	require.NoError(t, <-served)
}

// A record has the beginning of a long name, by which another program finds the budget of it.
func TestACallWithALongLabelCountsTowardsTheBudgetsOfOthers(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("name ", 1<<20)
	dir := t.TempDir()
	budget := meter.WithBudget(meter.Budget{USD: "0.001", Label: "thread"})
	for i, want := range []bool{false, true} {
		log := openLog(t, dir)
		url, m, _ := metered(t, answer(chatAnswer), budget, meter.WithRecorder(log.Record))
		require.NoError(t, m.Follow(ended(), log))
		refused := refusal(meter.WithLabel(t.Context(), "thread", long), t, m.Client(), url+"/v1/chat/completions", chat)
		assert.Equal(t, want, refused != nil, i)
		require.NoError(t, log.Err())
	}
}
