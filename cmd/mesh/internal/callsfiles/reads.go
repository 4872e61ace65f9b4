package callsfiles

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
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
		read, err := os.Stat(path)
		if input, ok := stdin.(*os.File); ok && path == "-" {
			read, err = input.Stat()
		}
		switch {
		case err != nil: // there is no such file
		case os.SameFile(read, info), read.IsDir() && hasFile(path, info):
			return true
		}
	}
	return false
}

// hasFile reports whether a calls file of a folder is a file under another name.
func hasFile(folder string, file os.FileInfo) (found bool) {
	_ = filepath.WalkDir(folder, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !isCalls(name) {
			return nil //nolint:nilerr // reading the files reports it
		}
		if info, err := os.Stat(name); err == nil && os.SameFile(info, file) {
			found = true
			return filepath.SkipAll
		}
		return nil
	})
	return found
}
