package worker

import (
	"os/exec"
	"runtime"
	"syscall"
)

// endWithParent sends the command SIGTERM when mesh is killed: unlike SIGKILL, timeout(1)
// passes it on. The kernel also sends it when the starting thread ends, so the goroutine
// keeps its thread until release.
func endWithParent(cmd *exec.Cmd) (release func()) {
	runtime.LockOSThread()
	cmd.SysProcAttr.Pdeathsig = syscall.SIGTERM
	return runtime.UnlockOSThread
}
