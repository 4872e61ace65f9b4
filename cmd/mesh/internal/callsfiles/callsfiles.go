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

// ErrNoFile reports a missing file or directory.
var ErrNoFile = errors.New("no such file or directory")

// Files are a command's inputs. Stdin and pipes are copied to temporary files, since the
// command may read its inputs several times.
type Files struct {
	// Given has the command's arguments. Paths has the files to read for them: copies, for
	// stdin and pipes.
	Given, Paths []string

	copies copies
	// error's file name -> argument; for copies and missing files
	names map[string]string
}

// Open returns the files for paths; "-" is stdin. Missing files are reported when they're
// read. With untilSignal, a signal that ends the process also removes the copies: Open
// then handles signals for the whole process.
func Open(stdin io.Reader, paths []string, untilSignal bool) (*Files, error) {
	in := &Files{Given: paths, Paths: slices.Clone(paths), copies: copies{untilSignal: untilSignal}, names: make(map[string]string)}
	for i, path := range paths {
		if path == "" { // an unset variable; it would mean the current directory
			in.Close()
			return nil, errors.New("file name must not be empty")
		}
		info, err := os.Stat(filepath.Clean(path))
		switch {
		case path == "-": // copied below
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

// Reads reports whether a command that reads paths would also read file. That's true for
// any calls or session file name, even if the file doesn't exist yet. "-" is stdin.
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

// firstLines bad lines at its start mark a file as something other than a calls file.
const firstLines = 10

// Rename replaces file names in an error with the command's arguments. If none of a
// file's first lines is a call, one error replaces theirs.
func (in *Files) Rename(err error) error {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return err
	}
	var line *calls.LineError
	var path *fs.PathError
	wrong := map[string]int{} // file -> bad lines among its first
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
		case len(in.Paths) != 1: // a count of further bad lines
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

func (in *Files) name(file string) string { return cmp.Or(in.names[file], file) }

// OnCopies returns a [calls.Options] callback that warns about copied files, under their
// argument names.
func (in *Files) OnCopies(warn func(error)) func(calls.Copies) {
	return func(c calls.Copies) {
		c.File, c.Of = in.name(c.File), in.name(c.Of)
		warn(errors.New(c.String()))
	}
}

// Since returns the paths to read for calls from at on. In a directory it skips files
// whose names start with an earlier day. It keeps the day before at: a call can end a day
// after it starts, and its program keeps writing one file. Nested directories stay as
// they are.
func (in *Files) Since(at time.Time) []string {
	if at.IsZero() {
		return in.Paths
	}
	first := at.UTC().AddDate(0, 0, -1).Format(time.DateOnly)
	var paths []string
	for _, path := range in.Paths {
		entries, err := os.ReadDir(path)
		if err != nil { // a file, or unreadable
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
			default: // reading the directory reports the link
				paths = append(paths, path)
			}
		}
	}
	return paths
}

// isBefore reports whether a calls file's name starts with a day before first. For any
// other file it's true, too.
func isBefore(name, first string) bool {
	if !calls.IsFile(name) {
		return true
	}
	day := name[:min(len(name), len(time.DateOnly))]
	_, err := time.Parse(time.DateOnly, day)
	return err == nil && day < first
}

// isRegular follows links. It excludes pipes, which could block forever.
func isRegular(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular()
}

// isInside returns false for a link that leads out of the directory: package calls
// doesn't follow those.
func isInside(folder, name string, entry fs.DirEntry) bool {
	_, inside := openfile.Target(folder, name)
	return entry.Type()&fs.ModeSymlink == 0 || inside
}

// Size returns the total size, including directories, in bytes. It counts a file once per
// path that leads to it, and skips unreadable files.
func (in *Files) Size() (bytes int64) {
	for _, path := range in.Paths {
		for info := range filesOf(path) {
			bytes += info.Size()
		}
	}
	return bytes
}

// filesOf yields a file, or the calls files in a directory. It skips unreadable ones.
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
		folder := os.DirFS(path) // follows a link to a directory
		_ = fs.WalkDir(folder, ".", func(name string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !calls.IsFile(name) {
				return nil //nolint:nilerr // reading the files reports it
			}
			info, err := fs.Stat(folder, name)
			if err != nil || !info.Mode().IsRegular() || !isInside(path, filepath.Join(path, name), entry) {
				return nil //nolint:nilerr // reading the files reports it
			}
			if !yield(info) { // fs.Stat follows links
				return fs.SkipAll
			}
			return nil
		})
	}
}
