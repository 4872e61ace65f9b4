// Package files replaces whole files: readers never see partial content, and a failure
// keeps the old file.
package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Replacement writes a temporary file, readable only by its owner, and renames it when
// it's complete. A nil Replacement does nothing.
type Replacement struct {
	temporary *os.File
	name      string
}

// Replace starts replacing a file, which need not exist. For a symbolic link, it replaces
// the target.
func Replace(name string) (*Replacement, error) {
	switch info, err := os.Stat(name); {
	case err == nil && !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a regular file", name) // such as a device or a pipe
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

// Commit writes the content and renames the temporary file.
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

// Discard removes the temporary file; after Commit it does nothing.
func (r *Replacement) Discard() {
	if r != nil {
		_ = r.temporary.Close()
		_ = os.Remove(r.temporary.Name())
	}
}

// WriteAll replaces a file. It creates the directory if necessary.
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
