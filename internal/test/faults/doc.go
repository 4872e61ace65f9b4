// Package faults contains only tests. They run the faults of a connection, a proxy or a server against the operations of the two
// facades, and compare each result with the documented one:
//
//	MESH_TESTS=whole go test -count=1 -run '^Test(Matrix|Sequences)$' -v ./internal/test/faults
//
// prints the outcomes. A fault declares its documented outcome; an operation that differs lists it as an exception, with the
// reason. Every fault runs against Send and ListModels, a sample of them against every other operation.
// Without MESH_TESTS=whole, Send and ListModels have the sample and some others.
//
// To add a fault, append it to a list in faults_*_test.go. To add an operation, append it in operations_*_test.go;
// TestEveryOperationIsCovered fails for a method without one.
package faults
