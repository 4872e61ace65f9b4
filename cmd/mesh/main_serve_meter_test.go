package main

import (
	"context"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/agent"
	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
	"github.com/mesh-gateway/mesh-go/discovery/discoverytest"
)

// A metered command under mesh serve answers two questions in one thread and one in
// another. Its calls are summed by thread and by sender.
func TestCostOfAConversation(t *testing.T) {
	t.Parallel()
	g := newGatewayForTest(t, gatewaytest.WithPeers("node-a"))
	s, upstreams := startProvidersForAgent(t)
	s.SetCompletion(discoverytest.CreateOpenAIChat, discoverytest.Completion{Model: "gpt-4o-2024-08-06"})
	c, err := client.New("node-b", g.Options()...)
	require.NoError(t, err)
	defer c.Close()
	calls := filepath.Join(t.TempDir(), "calls")
	served := append([]string{"serve", "--interval", "100ms", "--", "mesh", "meter", "--log", calls}, upstreams...)
	cmd := command(t, g, append(served, "--", "caller", "chat")...)
	cmd.Env = append(cmd.Env, "AGENT_KEY="+agentKey, "OPENAI_BASE_URL=", "NO_PROXY=*")
	startProcess(t, cmd).await("mesh: serving as node-a: runs mesh meter …")

	threads := map[string]string{}
	for _, name := range []string{"builds", "tests", "builds"} {
		thread, err := c.OpenThread(t.Context(), name)
		require.NoError(t, err)
		threads[name] = thread.ID
		_, err = c.Send(t.Context(), client.SendRequest{To: "node-a", Kind: client.KindQuestion, Content: "is it green?", ThreadID: thread.ID})
		require.NoError(t, err)
	}
	answers := 0
	ctx, cancel := context.WithTimeout(t.Context(), processTime)
	defer cancel()
	for m, err := range agent.Watch(ctx, c, agent.WatchOptions{Interval: 100 * time.Millisecond}) {
		require.NoError(t, err)
		assert.Contains(t, m.GetContent(), "chat 200")
		if answers++; answers == 3 {
			break
		}
	}
	require.Equal(t, 3, answers)
	out, err := exec.CommandContext(t.Context(), "mesh", "usage", calls, "--by", "label:thread").CombinedOutput()
	require.NoError(t, err, "%s", out)
	assert.Regexp(t, `(?m)^builds .* 0\.0009$`, string(out))
	assert.Regexp(t, `(?m)^tests .* 0\.00045$`, string(out))
	out, err = exec.CommandContext(t.Context(), "mesh", "usage", calls, "--by", "label:thread_id").CombinedOutput()
	require.NoError(t, err, "%s", out)
	assert.Regexp(t, `(?m)^`+regexp.QuoteMeta(threads["builds"])+` .* 0\.0009$`, string(out))
	out, err = exec.CommandContext(t.Context(), "mesh", "usage", calls, "--by", "label:from").CombinedOutput()
	require.NoError(t, err, "%s", out)
	assert.Regexp(t, `(?m)^node-b .* 0\.00135$`, string(out))
}
