package meter_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/app"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/exit"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/meter"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/discoverytest"
	"github.com/mesh-gateway/mesh-go/internal/test/caller"
	"github.com/mesh-gateway/mesh-go/internal/test/newfacts"
)

// TestMain makes the test binary act as caller if it's started under that name. The
// tests' environment has no proxies and no price table.
func TestMain(m *testing.M) {
	if strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe") != "caller" {
		for _, v := range os.Environ() {
			name, _, _ := strings.Cut(v, "=")
			upper := strings.ToUpper(name)
			if strings.HasSuffix(upper, "_PROXY") || strings.HasSuffix(upper, "_BASE_URL") || strings.HasPrefix(upper, "MESH_") {
				os.Unsetenv(name)
			}
		}
		os.Setenv("AGENT_KEY", caller.Key)
		os.Setenv("XDG_DATA_HOME", filepath.Join(os.TempDir(), "no-data-of-mesh"))
	}
	testscript.Main(newfacts.M{M: m}, map[string]func(){"caller": func() { os.Exit(caller.Run()) }})
}

// runMeter runs mesh meter in this process and returns its output and exit status.
func runMeter(t *testing.T, args ...string) (stdout, stderr string, status int) {
	t.Helper()
	out, err := os.CreateTemp(t.TempDir(), "out") // a file, because caller writes to it, too
	require.NoError(t, err)
	defer out.Close()
	errs, err := os.CreateTemp(t.TempDir(), "errs")
	require.NoError(t, err)
	defer errs.Close()
	cmd := meter.New(&app.App{In: strings.NewReader(""), Out: out, Errs: errs, Format: "text"})
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	cmd.SetArgs(args)
	err = cmd.ExecuteContext(t.Context())
	if ended := exit.StatusError(0); err != nil && !errors.As(err, &ended) {
		fmt.Fprintln(errs, "mesh:", exit.Lines(err))
	}
	printed, readErr := os.ReadFile(out.Name())
	require.NoError(t, readErr)
	noted, readErr := os.ReadFile(errs.Name())
	require.NoError(t, readErr)
	assert.NotContains(t, string(noted), caller.Key)
	return string(printed), string(noted), exit.Code(err)
}

// A call has a table row and a labeled record, and the program's exit status is kept.
func TestRunCountsTheCallsOfAProgram(t *testing.T) {
	t.Parallel()
	_, flags := caller.StartProviders(t)
	folder := filepath.Join(t.TempDir(), "calls")
	stdout, stderr, status := runMeter(t, append(flags, "--log", folder, "--no-project", "--label", "job=nightly", "--", "caller", "chat", "messages", "fail")...)
	assert.Equal(t, 7, status)
	assert.Contains(t, stdout, "chat 200 ", "the key passes through")
	assert.Regexp(t, `(?m)^openai +gpt-4o +1 +100 +20 +0 +0\.00045$`, stderr)
	assert.Regexp(t, `(?m)^total 0\.\d+ USD; calls: 2, unpriced: 0$`, stderr)
	n := 0
	for r, err := range calls.Read(calls.Options{Recorded: true}, folder) {
		require.NoError(t, err)
		assert.Equal(t, map[string]string{"job": "nightly"}, r.Labels)
		n++
	}
	assert.Equal(t, 2, n)
}

func TestRunPrintsJSON(t *testing.T) {
	t.Parallel()
	_, flags := caller.StartProviders(t)
	errs, err := os.CreateTemp(t.TempDir(), "errs")
	require.NoError(t, err)
	defer errs.Close()
	cmd := meter.New(&app.App{In: strings.NewReader(""), Out: os.Stderr, Errs: errs, Format: "json"})
	cmd.SetArgs(append(flags, "--budget", "5", "--", "caller", "remove "+filepath.Join(t.TempDir(), "none")))
	require.NoError(t, cmd.ExecuteContext(t.Context()))
	text, err := os.ReadFile(errs.Name())
	require.NoError(t, err)
	assert.Contains(t, string(text), `"incomplete":false,"not_counted":[],"no_calls":[],"not_accepted":[],"budgets":[{"budget":{"usd":"5"`)
	assert.Contains(t, string(text), `"refused":0,"failed":0}`)
}

// The command ends while a provider is still sending. The call is in the table.
func TestMeterCountsACallThatIsCut(t *testing.T) {
	t.Parallel()
	s, flags := caller.StartProviders(t)
	s.Fail(discoverytest.CreateOpenAIChat, discoverytest.Fault{AfterEvents: 1, Delay: 1 << 50})
	_, stderr, status := runMeter(t, append(flags, "--", "caller", "cut")...)
	assert.Equal(t, 0, status)
	assert.Regexp(t, `(?m)^openai +gpt-4o +1 +0 +0 +1 +-$`, stderr)
	assert.Contains(t, stderr, "unpriced: 1 of openai/gpt-4o: the response broke off before its final counts\n")
}

// If calls fail to reach the provider, the program isn't told that it made none.
func TestMeterNamesRequestsThatFailed(t *testing.T) {
	t.Parallel()
	// Nothing listens on port 1. Another program could have taken a closed port by now.
	_, stderr, status := runMeter(t, "--upstream", "openai=http://127.0.0.1:1/v1", "--", "caller", "chat", "chat")
	assert.Equal(t, 0, status)
	assert.Contains(t, stderr, "mesh: meter: no calls were counted; requests that did not reach the provider: 2\n")
	_, stderr, _ = runMeter(t, "--", "caller", "env")
	assert.Equal(t, "mesh: meter: no calls were counted; only calls to OPENAI_BASE_URL, ANTHROPIC_BASE_URL and GOOGLE_GEMINI_BASE_URL are counted\n", stderr)
}
