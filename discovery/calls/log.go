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

// Log writes records to calls files. Create one with [OpenLog]; any other, such as the
// zero Log, returns a [*ValueError]. Pass its Record to
// [github.com/mesh-gateway/mesh-go/discovery/meter.WithRecorder].
type Log struct {
	dir  string
	mu   sync.Mutex
	days map[string]*dayFile    // by UTC day
	own  map[string]os.FileInfo // name -> file
	lost int                    // records
	err  error                  // the first one
}

// One for today, one for calls that began yesterday, and one to spare for a clock that is
// set.
const maxDays = 3

// OpenLog returns a Log that writes to a directory, which is created if necessary. Each
// UTC day has a new file with mode 0600 and a random name, such as
// 2026-11-22-X2FQ….jsonl. Existing files never change, so several processes can write to
// one directory.
//
// A record is one write: if the process is killed, no written record is lost, and a file
// may end with a part of one. If a file is removed or renamed, the next record begins
// another one. If the directory is removed, records are lost, as [Log.Err] reports.
func OpenLog(dir string) (*Log, error) {
	dir, err := filepath.Abs(dir) // the working directory may change
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	return &Log{dir: dir, days: map[string]*dayFile{}, own: map[string]os.FileInfo{}}, nil
}

func (l *Log) ready() error {
	if l == nil || l.days == nil {
		return invalid("Log", "", "must be made with calls.OpenLog")
	}
	return nil
}

// Record writes r as [Record.Redacted] returns it. Use it as a recorder for
// [github.com/mesh-gateway/mesh-go/discovery/meter.WithRecorder]. Errors, such as a full
// disk, don't fail the call: the first one is logged to [slog.Default], and [Log.Err]
// returns it.
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
		slog.Error("calls: a record was not written to the calls file", "directory", l.dir, "error", err)
	}
}

// shortLine drops the usage, then labels and tool uses: no reader accepts more than 1
// MiB.
func shortLine(r Record) (line []byte, err error) {
	for _, shorten := range [...]func(){func() {}, func() { r.Usage = nil }, func() { r.Labels, r.ToolUses = nil, nil }} {
		shorten()
		if line, err = json.Marshal(r); err != nil || len(line) <= maxLine {
			return line, err
		}
	}
	return nil, errLongLine
}

// Err returns nil if all records were written. Otherwise it counts the others, and wraps
// the first error.
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

// Close closes the files. A later record begins a new one. The error joins [Log.Err] and
// closing errors.
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

// After a partial write a new file gets the whole line; so it does if nothing was written
// to a file with lines, which may be full. A new file is kept even if it stays empty: on
// a full disk each record would begin another one.
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
		if n == len(line)-1 { // only the line break is missing: a second copy would count twice
			return nil
		}
	}
	return err
}

type dayFile struct {
	*os.File
	used bool
}

// A file that was removed or renamed is replaced: no reader would find more records
// there.
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
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o600) //nolint:gosec // a new file
	if err != nil {
		return nil, err
	}
	l.own[name], _ = file.Stat()
	l.days[day] = &dayFile{File: file}
	return l.days[day], nil
}

func (l *Log) end(day string) error {
	file := l.days[day]
	delete(l.days, day)
	return file.Close()
}
