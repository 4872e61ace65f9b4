// Package files replaces files as a whole: a reader never sees a part of the new content, and a failure leaves the old one.
package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Replacement is a new content for a file: a temporary file beside it, readable by its owner only, which takes its name when it
// is complete. A nil one is of no file.
type Replacement struct {
	temporary *os.File
	name      string
}

// Replace returns a replacement for the file of that name, which may not exist yet. If the name is a symbolic link, the file that it
// leads to is replaced.
func Replace(name string) (*Replacement, error) {
	switch info, err := os.Stat(name); {
	case err == nil && !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a regular file", name) // a folder, a device or a pipe
	case err == nil:
		if name, err = filepath.EvalSymlinks(name); err != nil {
			return nil, err
		}
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	temporary, err := os.CreateTemp(filepath.Dir(name), ".mesh-*")
	var failed *fs.PathError
	if errors.As(err, &failed) {
		return nil, &fs.PathError{Op: "create", Path: name, Err: failed.Err}
	}
	if err != nil {
		return nil, err
	}
	return &Replacement{temporary, name}, nil
}

// Commit writes the content and gives it the name of the file.
func (r *Replacement) Commit(content []byte) error {
	if r == nil {
		return nil
	}
	_, err := r.temporary.Write(content)
	if err := errors.Join(err, r.temporary.Sync(), r.temporary.Close()); err != nil {
		return err
	}
	return os.Rename(r.temporary.Name(), r.name)
}

// Discard removes the temporary file unless it was committed.
func (r *Replacement) Discard() {
	if r != nil {
		_ = r.temporary.Close()
		_ = os.Remove(r.temporary.Name())
	}
}

// WriteAll replaces a file by the content. Its folder is made if it does not exist.
func WriteAll(name string, content []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return err
	}
	file, err := Replace(name)
	if err != nil {
		return err
	}
	defer file.Discard()
	return file.Commit(content)
}
