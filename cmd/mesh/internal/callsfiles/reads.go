package callsfiles

import (
	"io"
	"os"
)

// Reads reports whether a command that reads these paths may read a file: it is one of them or in a folder among them, or has the name of a
// calls file, which need not exist yet. "-" is stdin.
func Reads(stdin io.Reader, paths []string, file string) bool {
	if isCalls(file) {
		return true
	}
	info, err := os.Stat(file)
	if err != nil {
		return false
	}
	for _, path := range paths {
		if input, ok := stdin.(*os.File); ok && path == "-" {
			read, err := input.Stat()
			if err == nil && os.SameFile(read, info) {
				return true
			}
			continue
		}
		for read := range filesOf(path) {
			if os.SameFile(read, info) {
				return true
			}
		}
	}
	return false
}
