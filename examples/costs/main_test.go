package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/discoverytest"
)

var (
	today    = time.Now().UTC().Truncate(24 * time.Hour)
	firstDay = today.AddDate(0, 0, -3)
)

// openAILine is a 0.25 USD call. The server bills 4.25 USD a day, 17 such calls.
func openAILine(day time.Time) string {
	return fmt.Sprintf(`{"provider":"openai","model":"gpt-5.4","time":"%s","usage":`+
		`{"prompt_tokens":100000,"completion_tokens":0,"total_tokens":100000}}`, day.Format(time.RFC3339))
}

// anthropicLine is a 2.125 USD call, which is the server's bill for a day.
func anthropicLine(day time.Time) string {
	return fmt.Sprintf(`{"provider":"anthropic","model":"claude-opus-4-8","time":"%s","usage":{"input_tokens":25000,"output_tokens":80000}}`, day.Format(time.RFC3339))
}

// xAILine is a 1.30 USD call, which is the server's bill for a day.
func xAILine(day time.Time) string {
	return fmt.Sprintf(`{"provider":"xai","model":"grok-4","time":"%s","usage":`+
		`{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2,"cost_in_usd_ticks":13000000000}}`, day.Format(time.RFC3339))
}

// days returns lines for three days that match the bills.
func days() []string {
	var lines []string
	for i := range 3 {
		day := firstDay.AddDate(0, 0, i).Add(13 * time.Hour)
		lines = append(lines, xAILine(day), anthropicLine(day))
		for range 17 {
			lines = append(lines, openAILine(day))
		}
	}
	return lines
}

// execute runs the job for three days against a server, with more arguments.
func execute(t *testing.T, s *discoverytest.Server, lines []string, args ...string) (status int, out, errs string) {
	t.Helper()
	t.Setenv("OPENAI_ADMIN_KEY", "an admin key")
	t.Setenv("ANTHROPIC_ADMIN_KEY", "another admin key")
	t.Setenv("XAI_MANAGEMENT_KEY", "a management key")
	t.Setenv("XAI_TEAM_ID", "team-1")
	t.Setenv("XAI_API_KEY", "")
	file := filepath.Join(t.TempDir(), "calls.jsonl")
	require.NoError(t, os.WriteFile(file, []byte(strings.Join(lines, "\n")), 0o600))
	var stdout, stderr strings.Builder
	client, err := discovery.New(s.Options()...)
	require.NoError(t, err)
	j := job{client: client, today: today, out: &stdout}
	status = j.run(context.Background(), append([]string{"-usage", file, "-from", firstDay.Format(time.DateOnly)}, args...), &stderr)
	return status, stdout.String(), stderr.String()
}

func TestBillsThatMatch(t *testing.T) {
	status, out, errs := execute(t, discoverytest.New(t), days(), "-drift", "0", "openai", "anthropic", "xai")
	require.Equal(t, 0, status, errs)
	assert.Empty(t, errs)
	for _, line := range []string{
		"openai  billed  counted", firstDay.Format(time.DateOnly) + "    4.25     4.25", "drift    0.00",
		"anthropic  billed  counted", firstDay.Format(time.DateOnly) + "    2.13     2.13",
		firstDay.Format(time.DateOnly) + "    1.30     1.30",
	} {
		assert.Contains(t, out, line)
	}
}

func TestDriftFails(t *testing.T) {
	status, out, errs := execute(t, discoverytest.New(t), days()[1:], "openai", "xai") // an xAI call is missing
	assert.Equal(t, 1, status)
	assert.Equal(t, "costs: xai: Bill and calls differ by 33.3 % of the bill, more than the limit of 1 %.\n", errs)
	assert.Contains(t, out, "for a model that was not counted")
	assert.Contains(t, out, "+50.00")
	status, _, _ = execute(t, discoverytest.New(t), days()[1:], "-drift", "50", "openai", "xai")
	assert.Equal(t, 0, status)
}

func TestUnknownDriftFails(t *testing.T) {
	unpriced := strings.Replace(openAILine(firstDay), "gpt-5.4", "gpt-of-tomorrow", 1)
	t.Run("unpriced call", func(t *testing.T) {
		status, out, errs := execute(t, discoverytest.New(t), append(days(), "", unpriced), "openai", "xai")
		assert.Equal(t, 1, status)
		assert.Equal(t, "costs: openai: Unknown whether bill and calls differ by more than 1 % of the bill.\n", errs, "xAI's drift is known")
		assert.Contains(t, out, "1 unpriced")
	})
	t.Run("no calls", func(t *testing.T) {
		status, _, errs := execute(t, discoverytest.New(t), nil, "xai")
		assert.Equal(t, 1, status)
		assert.Contains(t, errs, "There are no calls to compare with the bill.")
	})
	t.Run("no bill", func(t *testing.T) {
		s := discoverytest.New(t)
		s.Fail(discoverytest.ListOpenAICosts, discoverytest.Fault{Status: 503, Times: -1})
		status, out, errs := execute(t, s, days(), "openai", "xai")
		assert.Equal(t, 1, status)
		assert.Equal(t, "costs: openai: discovery: the bill is not complete, or has an amount that is not finite\n", errs)
		assert.Contains(t, out, "not complete")
		s.Fail(discoverytest.ListAnthropicCosts, discoverytest.Fault{Status: 429, Times: -1})
		status, _, errs = execute(t, s, days(), "anthropic", "xai")
		assert.Equal(t, 1, status)
		assert.Equal(t, "costs: anthropic: discovery: the bill is not complete, or has an amount that is not finite\n", errs)
	})
}

func TestWrongUse(t *testing.T) {
	s := discoverytest.New(t)
	for _, row := range []struct {
		args []string
		want string
	}{
		{nil, "name the providers"},
		{[]string{"deepseek"}, "deepseek has no bill to read"},
		{[]string{"acme"}, "provider"},
		{[]string{"-from", "yesterday", "openai"}, "yesterday"},
		{[]string{"-usage", "absent.jsonl", "openai"}, "absent.jsonl"},
	} {
		status, _, errs := execute(t, s, days(), row.args...)
		assert.Equal(t, 2, status, row.args)
		assert.Contains(t, errs, row.want)
	}
}

func TestHelpSucceeds(t *testing.T) {
	status, out, errs := execute(t, discoverytest.New(t), nil, "-h")
	assert.Zero(t, status)
	assert.Empty(t, out)
	assert.Contains(t, errs, "Usage of costs")
	assert.NotContains(t, errs, "help requested")
}

// No call may be lost silently.
func TestUnreadableLines(t *testing.T) {
	s := discoverytest.New(t)
	for name, line := range map[string]string{
		"no JSON": "{", "no time": `{"provider":"openai","model":"gpt-5.4","usage":{}}`,
		"no such provider": `{"provider":"acme","time":"2026-11-01T00:00:00Z","usage":{}}`,
		"no such usage":    `{"provider":"openai","model":"gpt-5.4","time":"2026-11-01T00:00:00Z","usage":{"tokens":1}}`,
		"a contradiction":  strings.Replace(openAILine(today), `"total_tokens":100000`, `"total_tokens":1`, 1),
		"a long line":      strings.Repeat(" ", 2<<20),
	} {
		status, out, errs := execute(t, s, []string{openAILine(firstDay), line, openAILine(firstDay)}, "openai")
		assert.Equal(t, 2, status, name)
		assert.Contains(t, errs, "calls.jsonl:2: ", name)
		assert.Empty(t, out, name)
	}
	assert.Empty(t, s.Requests(discoverytest.ListOpenAICosts))
}
