package worker

import (
	"os/exec"
	"runtime"
	"syscall"
)

// endWithParent makes a command end when this process is killed. timeout(1), unlike SIGKILL, passes SIGTERM on to its own command. The
// kernel also sends it when the thread that started the command ends, so the goroutine keeps its thread until release.
func endWithParent(cmd *exec.Cmd) (release func()) {
	runtime.LockOSThread()
	cmd.SysProcAttr.Pdeathsig = syscall.SIGTERM
	return runtime.UnlockOSThread
}
