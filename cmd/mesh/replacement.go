package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// replacement is a new content for a file: a temporary file beside it, readable by its owner only, which takes its name when it
// is complete. A reader never sees a part of it, and a failure leaves the old content.
type replacement struct {
	temporary *os.File
	name      string
}

// newReplacement returns a replacement for the file of that name, which may not exist yet. If the name is a symbolic link, the
// file that it leads to is replaced.
func newReplacement(name string) (*replacement, error) {
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
	return &replacement{temporary, name}, nil
}

// commit writes the content and gives it the name of the file.
func (r *replacement) commit(content []byte) error {
	if _, err := r.temporary.Write(content); err != nil {
		return err
	}
	if err := r.temporary.Sync(); err != nil {
		return err
	}
	if err := r.temporary.Close(); err != nil {
		return err
	}
	return os.Rename(r.temporary.Name(), r.name)
}

// discard removes the temporary file unless it was committed.
func (r *replacement) discard() {
	_ = r.temporary.Close()
	_ = os.Remove(r.temporary.Name())
}

// replaceFile replaces a file as a whole, since another run may read it. Its folder is made if it does not exist.
func replaceFile(name string, content []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return err
	}
	file, err := newReplacement(name)
	if err != nil {
		return err
	}
	defer file.discard()
	return file.commit(content)
}
