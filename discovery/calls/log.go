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

// maxDays limits open files: today's, yesterday's for calls that began then, and a spare
// one in case the clock is set.
const maxDays = 3

// OpenLog returns a Log that writes to a directory, which is created if necessary. Each
// UTC day has a new file with mode 0600 and a random name, such as
// 2026-11-22-X2FQ….jsonl. Existing files never change, so several processes can write to
// one directory.
//
// Each record is one write. If the process is killed, it loses no written record, but the
// file may end with an incomplete line. If a file is removed or renamed, the next record
// starts a new one. If the directory is removed, records are lost, and [Log.Err] reports
// it.
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

// Record writes r without credentials ([Record.Redacted]). Use it as a recorder for
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

// shortLine keeps lines readable: readers accept at most 1 MiB. From a longer one it
// drops the usage, and if that isn't enough, labels and tool uses.
func shortLine(r Record) (line []byte, err error) {
	for _, shorten := range [...]func(){func() {}, func() { r.Usage = nil }, func() { r.Labels, r.ToolUses = nil, nil }} {
		shorten()
		if line, err = json.Marshal(r); err != nil || len(line) <= maxLine {
			return line, err
		}
	}
	return nil, errLongLine
}

// Err returns nil if all records were written. Otherwise the error tells how many
// weren't, and wraps the first failure.
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

// Close closes the files. It returns [Log.Err], joined with errors from closing. A later
// record starts a new file.
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

// write retries once, in a new file, unless the failed file is still empty: on a full
// disk, each record would leave another empty file.
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

// file replaces a file that was removed or renamed, where no reader would find more
// records.
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
