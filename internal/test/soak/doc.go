// Package soak contains only tests. The long one is
//
//	go test -count=1 -run '^TestSoak$' -v ./internal/test/soak -soak 2m
//
// 200 nodes share one gateway that fails one request in ten, restarts three times and loses its database once, so that ids begin anew.
// Before that, marks hang, so that many of them wait for the new database. Every node sends to the others, receives and marks the
// messages as read: in one run with Watch and MarkRead, in another with Serve, whose handler fails at first for one message in ten. At
// the end every accepted message must have arrived once and be read, apart from those that were unread in the lost database; no message
// may have been marked before it was handled, by Serve not even with an id of the lost database; and memory, goroutines and connections
// must not have grown. Without -soak the runs are short and have fewer nodes, with the same checks, and the run with Watch needs
// MESH_TESTS=whole.
//
// Another test answers questions with Answer while the gateway goes away and comes back with a slow link: each function runs once.
//
// A third test shares questions among three servers in processes of their own, over kills of the servers and outages of the gateway.
//
// A fourth one asks servers that also keep answers in folders, while servers and the gateway are killed in turn. With -soak it has 200
// questions and 9 kills of each.
//
// The gateway runs in a process of its own, started from the test binary, so that its memory does not count. It derives the
// faults from a seed, which is printed; -seed sets it. It names each fault in the X-Request-Id header, so that every error is
// compared with what the gateway did.
package soak
