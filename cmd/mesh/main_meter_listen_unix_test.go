//go:build unix

package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/exit"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/meter"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/discoverytest"
)

// listening is a running mesh meter --listen.
type listening struct {
	*process
	env []string // from its export lines
}

func startListening(t *testing.T, address string, args ...string) *listening {
	t.Helper()
	l := &listening{process: startProcess(t, newMeterCommand(t, nil, append([]string{"--listen", address}, args...)...))}
	l.readEnv()
	return l
}

// readEnv reads export lines up to no_proxy, the last one.
func (l *listening) readEnv() {
	for {
		name, value, ok := strings.Cut(strings.TrimPrefix(l.line(), "export "), "=")
		require.True(l.t, ok)
		l.env = append(l.env, name+"="+strings.Trim(value, "'"))
		if name == "no_proxy" {
			return
		}
	}
}

// value looks up an exported variable.
func (l *listening) value(name string) string {
	for _, v := range l.env {
		if value, ok := strings.CutPrefix(v, name+"="); ok {
			return value
		}
	}
	return ""
}

// run runs caller with the exported variables.
func (l *listening) run(args ...string) string {
	l.t.Helper()
	cmd := exec.CommandContext(l.t.Context(), "caller", args...)
	cmd.Env = append(newMeterCommand(l.t, nil).Env, l.env...)
	out, err := cmd.CombinedOutput()
	require.NoError(l.t, err, "%s", out)
	return string(out)
}

// end stops the meter with SIGTERM, as systemd does, and returns its exit status.
func (l *listening) end() int {
	l.t.Helper()
	require.NoError(l.t, l.Process.Signal(syscall.SIGTERM))
	return l.exit()
}

// A meter started with its own exported variables would call itself forever.
func TestListenIsAMeterWithoutAProgram(t *testing.T) {
	t.Parallel()
	_, flags := startProvidersForAgent(t)
	dir := filepath.Join(t.TempDir(), "calls")
	flags = append(flags, "--log", dir)
	l := startListening(t, "127.0.0.1:0", flags...)
	assert.Contains(t, l.run("chat", "messages"), "chat 200 ")
	assert.Equal(t, 0, l.end())
	assert.Regexp(t, `(?m)^total 0\.\d+ USD; calls: 2, unpriced: 0$`, l.stderr.String())
	info, err := os.Stat(filepath.Join(dir, meter.SecretFile))
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode())

	before := strings.Split(l.value("OPENAI_BASE_URL"), "/")[2]
	again := startListening(t, "127.0.0.1:0", flags...) // on a new port: another program may have the first by now
	address := strings.Split(again.value("OPENAI_BASE_URL"), "/")[2]
	for i := range l.env {
		l.env[i] = strings.Replace(l.env[i], before, address, 1)
	}
	assert.Equal(t, l.env, again.env, "the variables stay valid")
	assert.Contains(t, l.run("chat"), "chat 200 ")
	wrong := strings.Replace(l.value("OPENAI_BASE_URL"), l.secret(), strings.Repeat("A", 26), 1)
	res, err := http.Post(wrong+"/chat/completions", "application/json", strings.NewReader("{}"))
	require.NoError(t, err)
	res.Body.Close()
	assert.Equal(t, http.StatusNotFound, res.StatusCode)

	_, stderr, status := runMeter(t, nil, append(flags, "--listen", address)...)
	assert.Equal(t, exit.Usage, status)
	assert.Contains(t, stderr, "mesh: --listen: listen tcp "+address+": bind: address already in use\n")
	_, stderr, status = runMeter(t, l.env, append(flags, "--listen", address)...)
	assert.Equal(t, exit.Usage, status, "it would call itself")
	assert.Contains(t, stderr, "ANTHROPIC_BASE_URL GOOGLE_GEMINI_BASE_URL HTTPS_PROXY OPENAI_BASE_URL https_proxy\n")
	assert.NotContains(t, stderr, l.secret())
	assert.Equal(t, 0, again.end())
}

func (l *listening) secret() string { return strings.Split(l.value("OPENAI_BASE_URL"), "/")[3] }

