//go:build race

package whole

// Race reports whether the race detector is on. It finds no more in a thousand cases of
// a computation than in a few, so such tests then run only some.
const Race = true
