// Package soak contains only tests. The long one is
//
//	go test -count=1 -run '^TestSoak$' -v ./internal/test/soak -soak 2m
//
// 200 nodes share one gateway that fails one request in ten. Every node sends to the others, watches its inbox and marks the
// messages as read. At the end every accepted message must have arrived once and be read, and memory, goroutines and
// connections must not have grown. Without -soak the run is short and has fewer nodes, with the same checks.
//
// The gateway runs in a process of its own, started from the test binary, so that its memory does not count. It derives the
// faults from a seed, which is printed; -seed sets it.
package soak
