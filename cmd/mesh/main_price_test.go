package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery/discoverytest"
)

// withProviders returns a provider server, and mesh's environment with a key for each
// provider.
func withProviders(t *testing.T) (*discoverytest.Server, []string) {
	t.Helper()
	s := discoverytest.New(t)
	return s, append(os.Environ(), "MESH_PROVIDERS_URL="+s.URL, "XAI_API_KEY=example-key", "GEMINI_API_KEY=example-key",
		"GOOGLE_CLOUD_BILLING_API_KEY=example-key", "OPENAI_API_KEY=example-key", "XAI_MANAGEMENT_KEY=example-key", "XAI_TEAM_ID=team")
}

func operations(s *discoverytest.Server) []discoverytest.Operation {
	var ops []discoverytest.Operation
	for _, r := range s.Requests() {
		ops = append(ops, r.Operation)
	}
	return ops
}

// Commands take prices from the table, whatever keys are set. Only --live requests
// others.
func TestPricesAreRequestedOnlyWithLive(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "calls.jsonl")
	require.NoError(t, os.WriteFile(file, []byte(`{"provider":"xai","model":"grok-4.7","time":"2026-11-21T07:54:15Z","usage":{"prompt_tokens":1000,"completion_tokens":1000,"total_tokens":2000}}`+"\n"), 0o600))
	bill := discoverytest.GetXAIUsage
	for _, c := range []struct {
		args []string
		want []discoverytest.Operation
	}{
		{[]string{"usage", file}, nil},
		{[]string{"usage", file, "-o", "focus"}, nil},
		{[]string{"usage", file, "--reprice", "--html", filepath.Join(t.TempDir(), "page.html")}, nil},
		{[]string{"cost", "xai", "--from", "2026-11-21", "--to", "2026-11-22", "--usage", file, "--max-drift", "1e9"}, []discoverytest.Operation{bill}},
		{[]string{"price", "grok-4.7"}, nil},
		{[]string{"price", "grok-4.7", "--input", "1"}, nil},
		{[]string{"price", "gemini-3.8-flash"}, nil},
		{[]string{"price", "gpt-5.2", "--live"}, nil},
		{[]string{"prices"}, nil},
	} {
		s, env := withProviders(t)
		cmd := exec.CommandContext(t.Context(), "mesh", c.args...)
		cmd.Env = env
		output, err := cmd.CombinedOutput()
		require.NoError(t, err, "%q: %s", c.args, output)
		assert.Equal(t, c.want, operations(s), "%q: %s", c.args, output)
	}
	for _, args := range [][]string{{"price", "grok-4.7", "--live"}, {"price", "gemini-3.8-flash", "--input", "1", "--live"}} {
		s, env := withProviders(t)
		cmd := exec.CommandContext(t.Context(), "mesh", args...)
		cmd.Env = env
		output, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", output)
		assert.NotEmpty(t, operations(s), "%q", args)
	}
}

func TestLivePricesNeedAKey(t *testing.T) {
	t.Parallel()
	for model, want := range map[string]string{
		"grok-4.7": "--live: XAI_API_KEY is not set", "gemini-3.8-flash": "--live: GOOGLE_CLOUD_BILLING_API_KEY is not set",
		"gpt-5.2": "--live: openai publishes no prices",
	} {
		output, err := exec.CommandContext(t.Context(), "mesh", "price", model, "--live").CombinedOutput()
		require.NoError(t, err)
		assert.Contains(t, string(output), want)
	}
}

// An agent's tools take prices from the table, too.
func TestToolsRequestNoPrices(t *testing.T) {
	t.Parallel()
	s, env := withProviders(t)
	cmd := command(t, newGatewayForTest(t), "mcp")
	cmd.Env = append(env, cmd.Env...)
	a := newAgentWith(t, cmd)
	assert.NotEmpty(t, a.must("model_price", arguments{"model": "grok-4.7"})["prices"])
	assert.NotEmpty(t, a.must("model_price", arguments{"model": "gemini-3.8-flash"})["prices"])
	usage := arguments{"prompt_tokens": 1000, "completion_tokens": 1000, "total_tokens": 2000}
	assert.Equal(t, map[string]any{"known": true, "usd": "0.008"}, a.must("call_cost", arguments{"model": "grok-4.7", "usage": usage}))
	assert.Empty(t, operations(s))
}
