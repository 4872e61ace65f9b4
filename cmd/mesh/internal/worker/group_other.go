//go:build !unix

package worker

import "os/exec"

// separate does nothing: process groups are a matter of Unix.
func separate(*exec.Cmd) {}
