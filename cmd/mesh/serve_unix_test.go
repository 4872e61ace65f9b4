//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Three serves of a node run the command once for each question. One that is killed leaves its question to another.
func TestServesShareTheirMessages(t *testing.T) {
	t.Parallel()
	const questions = 12
	g := newGatewayForTest(t)
	for range questions {
		g.Store("node-b", "node-a", "question", "Is it green?")
	}
	log := filepath.Join(t.TempDir(), "runs")
	serve := func(script string) *process {
		return startProcess(t, command(t, g, "serve", "--share", "2s", "--interval", "100ms", "--", "sh", "-c", script))
	}
	killed := serve("cat > /dev/null; echo started >&2; sleep 3")
	killed.await("started")
	require.NoError(t, killed.Process.Kill())
	for range 2 {
		serve("cat > /dev/null; echo $MESH_MESSAGE_ID >> " + log + "; echo Yes")
	}
	require.Eventually(t, func() bool { return len(unread(t, g)) == 0 }, time.Minute, 20*time.Millisecond)
	text, err := os.ReadFile(log)
	require.NoError(t, err)
	assert.Len(t, strings.Fields(string(text)), questions, "runs")
	startProcess(t, command(t, g, "serve", "--share", "-1s", "--", "sh")).await(`--share "-1s" must be 0 or at least 1ms`)
}
