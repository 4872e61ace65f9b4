package main

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/exit"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/discoverytest"
	"github.com/mesh-gateway/mesh-go/internal/test/caller"
)

// openAIKey looks like a key, so the scan finds it.
const openAIKey = "sk-proj-" + "abcdefghijklmnopqrstuvwx0123456789ABCDEF"

const agentKey = caller.Key

// startProvidersForAgent starts providers that accept the agent's key, and returns the
// flags that lead to them.
func startProvidersForAgent(t *testing.T) (s *discoverytest.Server, upstreams []string) {
	t.Helper()
	return caller.StartProviders(t)
}

// newMeterCommand's environment has no proxies, base URLs or MESH_ variables, except for
// the facts.
func newMeterCommand(t *testing.T, env []string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), "mesh", append([]string{"meter"}, args...)...)
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool {
		name := strings.ToLower(v)
		return strings.Contains(name, "_proxy=") || strings.Contains(name, "_base_url=") || strings.HasPrefix(name, "mesh_") && !strings.HasPrefix(name, "mesh_facts=")
	})
	cmd.Env = append(append(cmd.Env, "AGENT_KEY="+agentKey), env...)
	return cmd
}

func runMeter(t *testing.T, env []string, args ...string) (stdout, stderr string, status int) {
	t.Helper()
	cmd := newMeterCommand(t, env, args...)
	var out, errs strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errs
	require.NoError(t, cmd.Start())
	late := time.AfterFunc(processTime, func() { _ = cmd.Process.Kill() }) // with --listen it can run forever
	defer late.Stop()
	_ = cmd.Wait()
	assert.NotContains(t, errs.String(), agentKey)
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

func TestMeterCountsTheCallsOfACommand(t *testing.T) {
	t.Parallel()
	s, flags := startProvidersForAgent(t)
	s.SetCompletion(discoverytest.CreateOpenAIChat, discoverytest.Completion{Model: "gpt-4o-2024-08-06"})
	folder := filepath.Join(t.TempDir(), "calls")
	env := []string{"MESH_MESSAGE_ID=7", "MESH_THREAD_ID=t-1", "MESH_THREAD=builds", "MESH_FROM=node-b"}
	args := append(flags, "--log", folder, "--no-project", "--label", "job=nightly", "--label", "from=flag", "--", "caller", "chat", "messages", "content", "chat")
	stdout, stderr, status := runMeter(t, env, args...)
	assert.Equal(t, 0, status)
	for _, answered := range []string{"chat 200 ", "messages 200 ", "content 200 "} {
		assert.Contains(t, stdout, answered, "the key passes through")
	}
	assert.Regexp(t, `(?m)^PROVIDER +MODEL +CALLS +INPUT +OUTPUT +UNPRICED +USD$`, stderr)
	assert.Regexp(t, `(?m)^openai +gpt-4o-2024-08-06 +2 +200 +40 +0 +0\.0009$`, stderr)
	assert.Regexp(t, `(?m)^anthropic +claude-sonnet-5 +1 +100 +20 +0 +\d`, stderr)
	assert.Regexp(t, `(?m)^gemini +gemini-3-flash-preview +1 +100 +20 +0 +\d`, stderr)
	assert.Regexp(t, `(?m)^total 0\.\d+ USD; calls: 4, unpriced: 0$`, stderr)
	checkCallsFiles(t, folder)
}

// checkCallsFiles checks that recorded calls have labels and costs, but no keys or
// content.
func checkCallsFiles(t *testing.T, folder string) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(folder, "*.jsonl"))
	require.NoError(t, err)
	require.NotEmpty(t, names)
	var records []calls.Record
	for _, name := range names {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		assert.NotContains(t, string(text), agentKey)
		assert.NotContains(t, string(text), "private")
		for line := range strings.Lines(string(text)) {
			var r calls.Record
			require.NoError(t, json.Unmarshal([]byte(line), &r))
			records = append(records, r)
		}
	}
	require.Len(t, records, 4)
	for _, r := range records {
		assert.Equal(t, map[string]string{"job": "nightly", "message": "7", "thread": "builds", "thread_id": "t-1", "from": "flag"}, r.Labels)
		assert.NotEmpty(t, r.USD)
	}
}

func TestMeterSetsTheEnvironmentOfACommand(t *testing.T) {
	t.Parallel()
	stdout, stderr, status := runMeter(t, []string{"OPENAI_BASE_URL=https://eu.api.openai.com/v1/", "NO_PROXY=example.org"}, "--", "caller", "env")
	assert.Equal(t, 0, status)
	assert.Regexp(t, `^mesh: meter: no calls were counted; .*\n$`, stderr)
	const base = `http://127\.0\.0\.1:\d+/[A-Z2-7]{26}/`
	for name, value := range map[string]string{
		"OPENAI_BASE_URL": base + "openai/v1/", "ANTHROPIC_BASE_URL": base + "anthropic", "GOOGLE_GEMINI_BASE_URL": base + "gemini",
		"NO_PROXY": `example\.org,127\.0\.0\.1`, "no_proxy": `example\.org,127\.0\.0\.1`,
	} {
		assert.Regexp(t, "(?m)^"+name+"="+value+"$", stdout)
	}
}

