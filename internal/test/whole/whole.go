// Package whole reports whether tests run every case.
package whole

import "os"

// Tests reports whether tests with many cases run all of them, as .ci/run does: with MESH_TESTS=whole. Otherwise they run a part that
// is the same each time.
func Tests() bool { return os.Getenv("MESH_TESTS") == "whole" }
