//go:build !race

package whole

// Race reports whether the race detector is on.
const Race = false
