package callsfiles

import (
	"os"
	"path/filepath"
	"time"
)

// Since returns the paths without the files of folders whose names begin with an earlier day than the one before a time: a call that
// begins on a day can end on the next, and has the file of its program. Folders within folders stay as they are.
func (in *Files) Since(at time.Time) []string {
	if at.IsZero() {
		return in.Paths
	}
	first := at.UTC().AddDate(0, 0, -1).Format(time.DateOnly)
	var paths []string
	for _, path := range in.Paths {
		entries, err := os.ReadDir(path)
		if err != nil { // a file, or one that cannot be read
			paths = append(paths, path)
			continue
		}
		for _, entry := range entries {
			if name := filepath.Join(path, entry.Name()); entry.IsDir() || (!isBefore(entry.Name(), first) && isRegular(name)) {
				paths = append(paths, name)
			}
		}
	}
	return paths
}

// isBefore reports whether a file is no calls file, or its name begins with a day before first.
func isBefore(name, first string) bool {
	if !isCalls(name) {
		return true
	}
	day := name[:min(len(name), len(time.DateOnly))]
	_, err := time.Parse(time.DateOnly, day)
	return err == nil && day < first
}

// isRegular reports whether a name is that of a file, or of a link to one. A pipe could block for ever.
func isRegular(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular()
}
