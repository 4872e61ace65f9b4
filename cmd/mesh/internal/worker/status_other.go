//go:build !unix

package worker

import "os"

// Status returns the exit status of a command.
func Status(state *os.ProcessState) int { return state.ExitCode() }