// A host that's no provider's, such as a local model server, has no prices.
func TestMeterNamesHostsWithoutPrices(t *testing.T) {
	t.Parallel()
	s, _ := startProvidersForAgent(t)
	host := strings.TrimPrefix(s.URL, "http://")
	_, stderr, status := runMeter(t, []string{"OPENAI_BASE_URL=" + s.URL + "/openai/v1"}, "--budget", "5", "--", "caller", "chat")
	assert.Equal(t, 0, status)
	assert.Contains(t, stderr, "mesh: warning: --budget does not limit the calls to "+host)
	assert.Regexp(t, `(?m)^openai +gpt-4o +1 +100 +20 +1 +-$`, stderr)
	assert.Equal(t, 1, strings.Count(stderr, "warning"), stderr)
	assert.Contains(t, stderr, "unpriced: 1 of openai/gpt-4o: "+host+" is no provider's host; --upstream openai=URL gives it the prices of openai\n")
}

func TestMeterHasTheExitStatusOfTheCommand(t *testing.T) {
	t.Parallel()
	_, stderr, status := runMeter(t, nil, "--", "caller", "fail")
	assert.Equal(t, 7, status)
	assert.Regexp(t, `^mesh: meter: no calls were counted; .*\n$`, stderr)
	for _, args := range [][]string{
		{}, {"--", "no-such-command"}, {"--", "AGENT_KEY=" + agentKey, "caller"}, {"--label", agentKey, "--", "caller"},
		{"--label", "key=" + openAIKey, "--", "caller"}, {"--", openAIKey}, {"--upstream", "https://me:" + agentKey + "@host", "--", "caller"},
		{"--budget", openAIKey, "--", "caller"}, {"--budget", "5 USD", "--", "caller"}, {"--label", "job", "--", "caller"},
		{"--upstream", "openai", "--", "caller"}, {"--upstream", "none=http://x", "--", "caller"}, {"--upstream", "openai=ftp://x", "--", "caller"},
	} {
		_, stderr, status := runMeter(t, nil, args...)
		assert.Equal(t, exit.Usage, status, args)
		assert.Contains(t, stderr, "mesh: ", args)
		assert.NotContains(t, stderr, openAIKey, args) // runMeter checks agentKey
	}
	_, stderr, status = runMeter(t, []string{"ANTHROPIC_BASE_URL=https://user:" + agentKey + "@host"}, "--", "caller")
	assert.Equal(t, exit.Usage, status)
	assert.Contains(t, stderr, "ANTHROPIC_BASE_URL: must not have a user")
}

// Known paths at OpenAI, Anthropic and xAI get exactly one /v1. An HTTP proxy stands in
// for their hosts.
func TestMeterCorrectsTheVersionInPaths(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		openAI, anthropic string
		requests, want    []string
	}{
		{"http://api.openai.com/v1", "http://api.anthropic.com", []string{
			"OPENAI_BASE_URL/responses", "OPENAI_BASE_URL/v1/chat/completions?a=%2F", "OPENAI_BASE_URL/other", "OPENAI_BASE_URL/v1/other",
			"ANTHROPIC_BASE_URL/messages", "ANTHROPIC_BASE_URL/v1/messages", "ANTHROPIC_BASE_URL/v1/v1/messages/batches/a%2Fb", "ANTHROPIC_BASE_URL/api/messages",
			"GOOGLE_GEMINI_BASE_URL/models/m:generateContent", "GOOGLE_GEMINI_BASE_URL/v1/v1/models",
		}, []string{
			"http://api.openai.com/v1/responses", "http://api.openai.com/v1/chat/completions?a=%2F", "http://api.openai.com/v1/other", "http://api.openai.com/v1/v1/other",
			"http://api.anthropic.com/v1/messages", "http://api.anthropic.com/v1/messages", "http://api.anthropic.com/v1/messages/batches/a%2Fb", "http://api.anthropic.com/api/messages",
			"http://generativelanguage.googleapis.com/models/m:generateContent", "http://generativelanguage.googleapis.com/v1/v1/models",
		}},
		{"http://eu.api.openai.com", "http://api.x.ai/v1/", []string{"OPENAI_BASE_URL/embeddings", "ANTHROPIC_BASE_URL/v1/messages"},
			[]string{"http://eu.api.openai.com/v1/embeddings", "http://api.x.ai/v1/messages"}},
		{"http://api.deepseek.com", "http://gateway.example.com/api/paas/v4", []string{"OPENAI_BASE_URL/chat/completions", "ANTHROPIC_BASE_URL/messages"},
			[]string{"http://api.deepseek.com/chat/completions", "http://gateway.example.com/api/paas/v4/messages"}},
	} {
		var mu sync.Mutex
		var got []string
		server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			mu.Lock()
			defer mu.Unlock()
			got = append(got, r.RequestURI)
		}))
		env := []string{"HTTP_PROXY=" + server.URL, "OPENAI_BASE_URL=" + c.openAI, "ANTHROPIC_BASE_URL=" + c.anthropic, "GOOGLE_GEMINI_BASE_URL=http://generativelanguage.googleapis.com"}
		_, stderr, status := runMeter(t, env, append([]string{"--", "caller"}, c.requests...)...)
		server.Close()
		assert.Equal(t, 0, status, stderr)
		mu.Lock()
		assert.Equal(t, c.want, got)
		mu.Unlock()
	}
}
