package callsfiles

import (
	"io/fs"
	"os"
	"strings"
)

// Size returns how many bytes the files have in all, with those of folders. A file that several paths lead to counts each time, and one that
// cannot be read does not count.
func (in *Files) Size() (bytes int64) {
	for _, path := range in.Paths {
		info, err := os.Stat(path)
		switch {
		case err != nil:
		case info.IsDir():
			bytes += folderSize(os.DirFS(path))
		default:
			bytes += info.Size()
		}
	}
	return bytes
}

func folderSize(folder fs.FS) (bytes int64) {
	_ = fs.WalkDir(folder, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !isCalls(name) {
			return nil //nolint:nilerr // reading the files reports it
		}
		if info, err := fs.Stat(folder, name); err == nil && info.Mode().IsRegular() { // of a link, the file
			bytes += info.Size()
		}
		return nil
	})
	return bytes
}

// isCalls reports whether a file of a folder is a calls file.
func isCalls(name string) bool { return strings.HasSuffix(strings.TrimSuffix(name, ".gz"), ".jsonl") }
