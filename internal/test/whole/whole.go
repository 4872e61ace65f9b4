// Package whole reports whether tests run every case.
package whole

import "os"

// Tests reports whether tests run all cases (MESH_TESTS=whole), as .ci/run does.
// Otherwise they run a fixed sample.
func Tests() bool { return os.Getenv("MESH_TESTS") == "whole" }
