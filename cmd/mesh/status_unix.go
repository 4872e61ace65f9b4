//go:build unix

package main

import (
	"os"
	"syscall"
)

// signalStatus returns the exit status that a shell has for a command that a signal ended.
func signalStatus(state *os.ProcessState) int {
	const bySignal = 128
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return bySignal + int(status.Signal())
	}
	return exitFailed
}
