package callsfiles

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/mesh-gateway/mesh-go/discovery/calls"
)

// firstLines is the number of lines at the start of a file that are enough to see that it has no calls.
const firstLines = 10

// Rename returns an error of reading the files, in which copies have the names of the command line. A file whose first lines are all no
// calls has one error.
func (in *Files) Rename(err error) error {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return err
	}
	wrong := map[string]int{} // of the first lines, by file
	var line *calls.LineError
	for _, err := range joined.Unwrap() {
		if errors.As(err, &line) && line.Line <= firstLines {
			wrong[line.File]++
		}
	}
	var errs []error
	for _, err := range joined.Unwrap() {
		if isCount(err) && len(in.Paths) == 1 && wrong[in.Paths[0]] == firstLines {
			continue
		}
		if errors.As(err, &line) && wrong[line.File] == firstLines {
			if line.Line > 1 {
				continue
			}
			err = &calls.LineError{File: line.File, Line: line.Line, Err: fmt.Errorf("none of the first %d lines is a call: %w", firstLines, line.Err)}
		}
		errs = append(errs, in.renamed(err))
	}
	return errors.Join(errs...)
}

// renamed returns the error of a line, of a file, or of the lines that are only counted.
func (in *Files) renamed(err error) error {
	var line *calls.LineError
	var path *fs.PathError
	switch {
	case errors.As(err, &line):
		return &calls.LineError{File: cmp.Or(in.names[line.File], line.File), Line: line.Line, Err: line.Err}
	case errors.As(err, &path) && errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s: %w", cmp.Or(in.names[path.Path], path.Path), ErrNoFile)
	case !isCount(err):
		return err
	}
	count := strings.TrimPrefix(err.Error(), "calls: ")
	if len(in.Paths) == 1 {
		count = cmp.Or(in.names[in.Paths[0]], in.Paths[0]) + ": " + count
	}
	return errors.New(count)
}

// isCount reports whether an error has the number of the lines behind those that have an error each: it is about no line and no file.
func isCount(err error) bool {
	var line *calls.LineError
	var path *fs.PathError
	return !errors.As(err, &line) && !errors.As(err, &path)
}

// OnCopies returns the function for calls.SumOptions that warns of copies. Files have the names of the command line.
func (in *Files) OnCopies(warn func(error)) func(calls.Copies) {
	return func(c calls.Copies) {
		c.File, c.Of = cmp.Or(in.names[c.File], c.File), cmp.Or(in.names[c.Of], c.Of)
		warn(errors.New(c.String()))
	}
}
