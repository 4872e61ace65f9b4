// Package soak holds the long run; it is nothing but tests.
//
//	go test -count=1 -run '^TestSoak$' -v ./internal/test/soak -soak 2m
//
// 200 nodes share one gateway that spoils one answer in ten. Every node sends to the others, watches its inbox and marks
// read what it finds there. At the end every message that was accepted has arrived once and is read, and memory,
// goroutines and connections are where they were early on. Without -soak the run is short and has fewer nodes; it checks
// the same.
//
// The gateway is a process of its own (the test binary once more), so that what it stores is not counted with what the
// clients hold. It makes up its faults from a seed, which is printed; -seed takes one.
package soak
