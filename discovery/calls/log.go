package calls

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

// Log writes records to calls files. Create one with [OpenLog]; the error of any other, such as the zero Log, is a [*ValueError]. Pass
// its Record to [github.com/mesh-gateway/mesh-go/discovery/meter.WithRecorder].
type Log struct {
	dir  string
	mu   sync.Mutex
	days map[string]*dayFile    // by UTC day
	own  map[string]os.FileInfo // all files that were begun, by name
	lost int                    // records that were not written
	err  error                  // of the first of them
}

// maxDays is the number of files that a Log has open: one for today, one for calls of yesterday that end today, and one to spare
// for a clock that is set.
const maxDays = 3

// OpenLog returns a Log that writes to a folder, which is made if it does not exist. It begins a new file for each UTC day of its
// records, with a random name such as 2026-11-22-X2FQ….jsonl and mode 0600, and never changes a file that exists, so any number of
// processes can write to one folder. Each record is one write: a process that is killed loses no record that was written, and
// leaves at most a part of one at the end of a file. After a file was removed or renamed, the next record begins a new
// file. A record is lost, as [Log.Err] reports, if the folder does not exist.
func OpenLog(dir string) (*Log, error) {
	dir, err := filepath.Abs(dir) // the program may change its directory
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	return &Log{dir: dir, days: map[string]*dayFile{}, own: map[string]os.FileInfo{}}, nil
}

// ready rejects a Log that OpenLog did not return.
func (l *Log) ready() error {
	if l == nil || l.days == nil {
		return invalid("Log", "", "must be made with calls.OpenLog")
	}
	return nil
}

// Record writes a record, as [Record.Redacted] returns it. It is a recorder of
// [github.com/mesh-gateway/mesh-go/discovery/meter.WithRecorder]: an error, such as a full disk, is an error of the Log and not of the call.
// The first one is logged to [slog.Default]; [Log.Err] returns it.
func (l *Log) Record(r Record) {
	if err := l.ready(); err != nil {
		slog.Error("calls: a record was not written to the calls file", "error", err)
		return
	}
	line, err := shortLine(r.Redacted())
	l.mu.Lock()
	defer l.mu.Unlock()
	if err == nil {
		err = l.write(r.Time.UTC().Format(time.DateOnly), append(line, '\n'))
	}
	if err == nil {
		return
	}
	if l.lost++; l.err == nil {
		l.err = err
		slog.Error("calls: a record was not written to the calls file", "folder", l.dir, "error", err)
	}
}

// shortLine returns the line of a record, which no reader would get if it had more than 1 MiB: without the usage, and if it is still longer
// also without labels and uses of tools.
func shortLine(r Record) (line []byte, err error) {
	for _, shorten := range [...]func(){func() {}, func() { r.Usage = nil }, func() { r.Labels, r.Requests = nil, nil }} {
		shorten()
		if line, err = json.Marshal(r); err != nil || len(line) <= maxLine {
			return line, err
		}
	}
	return nil, errLongLine
}

// Err returns nil if all records were written. Otherwise the error states how many were not, and wraps the error of the first of them.
func (l *Log) Err() error {
	if err := l.ready(); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.failure()
}

func (l *Log) failure() error {
	if l.err == nil {
		return nil
	}
	return fmt.Errorf("calls: records not written to the calls file: %d: %w", l.lost, l.err)
}

// Close closes the files. A later record begins a new file. The error joins [Log.Err] and the errors of closing.
func (l *Log) Close() error {
	if err := l.ready(); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	err := l.failure()
	for day := range l.days {
		err = errors.Join(err, l.end(day))
	}
	return err
}

// write writes a line to the file of its day. After a part of a line a new file begins, which gets the whole line, as it does when
// nothing was written to a file with lines, which may have reached the largest size. A new file is kept even if nothing can be
// written to it: on a full disk each record would begin another one.
func (l *Log) write(day string, line []byte) (err error) {
	for range 2 {
		file, openErr := l.file(day)
		if openErr != nil {
			return errors.Join(err, openErr)
		}
		var n int
		if n, err = file.Write(line); err == nil {
			file.used = true
			return nil
		}
		if n == 0 && !file.used {
			return err
		}
		_ = l.end(day)
		if n == len(line)-1 { // only the line break is missing: the record can be read, and must not be there twice
			return nil
		}
	}
	return err
}

// dayFile is the file of a day. used reports whether a line was written to it.
type dayFile struct {
	*os.File
	used bool
}

// file returns the file of a day. It begins a new file after the last one was removed or renamed: nothing could read more records there.
func (l *Log) file(day string) (*dayFile, error) {
	if file := l.days[day]; file != nil {
		if _, err := os.Lstat(file.Name()); !errors.Is(err, fs.ErrNotExist) {
			return file, nil
		}
		_ = l.end(day)
	}
	if len(l.days) >= maxDays {
		_ = l.end(slices.Min(slices.Collect(maps.Keys(l.days))))
	}
	name := filepath.Join(l.dir, day+"-"+rand.Text()+".jsonl")
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o600) //nolint:gosec // a new file in the folder that the user named
	if err != nil {
		return nil, err
	}
	l.own[name], _ = file.Stat()
	l.days[day] = &dayFile{File: file}
	return l.days[day], nil
}

// end closes the file of a day.
func (l *Log) end(day string) error {
	file := l.days[day]
	delete(l.days, day)
	return file.Close()
}
