//go:build unix

package worker

import (
	"os"
	"os/exec"
	"syscall"
)

// separate gives a command its own process group, so that Cancel also kills its children.
func separate(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}

// Status returns the exit status that a shell would report, even after a signal.
func Status(state *os.ProcessState) int {
	const bySignal = 128
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return bySignal + int(status.Signal())
	}
	return state.ExitCode()
}
