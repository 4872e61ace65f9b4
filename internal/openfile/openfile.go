// Package openfile safely opens files that somebody else may have made, as in a
// checked-out repository. Such files may be links, pipes or devices, or huge.
package openfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// ErrNotRegular is the cause if a file is a pipe, a device or a directory.
var ErrNotRegular = errors.New("not a regular file")

// ErrOutside is the cause if a link in a directory leads outside it.
var ErrOutside = errors.New("the link leaves the directory; name its file to read it, too")

// ErrEmptyPipe is the cause if a pipe has no writer.
var ErrEmptyPipe = errors.New("the pipe has no writer")

// SizeError is the cause if a file has more than Max bytes.
type SizeError struct{ Max int64 }

func (e *SizeError) Error() string {
	if e.Max%(1<<20) == 0 {
		return fmt.Sprintf("more than %d MiB", e.Max>>20)
	}
	return fmt.Sprintf("more than %d bytes", e.Max)
}

// withoutWaiting opens a pipe without waiting for a writer.
const withoutWaiting = os.O_RDONLY | syscall.O_NONBLOCK

// Below opens a regular file below root. A link may not leave root.
func Below(root *os.Root, name string) (*os.File, error) {
	file, err := root.OpenFile(name, withoutWaiting, 0)
	return regular(file, err)
}

// Target resolves a link below dir to a name for [BelowDir], and reports whether it stays
// there.
func Target(dir, link string) (name string, inside bool) {
	target, err := filepath.EvalSymlinks(link)
	if err != nil {
		return "", false
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return "", false
	}
	if filepath.IsAbs(target) != filepath.IsAbs(dir) {
		if target, err = filepath.Abs(target); err == nil {
			dir, err = filepath.Abs(dir)
		}
	}
	if err == nil {
		name, err = filepath.Rel(dir, target)
	}
	return name, err == nil && filepath.IsLocal(name)
}

// BelowDir is [Below] with a directory name instead of an [os.Root]. The directory itself
// may be a link.
func BelowDir(dir, name string) (*os.File, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return Below(root, name)
}

// Regular opens a regular file and follows links. Use it for trusted names, from the user
// or the home directory.
func Regular(name string) (*os.File, error) {
	file, err := os.OpenFile(name, withoutWaiting, 0) //nolint:gosec // see above
	return regular(file, err)
}

func regular(file *os.File, err error) (*os.File, error) {
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: file.Name(), Err: ErrNotRegular}
	}
	if err != nil {
		_ = file.Close()
		return nil, err
	}
	return file, nil
}

// Read returns a regular file's content. A file longer than limit bytes is a
// [*SizeError].
func Read(name string, limit int64) ([]byte, error) {
	file, err := Regular(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return Content(file, limit)
}

// ReadTyped is Read for a name that the user typed, which may also be a pipe, as in <(git
// show main:baseline).
func ReadTyped(name string, limit int64) ([]byte, error) {
	file, err := os.OpenFile(name, withoutWaiting, 0) //nolint:gosec // the user typed it
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := Content(file, limit)
	if info, failed := file.Stat(); err == nil && len(text) == 0 && failed == nil && info.Mode()&fs.ModeNamedPipe != 0 {
		err = &fs.PathError{Op: "read", Path: name, Err: ErrEmptyPipe}
	}
	return text, err
}

// Content returns the rest of file, at most limit bytes.
func Content(file *os.File, limit int64) ([]byte, error) {
	info, err := file.Stat()
	if err == nil && info.Size() > limit {
		return nil, tooLong(file, limit)
	}
	text, err := io.ReadAll(io.LimitReader(file, limit+1))
	if err == nil && int64(len(text)) > limit { // it grew, or states no size
		return nil, tooLong(file, limit)
	}
	return text, err
}

func tooLong(file *os.File, limit int64) error {
	return &fs.PathError{Op: "read", Path: file.Name(), Err: &SizeError{limit}}
}
