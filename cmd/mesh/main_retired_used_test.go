package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery/discoverytest"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// usedLine returns a call made some days ago, with more fields.
func usedLine(days int, provider, model, usd, more string) string {
	at := time.Now().UTC().AddDate(0, 0, -days).Format(time.RFC3339)
	return fmt.Sprintf(`{"provider":%q,"model":%q,"time":%q,"usage":null,"usd":%s%s}`+"\n", provider, model, at, usd, more)
}

// retiredUsed runs mesh retired --used on these lines, with s in place of the providers.
func retiredUsed(t *testing.T, s *discoverytest.Server, lines string, args ...string) (stdout, stderr string, status int) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "calls.jsonl")
	require.NoError(t, os.WriteFile(file, []byte(lines), 0o600))
	cmd := exec.CommandContext(t.Context(), "mesh", append([]string{"retired", "--used", file}, args...)...)
	cmd.Env = append(os.Environ(), "MESH_PROVIDERS_URL="+s.URL)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	_ = cmd.Run()
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// The cost covers the last 28 days. A date from the newest response is shown next to the
// table's.
func TestUsedModelsThatRetire(t *testing.T) {
	t.Parallel()
	s := discoverytest.New(t)
	soon := time.Now().UTC().AddDate(0, 0, 30).Format(time.DateOnly)
	out, errs, status := retiredUsed(t, s, usedLine(40, "openai", "o1-mini", `"7"`, "")+usedLine(2, "openai", "o1-mini", `"0.1"`, "")+
		usedLine(1, "openai", "o1-mini", `"0.2"`, "")+usedLine(0, "openai", "o1-mini", "null", `,"unpriced":"why"`)+
		usedLine(40, "openai", "davinci", `"1"`, "")+usedLine(1, "anthropic", "claude-sonnet-5-5", `"1"`, "")+
		usedLine(3, "gemini", "gemini-3.8-flash", `"0.5"`, `,"model_stage":"LEGACY","retirement_date":"2099-01-01"`)+
		usedLine(1, "gemini", "gemini-3.8-flash", `"0.25"`, `,"model_stage":"DEPRECATED","retirement_date":"`+soon+`"`)+
		usedLine(1, "gemini", "gemini-3.6-flash", `"0.25"`, `,"model_stage":"STABLE","retirement_date":"2099-01-01"`))
	require.Equal(t, 1, status, errs)
	lines := strings.Split(strings.TrimSpace(out), "\n")
	require.Len(t, lines, 3, out)
	assert.Equal(t, "PROVIDER MODEL STATE DATE REPLACEMENT CALLS UNPRICED USD REPORTED", strings.Join(strings.Fields(lines[0]), " "))
	assert.Regexp(t, `^gemini +gemini-3.8-flash +listed +- +- +2 +0 +0.75 +`+soon+` deprecated$`, lines[1])
	assert.Regexp(t, `^openai +o1-mini +retired +2025-10-27 +\S+ +3 +1 +0.3 +-$`, lines[2])
}

// The replacement is priced as of now. A call without token counts isn't compared.
func TestUsedModelsHaveTheCostOfTheirReplacement(t *testing.T) {
	t.Parallel()
	s := discoverytest.New(t)
	counted := strings.Replace(usedLine(1, "openai", "gpt-4", `"0.9"`, ""), `"usage":null`, `"usage":{"prompt_tokens":1000,"completion_tokens":100,"total_tokens":1100}`, 1)
	status := models.Retirements().Check(models.OpenAI, "gpt-4", time.Now())
	cost, err := prices.BuiltIn().CostOf(prices.Call{Provider: models.OpenAI, Model: status.Replacement, Usage: prices.Usage{Input: 1000, Output: 100}, At: time.Now()})
	require.NoError(t, err)
	out, errs, _ := retiredUsed(t, s, counted, "--within", "999d")
	assert.Regexp(t, `(?m)^PROVIDER .* USD +REPORTED +REPLACED$`, out, errs)
	assert.Regexp(t, `(?m)^openai +gpt-4 .* 0.9 +- +`+regexp.QuoteMeta(string(cost.USD))+`$`, out)
	out, _, _ = retiredUsed(t, s, counted+usedLine(1, "openai", "gpt-4", `"0.1"`, ""), "--within", "999d")
	assert.Regexp(t, `(?m)^openai +gpt-4 .* 1 +- +0.9 > `+regexp.QuoteMeta(string(cost.USD))+`$`, out)
}

// A model that ends later, or on an unknown day, is listed but isn't a finding.
func TestUsedModelsThatEndLater(t *testing.T) {
	t.Parallel()
	s := discoverytest.New(t)
	out, errs, status := retiredUsed(t, s, usedLine(1, "gemini", "gemini-3.8-flash", `"1"`, `,"model_stage":"LEGACY"`), "-o", "json")
	assert.Equal(t, 0, status, errs)
	assert.JSONEq(t, `[{"provider":"gemini","model":"gemini-3.8-flash","state":"listed","date":"","replacement":"","matched":"gemini-3.8-flash",`+
		`"calls":1,"unpriced":0,"usd":"1","model_stage":"LEGACY","retirement_date":""}]`, out)
	out, errs, status = retiredUsed(t, s, usedLine(40, "openai", "o1-mini", `"7"`, ""), "-o", "json")
	assert.Equal(t, 0, status)
	assert.Equal(t, "[]\n", out)
	assert.Equal(t, "mesh: warning: there are no calls in the last 28 days\n", errs)
	_, errs, status = retiredUsed(t, s, "{}\n"+usedLine(1, "openai", "o1-mini", `"7"`, ""))
	assert.Equal(t, 2, status)
	assert.Contains(t, errs, "calls.jsonl:1: ")
}

// A call on a platform gets that platform's dates, if any.
func TestUsedModelsOfPlatforms(t *testing.T) {
	t.Parallel()
	s := discoverytest.New(t)
	out, errs, status := retiredUsed(t, s, usedLine(1, "anthropic", "claude-opus-4-1", `"1"`, `,"platform":"openrouter"`)+
		usedLine(1, "openai", "o1-mini", `"1"`, `,"platform":"azure"`))
	assert.Equal(t, 0, status, errs+out)
	out, errs, status = retiredUsed(t, s, usedLine(1, "openai", "o1-mini", `"1"`, `,"platform":"azure"`)+usedLine(1, "openai", "o1-mini", `"2"`, "")+
		usedLine(1, "anthropic", "claude-sonnet-4", `"1"`, `,"platform":"bedrock"`))
	assert.Equal(t, 1, status, errs)
	lines := strings.Split(strings.TrimSpace(out), "\n")
	require.Len(t, lines, 3, out)
	assert.Regexp(t, `^bedrock +claude-sonnet-4 +retired +2026-10-14 `, lines[1])
	assert.Regexp(t, `^openai +o1-mini +retired +2025-10-27 +\S+ +1 +0 +2 `, lines[2])
}
