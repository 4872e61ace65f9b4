// Package whole reports whether tests run every case.
package whole

import "os"

// Tests reports whether tests run all cases (MESH_TESTS=whole), as .ci/run does.
// Otherwise they run a fixed sample.
func Tests() bool { return os.Getenv("MESH_TESTS") == "whole" }

// Cases returns n or, under the race detector, raced: a thousand cases of a computation
// have no more races than a few.
func Cases(n, raced int) int {
	if race {
		return raced
	}
	return n
}
