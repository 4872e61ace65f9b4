//go:build unix

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestMeterForwardsSignals(t *testing.T) {
	t.Parallel()
	p := startGroup(t, newMeterCommand(t, nil, "--", "caller", "signals"))
	p.line()
	p.interrupt()
	assert.Equal(t, "interrupt", p.line(), "^C reaches the command once")
	require.NoError(t, p.Process.Signal(syscall.SIGHUP))
	assert.Equal(t, "hangup", p.line(), "even before mesh sees its own ^C")
	require.NoError(t, p.Process.Signal(syscall.SIGTERM))
	assert.Equal(t, "terminated", p.line())
	assert.Equal(t, 5, p.exit())
	assert.Contains(t, p.stderr.String(), "no calls were counted")
}

func TestMeterHasTheStatusOfAShellAfterASignal(t *testing.T) {
	t.Parallel()
	p := startProcess(t, newMeterCommand(t, nil, "--", "caller", "signals"))
	var pid int
	_, err := fmt.Sscan(p.line(), &pid)
	require.NoError(t, err)
	require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
	assert.Equal(t, 128+int(syscall.SIGKILL), p.exit())
}

// Files that the command's environment names are removed even after a signal.
func TestMeterRemovesItsFiles(t *testing.T) {
	t.Parallel()
	for signal, status := range map[syscall.Signal]int{syscall.SIGTERM: 5, syscall.SIGQUIT: 2, syscall.SIGABRT: 2} {
		folder := t.TempDir()
		p := startProcess(t, newMeterCommand(t, []string{"TMPDIR=" + folder}, "--intercept", "--", "caller", "signals"))
		p.line()
		files, err := filepath.Glob(filepath.Join(folder, "mesh-meter-*", "*"))
		require.NoError(t, err)
		assert.NotEmpty(t, files)
		require.NoError(t, p.Process.Signal(signal))
		assert.Equal(t, status, p.exit(), "the command's status")
		left, err := os.ReadDir(folder)
		require.NoError(t, err)
		assert.Empty(t, left, signal)
	}
}

// A warning written to a closed pipe must not end the meter, which would leave its files
// and its command behind.
func TestMeterOutlivesAClosedPipe(t *testing.T) {
	t.Parallel()
	folder, log := t.TempDir(), t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(log, "torn.jsonl"), []byte("{\n"), 0o600)) // causes the first warning, before the command starts
	cmd := newMeterCommand(t, []string{"TMPDIR=" + folder}, "--log", log, "--budget", "5/day", "--upstream", "openai=http://127.0.0.1:1/v1", "--", "caller", "chat", "chat")
	read, write, err := os.Pipe()
	require.NoError(t, err)
	require.NoError(t, read.Close())
	cmd.Stderr = write
	out, err := cmd.Output()
	require.NoError(t, write.Close())
	assert.Equal(t, 2, strings.Count(string(out), "chat 502 "), "%v", err)
	left, err := os.ReadDir(folder)
	require.NoError(t, err)
	assert.Empty(t, left)
}
