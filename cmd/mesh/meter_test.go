package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/discoverytest"
)

// caller is a command for mesh meter. "caller chat", "caller stream", "caller messages" and "caller content" send a request to the API of a
// provider, "caller https://HOST/PATH" one to a URL and "caller VARIABLE/PATH" one to a path below the URL of a variable, and print the status and the body; several can be given. "caller env" prints the environment, "caller roots" the files with certificates that it names, "caller fail" exits with 7, "caller
// cut" ends while it reads a stream, and "caller signals" prints the signals that it gets until SIGTERM.
func caller() int {
	for _, name := range os.Args[1:] {
		switch name {
		case "env":
			fmt.Println(strings.Join(os.Environ(), "\n"))
		case "roots":
			printRoots()
		case "fail":
			return 7
		case "signals":
			return printSignals()
		case "cut":
			return cutStream()
		case "cutmessages":
			return cutMessages()
		default:
			if err := ask(name); err != nil {
				fmt.Fprintln(os.Stderr, err)
				return 3
			}
		}
	}
	return 0
}

// printRoots prints each variable that names a file with certificates: their number, the content of the first one, and the name.
func printRoots() {
	for _, variable := range os.Environ() {
		name, file, _ := strings.Cut(variable, "=")
		text, err := os.ReadFile(file)
		const begin = "-----BEGIN CERTIFICATE-----\n"
		if err != nil || !strings.HasPrefix(string(text), begin) {
			continue
		}
		first, _, _ := strings.Cut(string(text[len(begin):]), "\n")
		fmt.Println("roots", name, strings.Count(string(text), begin), first, file)
		if strings.Contains(string(text), "PRIVATE KEY") {
			fmt.Println("PRIVATE")
		}
	}
}

// question returns the request to an API, with the key in AGENT_KEY, as an official SDK sends it.
func question(name string) (*http.Request, error) {
	key := os.Getenv("AGENT_KEY")
	var url, header, value, body string
	switch name {
	case "chat":
		url, header, value = os.Getenv("OPENAI_BASE_URL")+"/chat/completions", "Authorization", "Bearer "+key
		body = `{"model":"gpt-4o","messages":[{"role":"user","content":"private"}]}`
	case "stream":
		url, header, value = os.Getenv("OPENAI_BASE_URL")+"/chat/completions", "Authorization", "Bearer "+key
		body = `{"model":"gpt-4o","stream":true,"messages":[{"role":"user","content":"private"}]}`
	case "messages":
		url, header, value = os.Getenv("ANTHROPIC_BASE_URL")+"/v1/messages", "X-Api-Key", key
		body = `{"model":"claude-sonnet-5","max_tokens":9,"messages":[{"role":"user","content":"private"}]}`
	default:
		if strings.HasPrefix(name, "https://") {
			url, header, value, body = name, "Authorization", "Bearer "+key, `{"model":"gpt-4o","messages":[{"role":"user","content":"private"}]}`
			break
		}
		if variable, path, given := strings.Cut(name, "/"); given {
			url, header, value, body = os.Getenv(variable)+"/"+path, "Authorization", "Bearer "+key, "{}"
			break
		}
		url, header, value = os.Getenv("GOOGLE_GEMINI_BASE_URL")+"/v1beta/models/gemini-3-flash-preview:generateContent?key="+key, "X-Goog-Api-Key", key
		body = `{"contents":[{"parts":[{"text":"private"}]}]}`
	}
	req, err := http.NewRequestWithContext(context.Background(), http.MethodPost, url, strings.NewReader(body))
	if err == nil {
		req.Header.Set(header, value)
		req.Header.Set("Anthropic-Version", "2023-06-01")
	}
	return req, err
}

func ask(name string) error {
	req, err := question(name)
	if err != nil {
		return err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	fmt.Println(name, res.StatusCode, res.Header.Get("X-Should-Retry"), string(text))
	return err
}

// cutStream ends while the provider still sends.
func cutStream() int {
	req, err := question("chat")
	if err != nil {
		return 3
	}
	req.Body = io.NopCloser(strings.NewReader(`{"model":"gpt-4o","stream":true,"messages":[{"role":"user","content":"private"}]}`))
	req.ContentLength = -1
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return 3
	}
	if _, err := res.Body.Read(make([]byte, 100)); err != nil {
		return 3
	}
	return 0 // without Close
}

// openAIKey has the form of a key, which the scan finds.
const openAIKey = "sk-proj-" + "abcdefghijklmnopqrstuvwx0123456789ABCDEF"

const agentKey = "the-key-of-the-agent"

