//go:build unix

package worker

import (
	"os/exec"
	"syscall"
)

// separate puts a command and the programs that it starts into a process group of their own, which is killed as a whole.
func separate(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
