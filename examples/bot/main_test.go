package main

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"net/http/httputil"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/agent"
	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
	"github.com/mesh-gateway/mesh-go/discovery/discoverytest"
)

// start runs a bot with an in-memory gateway and model. The channel receives run's error.
func start(ctx context.Context, t *testing.T, g *gatewaytest.Gateway, s *discoverytest.Server) (url string, ended chan error) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	b := bot{log: slog.New(slog.DiscardHandler), gateway: g.Options(), host: s.URL, path: "/openai/v1", key: "example-key"}
	ended = make(chan error, 1)
	go func() { ended <- b.run(ctx, listener) }()
	return "http://" + listener.Addr().String(), ended
}

func get(t *testing.T, url string) string {
	t.Helper()
	resp, err := http.Get(url)
	require.NoError(t, err)
	defer resp.Body.Close()
	text, _ := httputil.DumpResponse(resp, true)
	return string(text)
}

func TestBotAnswersUntilTheEnd(t *testing.T) {
	t.Parallel()
	g, s := gatewaytest.New(t, gatewaytest.WithPeers("me")), discoverytest.New(t)
	s.SetCompletion(discoverytest.CreateOpenAIChat, discoverytest.Completion{Text: "All green."})
	g.Fail(gatewaytest.ListMessages, gatewaytest.Fault{Status: 503})         // polling goes on
	s.Fail(discoverytest.CreateOpenAIChat, discoverytest.Fault{Status: 500}) // the next attempt answers the question
	g.Store("me", "bot", "question", "How far is the build?")
	g.Store("me", "bot", "fyi", "not a question")
	ctx, stop := context.WithCancel(t.Context())
	url, ended := start(ctx, t, g, s)
	me, err := client.New("me", g.Options()...)
	require.NoError(t, err)
	for m, err := range agent.Watch(t.Context(), me, agent.WatchOptions{Interval: 100 * time.Millisecond}) {
		if err == nil { // skip the 503 if this poll came first
			assert.Equal(t, "All green.", m.GetContent())
			break
		}
	}
	assert.Contains(t, get(t, url+"/healthz"), " 200 ")
	assert.Regexp(t, `"failed_attempts": 1, "spent": \{"usd":"0\.0\d+","at_least_usd":"0\.0\d+","calls":2,"unpriced":0,`, get(t, url+"/metrics"))
	g.Fail(gatewaytest.GetHealth, gatewaytest.Fault{Status: 500, Times: -1})
	assert.Contains(t, get(t, url+"/healthz"), " 503 ")
	stop()
	require.NoError(t, <-ended)
	assert.Len(t, g.Requests(gatewaytest.MarkMessageRead), 1, "the fyi stays unread")
}

func TestBotEndsWithARefusedRegistration(t *testing.T) {
	t.Parallel()
	g := gatewaytest.New(t)
	g.Fail(gatewaytest.RegisterPeer, gatewaytest.Fault{Status: 400})
	_, ended := start(t.Context(), t, g, discoverytest.New(t))
	require.ErrorContains(t, <-ended, "status 400")
}