// A running stream ends first, and its call is recorded. New calls are refused.
func TestListenEndsAfterItsStreams(t *testing.T) {
	t.Parallel()
	goOn := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, "data: {\"model\":\"gpt-4o\",\"choices\":[]}\n\n")
		w.(http.Flusher).Flush()
		<-goOn
		fmt.Fprint(w, "data: {\"model\":\"gpt-4o\",\"choices\":[],\"usage\":{\"prompt_tokens\":1000,\"completion_tokens\":500,\"total_tokens\":1500}}\n\ndata: [DONE]\n\n")
	}))
	t.Cleanup(s.Close)
	dir := t.TempDir()
	l := startListening(t, "127.0.0.1:0", "--log", dir, "--upstream", "openai="+s.URL)
	res, err := http.Post(l.value("OPENAI_BASE_URL")+"/v1/chat/completions", "application/json", strings.NewReader(`{"model":"gpt-4o","stream":true}`))
	require.NoError(t, err)
	defer res.Body.Close()
	stream := bufio.NewReader(res.Body)
	_, err = stream.ReadString('\n')
	require.NoError(t, err)
	require.NoError(t, l.Process.Signal(syscall.SIGTERM))
	for address := strings.Split(l.value("OPENAI_BASE_URL"), "/")[2]; ; {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			break
		}
		conn.Close()
	}
	close(goOn)
	rest, err := io.ReadAll(stream)
	require.NoError(t, err)
	assert.Contains(t, string(rest), "[DONE]")
	assert.Equal(t, 0, l.exit())
	var all []calls.Record
	for r, err := range calls.Read(calls.Options{Recorded: true}, dir) {
		require.NoError(t, err)
		all = append(all, r)
	}
	require.Len(t, all, 1)
	assert.False(t, all[0].Incomplete)
	assert.EqualValues(t, "0.0075", all[0].USD)
}

// Another program's records use up the budget within seconds.
func TestListenFollowsOtherPrograms(t *testing.T) {
	t.Parallel()
	_, flags := startProvidersForAgent(t)
	dir := t.TempDir()
	l := startListening(t, "127.0.0.1:0", append(flags, "--log", dir, "--budget", "1/day")...)
	assert.Contains(t, l.run("chat"), "chat 200 ")
	other, err := calls.OpenLog(dir)
	require.NoError(t, err)
	other.Record(calls.Record{Provider: "openai", Model: "gpt-4o", Time: time.Now(), USD: "1"})
	require.NoError(t, other.Close())
	l.await("mesh: warning: 80 % of the budget 1 USD/day is spent: 1.00045 USD\n")
	assert.Contains(t, l.run("chat"), "chat 402 ")
	assert.Equal(t, 0, l.end())
	assert.Contains(t, l.stderr.String(), "budget: 1 USD/day, spent: 1.00045, set aside: 0, left: 0\n")
}

func TestListenRefusesWrongUse(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for want, args := range map[string][]string{
		"--listen takes no COMMAND":                          {"--listen", "127.0.0.1:0", "--log", dir, "--", "caller"},
		"--listen and --intercept cannot be used together":   {"--listen", "127.0.0.1:0", "--log", dir, "--intercept"},
		"--listen needs --log":                               {"--listen", "127.0.0.1:0"},
		`--listen "0.0.0.0:1" must be 127.0.0.1:PORT`:        {"--listen", "0.0.0.0:1", "--log", dir},
		`--listen "8080" must be 127.0.0.1:PORT`:             {"--listen", "8080", "--log", dir},
		`--listen "127.0.0.1:x" must be 127.0.0.1:PORT`:      {"--listen", "127.0.0.1:x", "--log", dir},
		"0 arguments given; usage: mesh meter":               {"--log", dir},
		`--budget "5/week" must be USD[/day|/month[/label:N`: {"--listen", "127.0.0.1:0", "--log", dir, "--budget", "5/week"},
		"--log " + os.DevNull + "/calls: not a directory":    {"--listen", "127.0.0.1:0", "--log", os.DevNull + "/calls"},
		"--log /proc: ": {"--listen", "127.0.0.1:0", "--log", "/proc"}, // not writable
	} {
		stdout, stderr, status := runMeter(t, nil, args...)
		assert.Equal(t, exit.Usage, status, args)
		assert.Contains(t, stderr, "mesh: "+want)
		assert.Empty(t, stdout)
	}
}

// With a usual umask, other users could read a file that a shell redirects the variables
// to.
func TestListenWritesItsVariablesForTheUserAlone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	shared := filepath.Join(dir, "shared.env")
	file, err := os.OpenFile(shared, os.O_CREATE|os.O_RDWR, 0o644)
	require.NoError(t, err)
	defer file.Close()
	require.NoError(t, file.Chmod(0o644)) // whatever the tests' umask
	cmd := newMeterCommand(t, nil, "--listen", "127.0.0.1:0", "--log", dir)
	var stderr strings.Builder
	cmd.Stdout, cmd.Stderr = file, &stderr
	require.Error(t, cmd.Run())
	assert.Equal(t, exit.Usage, cmd.ProcessState.ExitCode())
	assert.Contains(t, stderr.String(), "--env FILE writes a file that only you can read\n")
	text, err := os.ReadFile(shared)
	require.NoError(t, err)
	assert.Empty(t, text)

	p := startProcess(t, newMeterCommand(t, nil, "--listen", "127.0.0.1:0", "--log", dir, "--env", shared))
	p.await("mesh: wrote " + shared + "\n")
	info, err := os.Stat(shared)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode(), "even if the file existed")
	text, err = os.ReadFile(shared)
	require.NoError(t, err)
	assert.Regexp(t, `(?m)^export OPENAI_BASE_URL='http://127.0.0.1:\d+/[A-Z2-7]{26}/openai/v1'$`, string(text))
	require.NoError(t, p.Process.Signal(syscall.SIGTERM))
	out, err := io.ReadAll(p.stdout)
	require.NoError(t, err)
	assert.Empty(t, out)
	assert.Equal(t, 0, p.exit())

	_, errs, status := runMeter(t, nil, "--env", shared, "--", "caller", "env")
	assert.Equal(t, exit.Usage, status)
	assert.Contains(t, errs, "--env needs --listen")
}

