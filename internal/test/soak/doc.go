// Package soak contains only tests. The long one is
//
//	go test -count=1 -run '^TestSoak$' -v ./internal/test/soak -soak 2m
//
// # TestSoak
//
// 200 nodes share a gateway that fails one request in ten, restarts three times and loses
// its database once, so that ids start over. Before that, marks hang, so many of them
// wait for the new database. Every node sends to the others, and receives and marks
// messages: in one run with Watch and MarkRead, in another with Serve, whose handler at
// first fails for one message in ten. The test then checks that
//
//   - every accepted message arrived once and is read, except for unread ones in the lost
//     database;
//   - no message was marked before it was handled, and Serve never used an id from the
//     lost database;
//   - memory, goroutines and connections didn't grow.
//
// Unless -soak is set, the runs are short and have fewer nodes, with the same checks. The
// run with Watch then needs MESH_TESTS=whole.
//
// # Other tests
//
//   - One answers questions with Answer while the gateway disappears and returns with a
//     slow link: each function runs once.
//   - One shares questions among three server processes, while servers are killed and the
//     gateway fails.
//   - One asks servers that also store answers in directories, while servers and the
//     gateway are killed in turn. With -soak, it sends 200 questions and kills each 9
//     times.
//
// # The gateway
//
// The gateway is a separate process, started from the test binary, so that its memory
// doesn't count. It derives faults from a seed, which is printed and can be set with
// -seed. It names each fault in the X-Request-Id header, so that every error can be
// compared with its cause.
package soak
