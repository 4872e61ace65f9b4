package meter_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/exit"
	"github.com/mesh-gateway/mesh-go/discovery/discoverytest"
	"github.com/mesh-gateway/mesh-go/internal/test/caller"
)

func TestMeterRefusesCallsBeyondTheBudget(t *testing.T) {
	t.Parallel()
	s, flags := caller.StartProviders(t)
	args := append(flags, "--budget", "0.0004", "--", "caller", "chat", "chat", "messages", "content", "chat")
	stdout, stderr, status := runMeter(t, args...)
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
	assert.Equal(t, 1, strings.Count(stderr, "warning"), stderr)
	assert.Contains(t, stderr, "mesh: warning: 80 % of the budget 0.0004 USD is spent: 0.00045 USD\n")
}

// OpenAI only sends a chat stream's usage on request, so its cost is unknown.
func TestMeterWarnsOfCallsOutsideTheBudget(t *testing.T) {
	t.Parallel()
	s, flags := caller.StartProviders(t)
	args := append(flags, "--budget", "0.0004", "--", "caller", "stream", "stream", "chat", "stream", "chat")
	_, stderr, status := runMeter(t, args...)
	assert.Equal(t, 0, status)
	const reason = "the stream has no counts; stream_options.include_usage or mesh meter --stream-usage requests them\n"
	assert.Equal(t, 1, strings.Count(stderr, "mesh: warning: --budget does not limit unpriced calls such as this one of openai/gpt-4o: "+reason), stderr)
	assert.Contains(t, stderr, "\nunpriced: 2 of openai/gpt-4o: "+reason)
	assert.Contains(t, stderr, "\nbudget: calls that do not count towards it: 2, refused: 2\n")
	assert.Len(t, s.Requests(discoverytest.CreateOpenAIChat), 3)
}

// A budget of 0 refuses even the first call.
func TestMeterCountsRefusedCallsAlone(t *testing.T) {
	t.Parallel()
	_, flags := caller.StartProviders(t)
	_, stderr, status := runMeter(t, append(flags, "--budget", "0", "--", "caller", "chat")...)
	assert.Equal(t, 0, status)
	assert.Equal(t, "budget: 0 USD, spent: 0, set aside: 0, left: 0\nbudget: calls that do not count towards it: 0, refused: 1\n", stderr)
}

func TestMeterCountsWhatACutStreamCostsAtLeast(t *testing.T) {
	t.Parallel()
	s, flags := caller.StartProviders(t)
	s.Fail(discoverytest.CreateAnthropicMessage, discoverytest.Fault{AfterEvents: 1, Delay: 1 << 50})
	_, stderr, status := runMeter(t, append(flags, "--budget", "5", "--", "caller", "cutmessages")...)
	assert.Equal(t, 0, status)
	assert.Regexp(t, `(?m)^anthropic +claude-sonnet-5 +1 +100 +\d +1 +at least 0\.0002\d*$`, stderr)
	assert.Regexp(t, `(?m)^total at least 0\.0002\d* USD; calls: 1, unpriced: 1$`, stderr)
	assert.Regexp(t, `(?m)^budget: 5 USD, spent: 0\.0002\d*, set aside: 0, left: 4\.9997\d*$`, stderr)
	assert.Contains(t, stderr, "budget: calls that do not count towards it: 0, refused: 0\n")
	assert.NotContains(t, stderr, "warning")
}

func TestMeterCountsUnpricedCallsAsPerCall(t *testing.T) {
	t.Parallel()
	_, flags := caller.StartProviders(t)
	args := append(flags, "--budget", "0.1", "--per-call", "0.05", "--", "caller", "stream", "stream", "stream", "chat")
	stdout, stderr, status := runMeter(t, args...)
	assert.Equal(t, 0, status)
	assert.Equal(t, 2, strings.Count(stdout, "stream 200 "))
	assert.Equal(t, 1, strings.Count(stderr, "mesh: warning: unpriced calls count as --per-call 0.05, such as this one of openai/gpt-4o: the stream has no counts;"), stderr)
	assert.Contains(t, stderr, "budget: 0.1 USD, spent: 0.1, set aside: 0, left: 0\nbudget: calls that do not count towards it: 0, refused: 2\n")
}

func TestMeterWarnsOfAPerCallAboveTheBudget(t *testing.T) {
	t.Parallel()
	_, flags := caller.StartProviders(t)
	stdout, stderr, status := runMeter(t, append(flags, "--budget", "0.1", "--per-call", "0.11", "--", "caller", "chat")...)
	assert.Equal(t, 0, status)
	assert.Contains(t, stdout, "chat 402 ")
	assert.Contains(t, stderr, "mesh: warning: --per-call 0.11 is more than --budget 0.1, so every call is refused\n")
	_, stderr, _ = runMeter(t, append(flags, "--budget", "0.1", "--per-call", "0.10", "--", "caller", "chat")...)
	assert.NotContains(t, stderr, "so every call is refused")
}

func TestPerCallIsChecked(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"--per-call", "0.05"}, {"--budget", "5", "--per-call", "5 USD"}} {
		_, stderr, status := runMeter(t, append(args, "--", "caller")...)
		assert.Equal(t, exit.Usage, status)
		assert.Contains(t, stderr, "mesh: --per-call", args)
	}
}