func TestListenRefusesASecretThatOthersKnow(t *testing.T) {
	t.Parallel()
	for text, mode := range map[string]os.FileMode{strings.Repeat("A", 26) + "\n": 0o644, "": 0o600, "../openai": 0o600} {
		dir := t.TempDir()
		name := filepath.Join(dir, meter.SecretFile)
		require.NoError(t, os.WriteFile(name, []byte(text), mode))
		require.NoError(t, os.Chmod(name, mode)) // whatever the tests' umask
		_, stderr, status := runMeter(t, nil, "--listen", "127.0.0.1:0", "--log", dir)
		assert.Equal(t, exit.Usage, status)
		assert.Contains(t, stderr, "secret; remove the file, and set the new variables", text)
		assert.NotContains(t, stderr, "AAAA")
	}
	dir := t.TempDir()
	planted := filepath.Join(dir, meter.SecretFile)
	require.NoError(t, os.WriteFile(planted, []byte(strings.Repeat("A", 26)+"\n"), 0o600))
	if os.Chown(planted, 65534, -1) != nil {
		return // only root can give a file away
	}
	_, stderr, status := runMeter(t, nil, "--listen", "127.0.0.1:0", "--log", dir)
	assert.Equal(t, exit.Usage, status)
	assert.Contains(t, stderr, "other users may know the secret; remove the file, and set the new variables")
}

// Another user's idle connections must not use up the meter's file descriptors.
func TestListenServesItsUserBesideIdleConnections(t *testing.T) {
	t.Parallel()
	_, flags := startProvidersForAgent(t)
	l := &listening{process: startProcess(t, func() *exec.Cmd {
		cmd := newMeterCommand(t, nil, append(flags, "--listen", "127.0.0.1:0", "--log", t.TempDir())...)
		cmd.Args = append([]string{"sh", "-c", `ulimit -n 200; exec "$@"`, "sh"}, cmd.Args...)
		cmd.Path = "/bin/sh"
		return cmd
	}())}
	l.readEnv()
	for range 230 {
		conn, err := net.Dial("tcp", strings.Split(l.value("OPENAI_BASE_URL"), "/")[2])
		require.NoError(t, err)
		defer conn.Close()
		fmt.Fprint(conn, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
	}
	assert.Contains(t, l.run("chat"), "chat 200 ")
	assert.Equal(t, 0, l.end())
}

// Eight programs share a budget for 4,445 calls. This is slow and depends on the clock,
// so it only runs if .ci/run sets MESH_PROGRAMS.
func TestEightProgramsShareABudget(t *testing.T) {
	if os.Getenv("MESH_PROGRAMS") == "" {
		return
	}
	s, flags := startProvidersForAgent(t)
	dir := t.TempDir()
	const programs, cost, limit = 8, 0.00045, 2.0
	outputs := make([]bytes.Buffer, programs)
	commands := make([]*exec.Cmd, programs)
	for i := range commands {
		commands[i] = newMeterCommand(t, nil, append(flags, "--log", dir, "--budget", "2/day", "--", "caller", "many")...)
		commands[i].Stdout = &outputs[i]
		require.NoError(t, commands[i].Start())
	}
	for i, cmd := range commands {
		require.NoError(t, cmd.Wait())
		assert.Contains(t, outputs[i].String(), "status: 402")
	}
	var all []calls.Record
	var last time.Time
	for r, err := range calls.Read(calls.Options{Recorded: true}, dir) {
		require.NoError(t, err)
		all = append(all, r)
		if r.Time.After(last) {
			last = r.Time
		}
	}
	assert.Len(t, s.Requests(discoverytest.CreateOpenAIChat), len(all), "no record is lost")
	const late = 1500 * time.Millisecond // one second between reads, and half a second to read
	seen := 0
	for _, r := range all {
		if last.Sub(r.Time.Add(r.Duration)) > late {
			seen++
		}
	}
	t.Logf("eight programs spent %.4f USD of %.4f USD; in the last %v %.4f", float64(len(all))*cost, limit, late, float64(len(all)-seen)*cost)
	assert.Greater(t, float64(len(all))*cost, limit)
	assert.Less(t, float64(seen)*cost, limit, "only calls that ended within a second or were running are unseen")
}
