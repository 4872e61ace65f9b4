//go:build unix

package main

import (
	"net/http"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/exit"
)

// TestServeKeepsAnAnswerOfAnOutage interrupts serve while its answer cannot be delivered.
func TestServeKeepsAnAnswerOfAnOutage(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		spool bool
		want  string
	}{
		"without a folder": {false, "1 finished answers not delivered; the next start runs the command again for their questions; --spool keeps answers"},
		"with a folder":    {true, "delivers kept answers, and runs the command again for other questions"},
	} {
		g := newGatewayForTest(t)
		g.Store("node-b", "node-a", "question", "one")
		g.Fail(gatewaytest.SendMessage, gatewaytest.Fault{Status: http.StatusBadGateway, Times: -1})
		args := []string{"serve", "--", "handler", "answer"}
		if c.spool {
			args = append([]string{"serve", "--spool", t.TempDir()}, args[1:]...)
		}
		p := startProcess(t, command(t, g, args...))
		p.await("message 1 from node-b: answer not delivered: ")
		require.NoError(t, p.Process.Signal(os.Interrupt))
		p.await("message 1 from node-b: the answer is ")
		p.await(c.want)
		var ended *exec.ExitError
		require.ErrorAs(t, p.Wait(), &ended, name)
		assert.Equal(t, exit.Failed, ended.ExitCode(), name)
		if !c.spool {
			continue
		}
		g.Heal()
		p = startProcess(t, command(t, g, args...))
		p.await("mesh: message 1 from node-b: answered with message 2\n")
		assert.NotContains(t, p.stderr.String(), "handler: 1")
	}
}
