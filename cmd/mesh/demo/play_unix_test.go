//go:build unix

package demo_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Runs the demo's program with a fake curl that behaves like the real one with
// --fail-with-body.
func TestARefusedCallIsNoAnswer(t *testing.T) {
	t.Parallel()
	_, dir := run(t)
	for curl, want := range map[string]string{
		`echo '{"choices":[{"message":{"content":"Yes."}}]}'`:         "Yes.\n",
		`echo '{"error":{"code":"budget_exceeded"}}'; exit 22`:        "",
		`echo "curl: (7) Failed to connect to 127.0.0.1" >&2; exit 7`: "",
	} {
		bin := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(bin, "curl"), []byte("#!/bin/sh\ncase \" $* \" in *' --fail-with-body '*) ;; *) exit 99;; esac\n"+curl+"\n"), 0o700))
		cmd := exec.CommandContext(t.Context(), "sh", filepath.Join(dir, "agent.sh"))
		cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "OPENAI_BASE_URL=http://127.0.0.1:1", "OPENAI_API_KEY=example-key")
		out, err := cmd.Output()
		assert.Equal(t, want, string(out))
		assert.Equal(t, want == "", err != nil, "the program fails, so that mesh serve runs it again")
	}
}
