package callsfiles

import (
	"io/fs"
	"iter"
	"os"
	"strings"
)

// Size returns how many bytes the files have in all, with those of folders. A file that several paths lead to counts each time, and one that
// cannot be read does not count.
func (in *Files) Size() (bytes int64) {
	for _, path := range in.Paths {
		for info := range filesOf(path) {
			bytes += info.Size()
		}
	}
	return bytes
}

// filesOf yields the file of a path, or the calls files of a folder, without those that cannot be read.
func filesOf(path string) iter.Seq[fs.FileInfo] {
	return func(yield func(fs.FileInfo) bool) {
		info, err := os.Stat(path)
		if err != nil {
			return
		}
		if !info.IsDir() {
			yield(info)
			return
		}
		folder := os.DirFS(path) // which follows a link to a folder
		_ = fs.WalkDir(folder, ".", func(name string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !isCalls(name) {
				return nil //nolint:nilerr // reading the files reports it
			}
			if info, err := fs.Stat(folder, name); err == nil && info.Mode().IsRegular() && !yield(info) { // of a link, the file
				return fs.SkipAll
			}
			return nil
		})
	}
}

// isCalls reports whether a file of a folder is a calls file.
func isCalls(name string) bool { return strings.HasSuffix(strings.TrimSuffix(name, ".gz"), ".jsonl") }
