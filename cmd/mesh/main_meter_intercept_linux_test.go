// Linux only: on macOS and Windows, Go ignores SSL_CERT_FILE, which has the tests' roots.

package main

import (
	"encoding/json"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/exit"
	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/discoverytest"
	"github.com/mesh-gateway/mesh-go/internal/test/internet"
)

// host -> provider
var servicesOf = map[string]discovery.Service{
	"api.openai.com": discovery.ServiceOpenAI, "api.anthropic.com": discovery.ServiceAnthropic, "api.x.ai": discovery.ServiceXAI,
	"generativelanguage.googleapis.com": discovery.ServiceGemini, "api.deepseek.com": discovery.ServiceDeepSeek,
	"llm.example.com": discovery.ServiceOpenAI, "openrouter.ai": "openrouter", "example-resource.openai.azure.com": "azure",
	"bedrock-runtime.us-west-2.amazonaws.com": "bedrock", "vpce-1.example.com": "bedrock", "azure.example.com": "azure",
}

// startInternet serves the providers at their real hosts. Other hosts answer with their
// own name.
func startInternet(t *testing.T) (*internet.Internet, *discoverytest.Server) {
	t.Helper()
	providers := discoverytest.New(t)
	to, err := url.Parse(providers.URL)
	require.NoError(t, err)
	i, err := internet.Start(filepath.Join(t.TempDir(), "roots.pem"), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		service, known := servicesOf[r.Host]
		if !known {
			_, _ = w.Write([]byte("this is " + r.Host))
			return
		}
		to := *to
		to.Path = "/" + string(service)
		(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(&to) }}).ServeHTTP(w, r)
	}))
	require.NoError(t, err)
	t.Cleanup(i.Close)
	return i, providers
}

func TestMeterSeesConnectionsThatBypassIt(t *testing.T) {
	t.Parallel()
	i, s := startInternet(t)
	stdout, stderr, status := runMeter(t, i.Env(), "--", "caller", "https://api.x.ai/v1/chat/completions", "https://example.com/", "https://api.x.ai/v1/models")
	assert.Equal(t, 0, status, stderr)
	assert.Contains(t, stdout, "https://example.com/ 200  this is example.com")
	assert.Len(t, s.Requests(discoverytest.CreateXAIChat), 1)
	assert.Regexp(t, `^mesh: meter: no calls were counted; .*\nnot counted: api\.x\.ai, 1 connection, [1-9] kB sent\n$`, stderr)
	assert.Equal(t, []string{"api.x.ai:443", "example.com:443"}, i.Opened(), "through the environment's own proxy")
}

func TestMeterTotalIsALowerBoundWhereCallsMayBeMissing(t *testing.T) {
	t.Parallel()
	i, _ := startInternet(t)
	_, stderr, status := runMeter(t, i.Env(), "--", "caller", "messages", "https://api.anthropic.com/v1/models")
	assert.Equal(t, 0, status)
	assert.Regexp(t, `(?m)^total at least 0\.\d+ USD; calls: 1, unpriced: 0$`, stderr, "even if other calls to the host were counted")
	assert.Regexp(t, `(?m)^not counted: api\.anthropic\.com, 1 connection, [1-9] kB sent$`, stderr)
	_, stderr, status = runMeter(t, i.Env(), "--", "caller", "messages", "https://api.x.ai/v1/chat/completions")
	assert.Equal(t, 0, status)
	assert.Regexp(t, `(?m)^total at least 0\.\d+ USD; calls: 1, unpriced: 0$`, stderr)
	assert.Contains(t, stderr, "\nnot counted: api.x.ai, 1 connection, ")
}

// Claude Code also sends its provider's host other requests, through tunnels. Its calls
// are all counted, so the total is exact.
func TestMeterTotalOfClaudeCodeIsExact(t *testing.T) {
	t.Parallel()
	i, _ := startInternet(t)
	for agent, want := range map[string]string{"claude-cli/2.1.197 (external, cli)": "total ", "python-requests/2": "total at least "} {
		_, stderr, status := runMeter(t, append(i.Env(), "AGENT_NAME="+agent), "--", "caller", "messages", "bun https://api.anthropic.com/api/event_logging/v2/batch")
		assert.Equal(t, 0, status, stderr)
		assert.Regexp(t, `(?m)^`+want+`0\.\d+ USD; calls: 1, unpriced: 0$`, stderr)
		assert.Equal(t, want != "total ", strings.Contains(stderr, "not counted: api.anthropic.com, 1 connection, "), stderr)
	}
}

