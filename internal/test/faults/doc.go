// Package faults has no code of its own. Its test plays every fault that a network, a proxy or a server can come up with to
// every operation of the two facades, and holds each result against what is documented for it:
//
//	go test -count=1 -run '^TestMatrix$' -v ./internal/test/faults
//
// prints the table, with a short code in each cell. An expectation is declared with its fault, never taken from what the
// code does; an operation that may do otherwise says so in its exceptions, with the reason.
//
// To add a fault, append it to one of the lists in faults_*_test.go. To add an operation, append it in operations_*_test.go;
// a method with a context that is not there fails TestNoOperationIsForgotten.
package faults
