//go:build !unix

package caller

func printSignals() int { return 0 }