// Model hosts without prices are printed with the flag that would count their calls.
func TestMeterNamesHostsThatServeModels(t *testing.T) {
	t.Parallel()
	i, _ := startInternet(t)
	const groq = "https://api.groq.com/openai/v1/chat/completions"
	for _, flags := range [][]string{nil, {"--intercept"}} {
		_, stderr, status := runMeter(t, i.Env(), append(flags, "--", "caller", groq, groq, "https://example.com/")...)
		assert.Equal(t, 0, status, stderr)
		assert.Regexp(t, `^mesh: meter: no calls were counted; the connections below may have some\nnot counted: api\.groq\.com, 1 connection \(--host api\.groq\.com=openai:groq\), [1-9] kB sent\n$`, stderr, flags)
	}
	_, stderr, _ := runMeter(t, i.Env(), "--", "caller", groq, "messages")
	assert.Regexp(t, `(?m)^total at least `, stderr)
	_, stderr, _ = runMeter(t, i.Env(), "--intercept", "--host", "api.groq.com=openai:groq", "--host", "llm.example.com:8080=openai", "--", "caller", groq)
	assert.NotContains(t, stderr, "not counted")
	assert.Contains(t, stderr, "\nno calls: llm.example.com:8080 (--host)\n")
	assert.NotContains(t, stderr, "no calls: api.groq.com")
}

// A program that ignores HTTPS_PROXY, or a child with another environment, is noticed by
// its connections.
func TestMeterSeesConnectionsPastTheProxy(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		args []string // HOST becomes the provider's address
		want string
	}{
		"none": {[]string{"chat"}, `(?m)^total 0\.\d+ USD; calls: 1, unpriced: 0$`},
		"one":  {[]string{"chat", "direct HOST"}, `(?m)^total at least 0\.\d+ USD; calls: 1, unpriced: 0\nnot counted: HOST, 1 connection(, (at least )?\d+ B sent)?$`},
		"two":  {[]string{"direct HOST", "chat", "clean direct HOST"}, `(?m)^total at least 0\.\d+ USD; calls: 1, unpriced: 0\nnot counted: HOST, 2 connections(, (at least )?\d+ B sent)?$`},
		"only": {[]string{"direct HOST"}, `^mesh: meter: no calls were counted; the connections below may have some\nnot counted: HOST, 1 connection(, (at least )?\d+ B sent)?\nno calls: HOST \(--host\)\n$`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, _ := startProvidersForAgent(t) // not shared: the watch also sees other tests' connections
			host := strings.TrimPrefix(s.URL, "http://")
			args := []string{"--host", host + "=openai", "--", "caller"}
			for _, arg := range c.args {
				args = append(args, strings.ReplaceAll(arg, "HOST", host))
			}
			_, stderr, status := runMeter(t, []string{"OPENAI_BASE_URL=" + s.URL + "/openai/v1"}, args...)
			assert.Regexp(t, strings.ReplaceAll(c.want, "HOST", host), stderr)
			if name != "only" {
				assert.Equal(t, 0, status, stderr)
			}
			if name == "none" {
				assert.NotContains(t, stderr, "not counted")
			}
		})
	}
}

func TestMeterJSON(t *testing.T) {
	t.Parallel()
	i, _ := startInternet(t)
	_, stderr, status := runMeter(t, i.Env(), "-o", "json", "--budget", "5", "--", "caller", "messages", "https://api.x.ai/v1/chat/completions")
	assert.Equal(t, 0, status)
	var got struct {
		Calls      int    `json:"calls"`
		USD        string `json:"usd"`
		Incomplete bool   `json:"incomplete"`
		NotCounted []struct {
			Host        string `json:"host"`
			Provider    string `json:"provider"`
			Connections int    `json:"connections"`
			Sent        int    `json:"sent_bytes"`
			Received    int    `json:"received_bytes"`
			Direct      int    `json:"direct"`
			Remedy      string `json:"remedy"`
		} `json:"not_counted"`
		NotAccepted []any `json:"not_accepted"`
		Budgets     []any `json:"budgets"`
	}
	require.NoError(t, json.Unmarshal([]byte(stderr), &got), stderr)
	assert.Equal(t, 1, got.Calls)
	assert.Regexp(t, `^0\.\d+$`, got.USD)
	assert.True(t, got.Incomplete)
	require.Len(t, got.NotCounted, 1)
	n := got.NotCounted[0]
	assert.Equal(t, []any{"api.x.ai", "xai", 1, 0, ""}, []any{n.Host, n.Provider, n.Connections, n.Direct, n.Remedy})
	assert.Positive(t, n.Sent)
	assert.Positive(t, n.Received)
	assert.Len(t, got.Budgets, 1)
	assert.NotNil(t, got.NotAccepted)
}

