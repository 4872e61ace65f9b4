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
