//go:build !unix

package worker

import (
	"os"
	"os/exec"
)

func separate(*exec.Cmd) {} // process groups exist only on Unix

// Status returns the exit status.
func Status(state *os.ProcessState) int { return state.ExitCode() }