func TestInterceptCountsCallsToTheHostsOfProviders(t *testing.T) {
	t.Parallel()
	i, s := startInternet(t)
	args := []string{
		"--intercept", "--host", "llm.example.com=openai", "--", "caller", "https://api.openai.com/v1/chat/completions",
		"https://api.x.ai/v1/chat/completions", "https://llm.example.com/v1/chat/completions", "https://example.com/",
	}
	stdout, stderr, status := runMeter(t, i.Env(), args...)
	assert.Equal(t, 0, status, stderr)
	assert.Equal(t, 4, strings.Count(stdout, " 200 "), stdout)
	assert.Contains(t, stdout, "this is example.com")
	assert.Len(t, s.Requests(discoverytest.CreateOpenAIChat), 2)
	assert.Len(t, s.Requests(discoverytest.CreateXAIChat), 1)
	assert.Regexp(t, `(?m)^openai +gpt-4o +2 `, stderr)
	assert.Regexp(t, `(?m)^xai +\S+ +1 `, stderr)
	assert.Contains(t, stderr, "; calls: 3, unpriced: ")
	assert.NotContains(t, stderr, "not counted")
	assert.NotContains(t, stderr, "at least")
	assert.ElementsMatch(t, []string{"api.openai.com:443", "api.x.ai:443", "llm.example.com:443", "example.com:443"}, i.Opened())
}

func TestInterceptRefusesCallsBeyondTheBudget(t *testing.T) {
	t.Parallel()
	i, s := startInternet(t)
	const chat = "https://api.openai.com/v1/chat/completions"
	stdout, stderr, status := runMeter(t, i.Env(), "--intercept", "--budget", "0.0004", "--", "caller", chat, chat, chat)
	assert.Equal(t, 0, status, stderr)
	assert.Equal(t, 2, strings.Count(stdout, " 402 false {"), stdout)
	assert.Len(t, s.Requests(discoverytest.CreateOpenAIChat), 1)
	assert.Contains(t, stderr, "refused: 2\n")
}

// The provider's certificate is checked, as it is without mesh.
func TestInterceptChecksTheUpstream(t *testing.T) {
	t.Parallel()
	i, _ := startInternet(t)
	stdout, stderr, status := runMeter(t, i.Env()[:1], "--intercept", "--", "caller", "https://api.openai.com/v1/chat/completions")
	assert.Equal(t, 0, status)
	assert.Contains(t, stdout, " 502 ")
	assert.Contains(t, stderr, "mesh: meter: POST api.openai.com: tls: failed to verify certificate")
	assert.Contains(t, stderr, "no calls were counted; requests that did not reach the provider: 1")
}

// The error names a company's proxy and its response, but not the password.
func TestMeterNamesAProxyThatRefuses(t *testing.T) {
	t.Parallel()
	i, _ := startInternet(t)
	wrong := strings.Replace(i.ProxyURL, "password", "not-the-word", 1)
	for name, args := range map[string][]string{
		"a base URL":  {"--", "caller", "chat"},
		"--intercept": {"--intercept", "--", "caller", "https://api.openai.com/v1/chat/completions"},
	} {
		stdout, stderr, status := runMeter(t, []string{"HTTPS_PROXY=" + wrong, "SSL_CERT_FILE=" + i.Roots}, args...)
		assert.Equal(t, 0, status, name)
		assert.Contains(t, stdout, " 502 ", name)
		assert.Regexp(t, `(?m)^mesh: meter: POST api\.openai\.com: the proxy 127\.0\.0\.1:\d+ answered 407 Proxy Authentication Required; check its user and password in HTTPS_PROXY$`, stderr, name)
		assert.NotContains(t, stdout+stderr, "not-the-word", name)
	}
}

