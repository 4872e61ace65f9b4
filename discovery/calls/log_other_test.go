//go:build !unix

package calls_test

// limitFiles does nothing: only the tests for Unix limit files.
func limitFiles(string) {}
