//go:build unix

package worker

import (
	"os"
	"syscall"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/exit"
)

// SignalStatus returns the exit status that a shell has for a command that a signal ended.
func SignalStatus(state *os.ProcessState) int {
	const bySignal = 128
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return bySignal + int(status.Signal())
	}
	return exit.Failed
}
