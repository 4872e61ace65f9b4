package calls

import (
	"bytes"
	"fmt"
	"iter"
	"time"
)

// LineError is the error of a line of a calls file, or of a file from that line on.
type LineError struct {
	File string
	Line int
	// Err contains nothing of the line.
	Err error
}

// Error returns the file, the line and the cause.
func (e *LineError) Error() string { return fmt.Sprintf("calls: %s:%d: %v", e.File, e.Line, e.Err) }

// Unwrap returns Err.
func (e *LineError) Unwrap() error { return e.Err }

// Read yields the records of calls files, and of session files as [Sessions] does. A path is a file, or a folder with files that end in
// .jsonl or .jsonl.gz, also in folders within it. Files that gzip has compressed are unpacked, whatever their names are. A file that is
// named twice, or also by a symbolic link, is read once, and so is a file with its compressed copy, which has the same name and .gz.
//
// For a line that cannot be read Read yields a [*LineError], and for a file or folder that cannot be opened its error. Reading goes
// on with the next one. The lines are written by a [Log], or by other programs: each has a model, a time and a usage object. The provider
// may be missing if [models.ProviderOf] finds it, and all else may be missing. Blank lines are skipped. A line with
// a key twice cannot be read, also with one in its labels or requests. A line has at most 1 MiB, and memory does not grow with the files.
func Read(paths ...string) iter.Seq2[Record, error] { return ReadSince(time.Time{}, paths...) }

// ReadSince is [Read] for the records since a time: a file whose name begins with a day, such as 2026-11-22-X2FQ….jsonl, is not opened
// if that day is earlier than the one before since, in UTC. Files with other names are read. Records are not selected: in a
// file that is opened, some may be earlier than since.
func ReadSince(since time.Time, paths ...string) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		recordsOf(&sharedBlocks{paths: paths, from: firstDay(since), all: true})(yield)
	}
}

// lines yields the lines that are not blank, with their numbers.
func (b *block) lines() iter.Seq2[int, []byte] {
	return func(yield func(int, []byte) bool) {
		i := 0
		for line := range bytes.Lines(b.data) {
			number := b.line + i
			if b.numbers != nil {
				number = b.numbers[i]
			}
			if len(bytes.TrimSpace(line)) > 0 && !yield(number, line) {
				return
			}
			i++
		}
	}
}
