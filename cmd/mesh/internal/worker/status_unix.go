//go:build unix

package worker

import (
	"os"
	"syscall"
)

// Status returns the exit status that a shell has for a command, also if a signal ended it.
func Status(state *os.ProcessState) int {
	const bySignal = 128
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return bySignal + int(status.Signal())
	}
	return state.ExitCode()
}