// startProvidersForAgent starts the providers, which accept the key of the agent, and returns the flags that lead to them.
func startProvidersForAgent(t *testing.T) (s *discoverytest.Server, upstreams []string) {
	t.Helper()
	s = discoverytest.New(t, discoverytest.WithKeys(map[discovery.Service]string{
		discovery.ServiceOpenAI: agentKey, discovery.ServiceAnthropic: agentKey, discovery.ServiceGemini: agentKey,
	}))
	return s, []string{"--upstream", "openai=" + s.URL + "/openai/v1", "--upstream", "anthropic=" + s.URL + "/anthropic", "--upstream", "gemini=" + s.URL + "/gemini"}
}

// newMeterCommand returns mesh meter with the environment of a user without proxies.
func newMeterCommand(t *testing.T, env []string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), "mesh", append([]string{"meter"}, args...)...)
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool {
		name := strings.ToLower(v)
		return strings.Contains(name, "_proxy=") || strings.Contains(name, "_base_url=") || strings.HasPrefix(name, "mesh_")
	})
	cmd.Env = append(append(cmd.Env, "AGENT_KEY="+agentKey), env...)
	return cmd
}

// runMeter runs mesh meter and returns its output and exit status.
func runMeter(t *testing.T, env []string, args ...string) (stdout, stderr string, status int) {
	t.Helper()
	cmd := newMeterCommand(t, env, args...)
	var out, errs strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errs
	_ = cmd.Run()
	assert.NotContains(t, errs.String(), agentKey)
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

func TestMeterCountsTheCallsOfACommand(t *testing.T) {
	t.Parallel()
	s, flags := startProvidersForAgent(t)
	s.SetCompletion(discoverytest.CreateOpenAIChat, discoverytest.Completion{Model: "gpt-4o-2024-08-06"})
	folder := filepath.Join(t.TempDir(), "calls")
	env := []string{"MESH_MESSAGE_ID=7", "MESH_THREAD_ID=t-1", "MESH_THREAD=builds", "MESH_FROM=node-b"}
	args := append(flags, "--log", folder, "--label", "job=nightly", "--label", "from=flag", "--", "caller", "chat", "messages", "content", "chat")
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

// checkCallsFiles checks that the calls are in files which only the user can read, without keys and content.
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

// A host that is no provider's, such as that of a model on the own machine, has no prices.
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

// The command ends while a provider still sends: the call is in the table.
func TestMeterCountsACallThatIsCut(t *testing.T) {
	t.Parallel()
	s, flags := startProvidersForAgent(t)
	s.Fail(discoverytest.CreateOpenAIChat, discoverytest.Fault{AfterEvents: 1, Delay: 1 << 50})
	_, stderr, status := runMeter(t, nil, append(flags, "--", "caller", "cut")...)
	assert.Equal(t, 0, status)
	assert.Regexp(t, `(?m)^openai +gpt-4o +1 +0 +0 +1 +-$`, stderr)
	assert.Contains(t, stderr, "unpriced: 1 of openai/gpt-4o: the response broke off before its final counts\n")
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
		assert.Equal(t, exitUsage, status, args)
		assert.Contains(t, stderr, "mesh: ", args)
		assert.NotContains(t, stderr, openAIKey, args) // runMeter checks agentKey
	}
	_, stderr, status = runMeter(t, []string{"ANTHROPIC_BASE_URL=https://user:" + agentKey + "@host"}, "--", "caller")
	assert.Equal(t, exitUsage, status)
	assert.Contains(t, stderr, "ANTHROPIC_BASE_URL: must not have a user")
}

// A program that sends calls which do not reach the provider is not told that it has sent none.
func TestMeterNamesRequestsThatFailed(t *testing.T) {
	t.Parallel()
	closed := httptest.NewServer(nil)
	closed.Close()
	_, stderr, status := runMeter(t, nil, "--upstream", "openai="+closed.URL+"/v1", "--", "caller", "chat", "chat")
	assert.Equal(t, 0, status)
	assert.Contains(t, stderr, "mesh: meter: no calls were counted; requests that did not reach the provider: 2\n")
	_, stderr, _ = runMeter(t, nil, "--", "caller", "env")
	assert.Equal(t, "mesh: meter: no calls were counted; only calls to OPENAI_BASE_URL, ANTHROPIC_BASE_URL and GOOGLE_GEMINI_BASE_URL are counted\n", stderr)
}

// The hosts of OpenAI, Anthropic and xAI have one form of paths. A proxy of HTTP_PROXY stands in for them.
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

// cutMessages ends while Claude still sends.
func cutMessages() int {
	req, err := question("messages")
	if err != nil {
		return 3
	}
	req.Body = io.NopCloser(strings.NewReader(`{"model":"claude-sonnet-5","max_tokens":9,"stream":true,"messages":[{"role":"user","content":"private"}]}`))
	req.ContentLength = -1
	res, err := http.DefaultClient.Do(req)
	if err != nil || res.StatusCode != http.StatusOK {
		return 3
	}
	if _, err := res.Body.Read(make([]byte, 1000)); err != nil {
		return 3
	}
	return 0 // without Close
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
