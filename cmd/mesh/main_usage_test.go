// Runs mesh usage as a process, whose stdin is a file.

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/exit"
)

// A page must not replace the file that stdin reads.
func TestUsageDoesNotReplaceItsInput(t *testing.T) {
	t.Parallel()
	const line = `{"provider":"openai","model":"gpt-4o","time":"2026-11-02T00:00:00Z","usage":{"prompt_tokens":1},"usd":"5"}` + "\n"
	name := filepath.Join(t.TempDir(), "calls.jsonl")
	require.NoError(t, os.WriteFile(name, []byte(line), 0o600))
	file, err := os.Open(name)
	require.NoError(t, err)
	defer file.Close()
	cmd := exec.CommandContext(t.Context(), "mesh", "usage", "-", "--html", name)
	var stderr strings.Builder
	cmd.Stdin, cmd.Stderr = file, &stderr
	require.Error(t, cmd.Run())
	assert.Equal(t, exit.Usage, cmd.ProcessState.ExitCode())
	assert.Contains(t, stderr.String(), "would replace an input file")
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	assert.Equal(t, line, string(text))
}
