// Package callsfiles opens the calls files that a command line names.
package callsfiles

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
)

// ErrNoFile is the cause of the error of a file or folder that does not exist.
var ErrNoFile = errors.New("no such file or folder")

// Files are the files of a command. Stdin and pipes are copied, since the files may be read several times.
type Files struct {
	// Given are the paths of the command line, and Paths those to read.
	Given, Paths []string

	copies []string
	// names are those of the command line, by the names that errors have: of a copy, or of a path that does not exist.
	names map[string]string
}

// Open returns the files of these paths; "-" is stdin. A path that does not exist is an error when the files are read.
func Open(stdin io.Reader, paths []string) (*Files, error) {
	in := &Files{Given: paths, Paths: slices.Clone(paths), names: make(map[string]string)}
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
		if in.Paths[i], err = copyOf(stdin, path); err != nil {
			in.Close()
			return nil, err
		}
		in.copies, in.names[in.Paths[i]] = append(in.copies, in.Paths[i]), path
	}
	return in, nil
}

// copyOf copies stdin or a pipe to a file, and returns its name.
func copyOf(stdin io.Reader, path string) (string, error) {
	if path != "-" {
		pipe, err := os.Open(path) //nolint:gosec // the user names the pipe
		if err != nil {
			return "", err
		}
		defer func() { _ = pipe.Close() }()
		stdin = pipe
	}
	file, err := os.CreateTemp("", "mesh-calls-*.jsonl")
	if err != nil {
		return "", err
	}
	_, err = io.Copy(file, stdin)
	if err = errors.Join(err, file.Close()); err != nil {
		_ = os.Remove(file.Name())
	}
	return file.Name(), err
}

// Close removes the copies.
func (in *Files) Close() {
	for _, name := range in.copies {
		_ = os.Remove(name)
	}
}
