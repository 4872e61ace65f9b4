package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mesh-gateway/mesh-go/discovery/discoverytest"
)

func TestMeterRefusesCallsBeyondTheBudget(t *testing.T) {
	t.Parallel()
	s, flags := startProvidersForAgent(t)
	args := append(flags, "--budget", "0.0004", "--", "caller", "chat", "chat", "messages", "content", "chat")
	stdout, stderr, status := runMeter(t, nil, args...)
	assert.Equal(t, 0, status, stdout)
	assert.Equal(t, 1, strings.Count(stdout, "chat 200 "))
	for name, form := range map[string]string{"chat": `{"error":{"code":"budget_exceeded"`, "messages": `"billing_error"`, "content": `"RESOURCE_EXHAUSTED"`} {
		assert.Contains(t, stdout, name+" 402 false {", name)
		assert.Contains(t, stdout, form, name)
	}
	assert.Len(t, s.Requests(discoverytest.CreateOpenAIChat), 1)
	assert.Empty(t, s.Requests(discoverytest.CreateAnthropicMessage))
	assert.Regexp(t, `(?m)^total 0\.00045 USD; calls: 1, unpriced: 0$`, stderr)
	assert.Contains(t, stderr, "budget: calls that do not count towards it: 0, refused: 4\n")
	assert.NotContains(t, stderr, "warning")
}

// OpenAI sends the usage of a chat stream only on request, so that its cost is not known.
func TestMeterWarnsOfCallsOutsideTheBudget(t *testing.T) {
	t.Parallel()
	s, flags := startProvidersForAgent(t)
	args := append(flags, "--budget", "0.0004", "--", "caller", "stream", "stream", "chat", "stream", "chat")
	_, stderr, status := runMeter(t, nil, args...)
	assert.Equal(t, 0, status)
	const reason = "the stream has no counts; stream_options.include_usage or mesh meter --stream-usage requests them\n"
	assert.Equal(t, 1, strings.Count(stderr, "mesh: warning: --budget does not limit unpriced calls such as this one of openai/gpt-4o: "+reason), stderr)
	assert.Contains(t, stderr, "\nunpriced: 2 of openai/gpt-4o: "+reason)
	assert.Contains(t, stderr, "\nbudget: calls that do not count towards it: 2, refused: 2\n")
	assert.Len(t, s.Requests(discoverytest.CreateOpenAIChat), 3)
}

// A budget of 0 refuses the first call, too.
func TestMeterCountsRefusedCallsAlone(t *testing.T) {
	t.Parallel()
	_, flags := startProvidersForAgent(t)
	_, stderr, status := runMeter(t, nil, append(flags, "--budget", "0", "--", "caller", "chat")...)
	assert.Equal(t, 0, status)
	assert.Equal(t, "budget: calls that do not count towards it: 0, refused: 1\n", stderr)
}

func TestMeterCountsWhatACutStreamCostsAtLeast(t *testing.T) {
	t.Parallel()
	s, flags := startProvidersForAgent(t)
	s.Fail(discoverytest.CreateAnthropicMessage, discoverytest.Fault{AfterEvents: 1, Delay: 1 << 50})
	_, stderr, status := runMeter(t, nil, append(flags, "--budget", "5", "--", "caller", "cutmessages")...)
	assert.Equal(t, 0, status)
	assert.Regexp(t, `(?m)^anthropic +claude-sonnet-5 +1 +100 +\d +1 +at least 0\.0002\d*$`, stderr)
	assert.Regexp(t, `(?m)^total at least 0\.0002\d* USD; calls: 1, unpriced: 1$`, stderr)
	assert.Regexp(t, `(?m)^budget: 5 USD, spent: 0\.0002\d*, set aside: 0, left: 4\.9997\d*$`, stderr)
	assert.Contains(t, stderr, "budget: calls that do not count towards it: 0, refused: 0\n")
	assert.NotContains(t, stderr, "warning")
}

func TestMeterCountsUnpricedCallsAsPerCall(t *testing.T) {
	t.Parallel()
	_, flags := startProvidersForAgent(t)
	args := append(flags, "--budget", "0.1", "--per-call", "0.05", "--", "caller", "stream", "stream", "stream", "chat")
	stdout, stderr, status := runMeter(t, nil, args...)
	assert.Equal(t, 0, status)
	assert.Equal(t, 2, strings.Count(stdout, "stream 200 "))
	assert.Equal(t, 1, strings.Count(stderr, "mesh: warning: unpriced calls count as --per-call 0.05, such as this one of openai/gpt-4o: the stream has no counts;"), stderr)
	assert.Contains(t, stderr, "budget: 0.1 USD, spent: 0.1, set aside: 0, left: 0\nbudget: calls that do not count towards it: 0, refused: 2\n")
}

func TestMeterLimitsHostsWithoutPricesByPerCall(t *testing.T) {
	t.Parallel()
	s, _ := startProvidersForAgent(t)
	env := []string{"OPENAI_BASE_URL=" + s.URL + "/openai/v1", "ANTHROPIC_BASE_URL=" + s.URL + "/anthropic"}
	stdout, stderr, status := runMeter(t, env, "--budget", "0.1", "--per-call", "0.05", "--", "caller", "chat", "messages", "chat", "messages")
	assert.Equal(t, 0, status)
	assert.Equal(t, 1, strings.Count(stdout, "chat 200 "), stdout)
	assert.Equal(t, 1, strings.Count(stdout, "messages 200 "))
	assert.Contains(t, stdout, "messages 402 false {")
	assert.Contains(t, stdout, `"billing_error"`)
	assert.Contains(t, stderr, "mesh: warning: --per-call is the cost of all calls to "+strings.TrimPrefix(s.URL, "http://"))
	assert.Regexp(t, `(?m)^openai +gpt-4o +1 +100 +20 +1 +-$`, stderr)
	assert.Contains(t, stderr, "budget: 0.1 USD, spent: 0.1, set aside: 0, left: 0\nbudget: calls that do not count towards it: 0, refused: 2\n")
}

func TestMeterWarnsOfAPerCallAboveTheBudget(t *testing.T) {
	t.Parallel()
	_, flags := startProvidersForAgent(t)
	stdout, stderr, status := runMeter(t, nil, append(flags, "--budget", "0.1", "--per-call", "0.11", "--", "caller", "chat")...)
	assert.Equal(t, 0, status)
	assert.Contains(t, stdout, "chat 402 ")
	assert.Contains(t, stderr, "mesh: warning: --per-call 0.11 is more than --budget 0.1, so that every call is refused\n")
	_, stderr, _ = runMeter(t, nil, append(flags, "--budget", "0.1", "--per-call", "0.10", "--", "caller", "chat")...)
	assert.NotContains(t, stderr, "so that every call is refused")
}

func TestPerCallIsChecked(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"--per-call", "0.05"}, {"--budget", "5", "--per-call", "5 USD"}} {
		_, stderr, status := runMeter(t, nil, append(args, "--", "caller")...)
		assert.Equal(t, exitUsage, status)
		assert.Contains(t, stderr, "mesh: --per-call", args)
	}
}
