// Package callsfiles opens the calls files that a command line names.
package callsfiles

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/internal/openfile"
)

// ErrNoFile is the cause of the error of a file or folder that does not exist.
var ErrNoFile = errors.New("no such file or folder")

// Files are the files of a command. Stdin and pipes are copied, since the files may be read several times.
type Files struct {
	// Given are the paths of the command line, and Paths those to read.
	Given, Paths []string

	copies copies
	// names are those of the command line, by the names that errors have: of a copy, or of a path that does not exist.
	names map[string]string
}

// Open returns the files of these paths; "-" is stdin. A path that does not exist is an error when the files are read.
func Open(stdin io.Reader, paths []string) (*Files, error) { return open(stdin, paths, false) }

// OpenUntilSignal is Open for the process itself: a signal that ends it removes the copies first.
func OpenUntilSignal(stdin io.Reader, paths []string) (*Files, error) {
	return open(stdin, paths, true)
}

func open(stdin io.Reader, paths []string, untilSignal bool) (*Files, error) {
	in := &Files{Given: paths, Paths: slices.Clone(paths), copies: copies{untilSignal: untilSignal}, names: make(map[string]string)}
	for i, path := range paths {
		if path == "" { // as of a variable that is not set; it would be the current directory
			in.Close()
			return nil, errors.New("the name of a file or folder must not be empty")
		}
		info, err := os.Stat(filepath.Clean(path))
		switch {
		case path == "-": // is copied
		case err != nil:
			in.names[filepath.Clean(path)] = path
			continue
		case info.Mode()&os.ModeNamedPipe == 0:
			continue
		}
		if in.Paths[i], err = in.copies.add(stdin, path); err != nil {
			in.Close()
			return nil, err
		}
		in.names[in.Paths[i]] = path
	}
	return in, nil
}

// Close removes the copies.
func (in *Files) Close() { in.copies.close() }

// Reads reports whether a command that reads these paths may read a file: it is one of them or in a folder among them, or has the name of a
// calls or session file, which need not exist yet. "-" is stdin.
func Reads(stdin io.Reader, paths []string, file string) bool {
	if calls.IsFile(file) {
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

// firstLines is the number of lines at the start of a file that are enough to see that it has no calls.
const firstLines = 10

// Rename returns an error of reading the files, in which copies have the names of the command line. A file whose first lines are all no
// calls has one error.
func (in *Files) Rename(err error) error {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return err
	}
	var line *calls.LineError
	var path *fs.PathError
	wrong := map[string]int{} // of the first lines, by file
	for _, err := range joined.Unwrap() {
		if errors.As(err, &line) && line.Line <= firstLines {
			wrong[line.File]++
		}
	}
	var errs []error
	for _, err := range joined.Unwrap() {
		switch {
		case errors.As(err, &line):
			cause := line.Err
			if wrong[line.File] == firstLines {
				if line.Line > 1 {
					continue
				}
				cause = fmt.Errorf("none of the first %d lines is a call: %w", firstLines, cause)
			}
			err = &calls.LineError{File: in.name(line.File), Line: line.Line, Err: cause}
		case errors.As(err, &path):
			if errors.Is(err, fs.ErrNotExist) {
				err = fmt.Errorf("%s: %w", in.name(path.Path), ErrNoFile)
			}
		case len(in.Paths) != 1: // the number of lines behind those that have an error each
			err = errors.New(strings.TrimPrefix(err.Error(), "calls: "))
		case wrong[in.Paths[0]] == firstLines:
			continue
		default:
			err = fmt.Errorf("%s: %s", in.name(in.Paths[0]), strings.TrimPrefix(err.Error(), "calls: "))
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// name returns the name of a file on the command line.
func (in *Files) name(file string) string { return cmp.Or(in.names[file], file) }

// OnCopies returns the function for calls.Options that warns of copies. Files have the names of the command line.
func (in *Files) OnCopies(warn func(error)) func(calls.Copies) {
	return func(c calls.Copies) {
		c.File, c.Of = in.name(c.File), in.name(c.Of)
		warn(errors.New(c.String()))
	}
}

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
			name := filepath.Join(path, entry.Name())
			switch {
			case entry.IsDir():
				paths = append(paths, name)
			case isBefore(entry.Name(), first) || !isRegular(name):
			case isInside(path, name, entry):
				paths = append(paths, name)
			default: // which is an error of the folder
				paths = append(paths, path)
			}
		}
	}
	return paths
}

// isBefore reports whether a file is no calls file, or its name begins with a day before first.
func isBefore(name, first string) bool {
	if !calls.IsFile(name) {
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

// isInside reports whether an entry is no link that leaves a folder: calls does not follow these.
func isInside(folder, name string, entry fs.DirEntry) bool {
	_, inside := openfile.Target(folder, name)
	return entry.Type()&fs.ModeSymlink == 0 || inside
}

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
			if err != nil || entry.IsDir() || !calls.IsFile(name) {
				return nil //nolint:nilerr // reading the files reports it
			}
			info, err := fs.Stat(folder, name)
			if err != nil || !info.Mode().IsRegular() || !isInside(path, filepath.Join(path, name), entry) {
				return nil //nolint:nilerr // reading the files reports it
			}
			if !yield(info) { // of a link, the file
				return fs.SkipAll
			}
			return nil
		})
	}
}