// A budget without a period covers one run (under mesh serve, one question), even next to
// a monthly budget.
func TestABudgetWithoutAPeriodIsForOneRun(t *testing.T) {
	t.Parallel()
	_, flags := caller.StartProviders(t)
	flags = append(flags, "--log", t.TempDir(), "--budget", "0.0004")
	for range 2 {
		stdout, _, _ := runMeter(t, append(flags, "--", "caller", "chat", "chat")...)
		assert.Contains(t, stdout, "chat 200 ")
		assert.Contains(t, stdout, "chat 402 ")
	}
	stdout, stderr, _ := runMeter(t, append(flags, "--budget", "100/month", "--", "caller", "chat", "chat")...)
	assert.Contains(t, stdout, "chat 200 ")
	assert.Contains(t, stdout, "chat 402 ")
	assert.Contains(t, stderr, "mesh: warning: 80 % of the budget 0.0004 USD is spent: 0.00045 USD\n")
	assert.Contains(t, stderr, "budget: 0.0004 USD, spent: 0.00045, set aside: 0, left: 0\nbudget: 100 USD/month, spent: 0.00135, set aside: 0, left: 99.99865\n")
}

func TestMeterStartsNoProgramWithAWrongBudgetOrFolder(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	for wrong, args := range map[string][]string{
		`mesh: --budget "5/week" must be USD[/day|/month[/label:NAME]]`: {"--budget", "5/day", "--budget", "5/week"},
		"mesh: --budget must not be empty":                              {"--budget", ""},
		"mesh: --log " + file + ": not a directory":                     {"--log", file},
	} {
		stdout, stderr, status := runMeter(t, append(args, "--", "caller", "env")...)
		assert.Equal(t, exit.Usage, status)
		assert.Contains(t, stderr, wrong)
		assert.Empty(t, stdout)
	}
}

// Files written by others may be unreadable in part; the rest counts.
func TestMeterWarnsOfCallsFilesThatCannotBeRead(t *testing.T) {
	t.Parallel()
	_, flags := caller.StartProviders(t)
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "x.jsonl"), []byte("{no}\n"), 0o600))
	_, stderr, status := runMeter(t, append(flags, "--log", dir, "--budget", "5/day", "--", "caller", "chat")...)
	assert.Equal(t, 0, status)
	assert.Equal(t, 1, strings.Count(stderr, "x.jsonl:1: "), stderr)
	assert.Contains(t, stderr, "budget: 5 USD/day, spent: 0.00045,")
}

func TestLostRecordsLeaveTheStatusOfTheProgram(t *testing.T) {
	t.Parallel()
	_, flags := caller.StartProviders(t)
	dir := filepath.Join(t.TempDir(), "calls")
	stdout, stderr, status := runMeter(t, append(flags, "--log", dir, "--budget", "5/day", "--", "caller", "remove "+dir, "chat", "chat", "fail")...)
	assert.Equal(t, 7, status, stdout)
	assert.Equal(t, 2, strings.Count(stdout, "chat 200 "))
	assert.Contains(t, stderr, "mesh: warning: calls: records not written to the calls file: 2: ")
	assert.Contains(t, stderr, "budget: 5 USD/day, spent: 0.0009,")
}

// All unreadable lines together cause one warning. With --strict, all calls are refused.
func TestMeterWarnsOnceOfUnreadableLines(t *testing.T) {
	t.Parallel()
	_, flags := caller.StartProviders(t)
	dir := t.TempDir()
	tomorrow := time.Now().UTC().AddDate(0, 0, 1).Format(time.DateOnly) // the day may end during the test
	for _, name := range []string{"a", "b", "c"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, tomorrow+"-"+name+".jsonl"), []byte("no\nno\n"), 0o600))
	}
	flags = append(flags, "--log", dir, "--budget", "5/day")
	_, stderr, status := runMeter(t, append(flags, "--", "caller", "chat")...)
	assert.Equal(t, 0, status)
	assert.Equal(t, 1, strings.Count(stderr, "unreadable --log lines"), stderr)
	assert.Contains(t, stderr, "mesh: warning: --budget does not count unreadable --log lines in 3 files: ")
	assert.Contains(t, stderr, "refused: 0\n")
	stdout, stderr, status := runMeter(t, append(flags, "--strict", "--", "caller", "chat", "chat")...)
	assert.Equal(t, 0, status)
	assert.Equal(t, 2, strings.Count(stdout, "chat 402 false "), stdout)
	assert.Contains(t, stderr, "refused: 2\n")
	for _, wrong := range [][]string{{"--budget", "5/day"}, {"--log", dir}, {"--log", dir, "--budget", "5"}} {
		_, stderr, status = runMeter(t, append(wrong, "--strict", "--", "caller", "chat")...)
		assert.Equal(t, exit.Usage, status)
		assert.Contains(t, stderr, "--strict needs --log and a --budget with a period")
	}
}

func TestMeterWarnsOnceOfANewModel(t *testing.T) {
	t.Parallel()
	for model, want := range map[string]int{
		"gpt-7-sol":                      1, // for two calls
		"gpt-4o-2099-01-02":              1, // a new build
		"gpt-4o":                         0,
		"whisper-1":                      0, // known, without a price
		"ft:gpt-4o-2024-08-06:acme::1":   0,
		"a-model-of-nobody":              0,
		"gpt-3.5-turbo-instruct:2023-v2": 0,
	} {
		s, flags := caller.StartProviders(t)
		s.SetCompletion(discoverytest.CreateOpenAIChat, discoverytest.Completion{Model: model})
		_, stderr, status := runMeter(t, append(flags, "--", "caller", "chat", "chat")...)
		assert.Equal(t, 0, status)
		assert.Equal(t, want, strings.Count(stderr, "warning: openai/"+model+" is not in the price table from "), stderr)
		assert.Equal(t, want, strings.Count(stderr, "mesh update"), stderr)
	}
}