func TestInterceptSetsTheRootsOfPrograms(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	own := filepath.Join(folder, "own.pem")
	roots := []byte("-----BEGIN CERTIFICATE-----\nb3du\n-----END CERTIFICATE-----\n")
	key := "-----BEGIN PRIVATE KEY-----\n" + "a2V5\n-----END PRIVATE KEY-----\n"
	require.NoError(t, os.WriteFile(own, append(roots, key...), 0o600))
	env := []string{"REQUESTS_CA_BUNDLE=" + own, "NODE_EXTRA_CA_CERTS=", "PIP_CERT=" + folder, "CURL_CA_BUNDLE=", "SSL_CERT_FILE=", "AWS_CA_BUNDLE=", "OPENAI_BASE_URL=https://api.deepseek.com", "TMPDIR=" + t.TempDir()}
	stdout, stderr, status := runMeter(t, env, "--intercept", "--", "caller", "env", "roots")
	assert.Equal(t, 0, status, stderr)
	assert.Contains(t, stdout, "OPENAI_BASE_URL=https://api.deepseek.com\n", "unchanged")
	assert.NotContains(t, stdout, "ANTHROPIC_BASE_URL=")
	assert.NotContains(t, stdout, "NO_PROXY=")
	assert.Regexp(t, `(?m)^HTTPS_PROXY=http://mesh:[A-Z2-7]{26}@127\.0\.0\.1:\d+$`, stdout)
	files := map[string]string{}
	for _, m := range regexp.MustCompile(`(?m)^roots (\w+) (\d+) (\S+) (.+)$`).FindAllStringSubmatch(stdout, -1) {
		files[m[1]] = m[2] + " " + m[3]
		assert.NoFileExists(t, m[4], "it is removed at the end")
	}
	assert.Equal(t, "2 b3du", files["REQUESTS_CA_BUNDLE"])
	assert.Equal(t, "2 b3du", files["AWS_CA_BUNDLE"], "botocore reads REQUESTS_CA_BUNDLE, too")
	assert.Equal(t, "2 b3du", files["PIP_CERT"], "all files in the directory")
	assert.Regexp(t, "^1 ", files["NODE_EXTRA_CA_CERTS"], "Node adds it to its own roots")
	for _, name := range []string{"SSL_CERT_FILE", "CURL_CA_BUNDLE", "AWS_CA_BUNDLE", "GIT_SSL_CAINFO", "DENO_CERT"} {
		assert.Contains(t, files, name)
	}
	assert.NotContains(t, files, "CARGO_HTTP_CAINFO", "only if it was set")
	assert.NotContains(t, stdout, "PRIVATE")
	assert.NotContains(t, stderr, "PRIVATE")
}

func TestInterceptIsCheckedBeforeTheCommandRuns(t *testing.T) {
	t.Parallel()
	absent := filepath.Join(t.TempDir(), "absent")
	for _, c := range []struct {
		env, args []string
		want      string
		status    int
	}{
		{nil, []string{"--intercept", "--upstream", "openai=https://example.com"}, "mesh: --upstream cannot be used with --intercept", exit.Usage},
		{nil, []string{"--host", "example.com"}, "mesh: --host example.com: ", exit.Usage},
		{nil, []string{"--host", "https://me:" + agentKey + "@example.com=openai"}, "mesh: --host must be HOST=API or HOST=API:NAME", exit.Usage},
		{nil, []string{"--host", "example.com=nobody"}, "mesh: --host example.com: ", exit.Usage},
		{[]string{"HTTPS_PROXY=socks5://127.0.0.1:1080"}, []string{"--intercept"}, "mesh: --intercept: the proxy of HTTPS_PROXY cannot be used", exit.Usage},
		{[]string{"ALL_PROXY=http://127.0.0.1:1080"}, []string{"--intercept"}, "mesh: --intercept: the proxy of ALL_PROXY cannot be used", exit.Usage},
		{[]string{"CURL_CA_BUNDLE=" + absent}, []string{"--intercept"}, "CURL_CA_BUNDLE: no such file", exit.Failed},
		{[]string{"TMPDIR=" + absent, "TMP=" + absent}, []string{"--intercept"}, "cannot create a temporary directory", exit.Failed},
	} {
		stdout, stderr, status := runMeter(t, c.env, append(c.args, "--", "caller", "env")...)
		assert.Equal(t, c.status, status, c.args)
		assert.Contains(t, stderr, c.want, c.args)
		assert.Empty(t, stdout, c.args)
	}
}

// Without --intercept, a SOCKS proxy stays in the environment and the rest still works.
func TestMeterLeavesASOCKSProxyAlone(t *testing.T) {
	t.Parallel()
	stdout, stderr, status := runMeter(t, []string{"HTTPS_PROXY=socks5://127.0.0.1:1080"}, "--", "caller", "env")
	assert.Equal(t, 0, status)
	assert.Contains(t, stdout, "HTTPS_PROXY=socks5://127.0.0.1:1080\n")
	assert.NotContains(t, stdout, "https_proxy=")
	assert.Contains(t, stderr, "mesh: warning: the proxy of HTTPS_PROXY cannot be used")
}
