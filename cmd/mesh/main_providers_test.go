package main

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// startProviders starts mesh providers and returns the environment from its export lines.
func startProviders(t *testing.T, flags ...string) (p *process, env []string) {
	t.Helper()
	p = startProcess(t, exec.CommandContext(t.Context(), "mesh", append([]string{"providers", "--listen", "127.0.0.1:0"}, flags...)...))
	assert.Equal(t, "# In-memory fake providers. The keys are placeholders.", p.line())
	env = append(os.Environ(), "XDG_CACHE_HOME="+t.TempDir(), "HOME="+t.TempDir(), "AGENT_KEY=example-key")
	for {
		variable, ok := strings.CutPrefix(p.line(), "export ")
		require.True(t, ok)
		if env = append(env, variable); strings.HasPrefix(variable, "XAI_TEAM_ID=") {
			return p, env
		}
	}
}

func TestProvidersServeEveryCommand(t *testing.T) {
	t.Parallel()
	p, env := startProviders(t)
	for line, want := range map[string]string{
		"models": "gpt-4o", "balance": "42.5", "price gemini-3-flash-preview --live": "gemini-3-flash-preview",
		"cost openai --from 2026-11-01 --to 2026-11-02": "4.25", "cost anthropic --from 2026-11-01 --to 2026-11-02": "2.12",
		"cost xai --from 2026-11-01 --to 2026-11-02": "1.30",
		"meter -- caller chat messages content":      `"text":"Hello there."`,
	} {
		cmd := exec.CommandContext(t.Context(), "mesh", strings.Fields(line)...)
		cmd.Env = env
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s: %s", line, out)
		assert.Contains(t, string(out), want, line)
		if strings.HasPrefix(line, "meter") {
			assert.Contains(t, string(out), "calls: 3, unpriced: 0", "priced like real providers")
		}
	}
	require.NoError(t, p.Process.Signal(syscall.SIGTERM))
	assert.NoError(t, p.Wait())
}

// In calls files, equal response ids are one call.
func TestRunsOfProvidersHaveDifferentIDs(t *testing.T) {
	t.Parallel()
	log := t.TempDir()
	run := func(env []string, args ...string) string {
		cmd := exec.CommandContext(t.Context(), "mesh", args...)
		cmd.Env = env
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
		return string(out)
	}
	var env []string
	for range 2 {
		_, env = startProviders(t)
		run(env, "meter", "--log", log, "--", "caller", "messages", "content", "messages", "chat")
	}
	assert.Contains(t, run(env, "usage", log), "calls: 8,")
}

func TestModelsAreSorted(t *testing.T) {
	t.Parallel()
	_, env := startProviders(t)
	for _, line := range []string{"models", "models -o json", "models --provider anthropic"} {
		cmd := exec.CommandContext(t.Context(), "mesh", strings.Fields(line)...)
		cmd.Env = env
		out, err := cmd.Output()
		require.NoError(t, err, line)
		var ids []string
		for _, found := range regexp.MustCompile(`(?m)^(?:    "id": ")?([\w.-]+/[^\s"]+)`).FindAllStringSubmatch(string(out), -1) {
			ids = append(ids, strings.ToLower(found[1]))
		}
		assert.Greater(t, len(ids), 10, line)
		assert.IsIncreasing(t, ids, line)
	}
}

func TestProvidersFail(t *testing.T) {
	t.Parallel()
	_, env := startProviders(t, "--fail", "529")
	for _, line := range []string{"cost openai --from 2026-11-01 --to 2026-11-02", "balance"} {
		cmd := exec.CommandContext(t.Context(), "mesh", strings.Fields(line)...)
		cmd.Env = env
		out, err := cmd.CombinedOutput()
		require.Error(t, err, line)
		assert.Contains(t, string(out), "529", line)
	}
	cmd := exec.CommandContext(t.Context(), "caller", "messages")
	cmd.Env = env
	out, err := cmd.Output()
	require.NoError(t, err)
	assert.Contains(t, string(out), "messages 529")
}
