//go:build !unix

package main

import "os/exec"

// separate does nothing: process groups are a matter of Unix.
func separate(*exec.Cmd) {}
