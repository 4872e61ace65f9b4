package callsfiles

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Reads reports whether a command that reads these paths reads a file: it is one of them, or a calls file in a folder among them. "-" is stdin.
// The file need not exist yet.
func Reads(stdin io.Reader, paths []string, file string) bool {
	info, _ := os.Stat(file) // nil if it does not exist
	for _, path := range paths {
		read, err := os.Stat(path)
		if input, ok := stdin.(*os.File); ok && path == "-" {
			read, err = input.Stat()
		}
		switch {
		case err != nil: // there is no such file
		case os.SameFile(read, info), read.IsDir() && (isCalls(file) && isBelow(read, file) || info != nil && hasFile(path, info)):
			return true
		}
	}
	return false
}

// isBelow reports whether a file would be in a folder, or in a folder of it.
func isBelow(folder os.FileInfo, file string) bool {
	dir, err := filepath.EvalSymlinks(filepath.Dir(file))
	if err != nil {
		return false
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return false
	}
	for {
		info, err := os.Stat(dir)
		if err == nil && os.SameFile(info, folder) {
			return true
		}
		above := filepath.Dir(dir)
		if above == dir {
			return false
		}
		dir = above
	}
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
