package main

import (
	"bufio"
	"context"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
)

func TestAgentsTalkUntilTheEnd(t *testing.T) {
	t.Parallel()
	g := gatewaytest.New(t)
	g.Fail(gatewaytest.ListMessages, gatewaytest.Fault{Status: 503}) // polling goes on
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	lines, out := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- run(ctx, out, []string{"How far is the build?", "And the tests?"}, g.Options()...)
	}()
	read := bufio.NewReader(lines)
	var answers []string
	for range 2 {
		line, err := read.ReadString('\n')
		require.NoError(t, err)
		answers = append(answers, line)
	}
	assert.ElementsMatch(t, []string{
		"answer from bot-helper: \"You asked: How far is the build?\"\n",
		"answer from bot-helper: \"You asked: And the tests?\"\n",
	}, answers, "the first answer may be repeated, and come last, if the asker registers late")
	stop()
	require.NoError(t, <-ended)
	for _, node := range []string{"bot-helper", "bot-asker"} {
		c, err := client.New(node, g.Options()...)
		require.NoError(t, err)
		defer c.Close()
		unread, err := c.Fetch(t.Context(), client.FetchOptions{UnreadOnly: true})
		require.NoError(t, err)
		assert.Empty(t, unread, node)
	}
	assert.Len(t, g.Requests(gatewaytest.SendMessage), 4)
}

func TestRejectionEndsBothAgents(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(*gatewaytest.Gateway){
		"of a question": func(g *gatewaytest.Gateway) { g.Fail(gatewaytest.SendMessage, gatewaytest.Fault{Status: 400}) },
		"of an agent": func(g *gatewaytest.Gateway) {
			g.FailIf(func(r gatewaytest.Request) *gatewaytest.Fault {
				if r.Operation != gatewaytest.RegisterPeer || !strings.Contains(r.Body, "bot-asker") {
					return nil
				}
				return &gatewaytest.Fault{Status: 400}
			})
		},
	} {
		g := gatewaytest.New(t)
		spoil(g)
		err := run(t.Context(), io.Discard, []string{"How far is the build?"}, g.Options()...)
		assert.ErrorContains(t, err, "status 400", name)
	}
}
