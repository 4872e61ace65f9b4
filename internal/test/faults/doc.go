// Package faults contains only tests. They run connection, proxy and server faults
// against the operations in client and discovery, and compare each result with the
// documented one:
//
//	MESH_TESTS=whole go test -count=1 -run '^Test(Matrix|Sequences)$' -v ./internal/test/faults
//
// prints the outcomes. A fault declares its documented outcome, and an operation that
// differs lists it as an exception, with the reason. Every fault runs against Send and
// ListModels, and a sample against every other operation. Unless MESH_TESTS=whole is set,
// Send and ListModels also run only the sample and a few more.
//
// To add a fault, append it to a list in faults_*_test.go. To add an operation, append it
// in operations_*_test.go: TestEveryOperationIsCovered fails for a method without an
// operation.
package faults
