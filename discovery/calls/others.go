package calls

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"iter"
	"log/slog"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"time"
)

// Others yields the records that other programs write to the Log's directory, as they
// are. Use it to share a total or a limit among programs, as meter.Meter.Follow does:
//
//	others := log.Others(time.Now())
//	for range time.Tick(time.Second) {
//		for record, err := range others { // only what's new
//
// # Files
//
// Files named for a day are skipped if that day is before the day before since (UTC).
// Later iterations look only at files named for today or yesterday (UTC), or without a
// day.
//
// A line is yielded once it's complete. A file that was renamed or compressed within the
// directory isn't read again, but one that became shorter is. For unreadable lines, each
// file yields at most one error.
func (l *Log) Others(since time.Time) iter.Seq2[Record, error] {
	if err := l.ready(); err != nil {
		return func(yield func(Record, error) bool) { yield(Record{}, err) }
	}
	t := &tail{log: l, from: firstDay(since), files: map[string]*tailed{}, packed: map[string]bool{}, records: newDecoder()}
	return t.read
}

type tail struct {
	mu      sync.Mutex
	log     *Log
	from    string
	files   map[string]*tailed // name without .gz -> file
	failed  error              // last error from reading the directory
	packed  map[string]bool    // compressed copies already logged
	records *decoder
	buffer  []byte
}

type tailed struct {
	info os.FileInfo
	own  bool // written by the Log
	// size was the file's size at the last reading, or -1.
	size int64
	// read is the next offset in the unpacked file, and lines the number of lines before it.
	read  int64
	lines int
	err   error // set once an error was yielded
}

func (t *tail) read(yield func(Record, error) bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	found := map[string]place{} // by name without .gz
	var failed error
	for at, err := range files([]string{t.log.dir}, t.from) {
		switch {
		case err == nil:
			found[strings.TrimSuffix(at.name, ".gz")] = at
		case !errors.Is(err, errPacked):
			failed = errors.Join(failed, err)
		case !t.packed[at.name]:
			t.packed[at.name] = true
			slog.Warn("calls: " + packedCopy(at.name).String())
		}
	}
	t.takeOwn()
	if !t.readFiles(found, yield) {
		return
	}
	known := t.failed
	if t.failed = failed; failed != nil {
		if known == nil {
			yield(Record{}, failed)
		}
		return
	}
	maps.DeleteFunc(t.files, func(stem string, _ *tailed) bool { return found[stem].name == "" }) // gone
	t.from = max(t.from, firstDay(time.Now()))                                                    // a call that began yesterday can end today
}

// takeOwn marks the Log's own files. Call it after listing the directory, or a file that
// the Log creates in between would be taken for another program's.
func (t *tail) takeOwn() {
	t.log.mu.Lock()
	defer t.log.mu.Unlock()
	for name, info := range t.log.own {
		t.files[name] = &tailed{info: info, own: true}
	}
}

func (t *tail) readFiles(found map[string]place, yield func(Record, error) bool) bool {
	gone := maps.Clone(t.files)
	maps.DeleteFunc(gone, func(stem string, _ *tailed) bool { return found[stem].name != "" })
	for _, stem := range slices.Sorted(maps.Keys(found)) {
		info, err := os.Stat(found[stem].name)
		if err != nil {
			continue // gone
		}
		f := t.files[stem]
		if f == nil {
			f = renamed(gone, info)
			t.files[stem] = f
		}
		if !f.own && info.Size() != f.size && !t.readFile(f, found[stem], info, yield) {
			return false
		}
	}
	return true
}

// renamed returns the state for a new name: the old name's if the file was renamed.
func renamed(gone map[string]*tailed, info os.FileInfo) *tailed {
	for _, f := range gone {
		if os.SameFile(f.info, info) {
			return f
		}
	}
	return &tailed{info: info, size: -1}
}

func (t *tail) readFile(f *tailed, at place, info os.FileInfo, yield func(Record, error) bool) bool {
	if info.Size() < f.size && os.SameFile(f.info, info) {
		f.read, f.lines = 0, 0
	}
	f.info = info
	in, done, err := at.open(f.read, nil)
	if err == nil {
		defer done()
		if !t.readLines(f, newBlocks(at.name, in), yield) {
			return false // the next iteration continues here
		}
	}
	f.size = info.Size()
	if err == nil || errors.Is(err, fs.ErrNotExist) || errors.Is(err, io.EOF) { // shorter than before
		return true
	}
	return t.fail(f, &LineError{at.name, f.lines + 1, err}, yield)
}

func (t *tail) readLines(f *tailed, source *blocks, yield func(Record, error) bool) bool {
	source.line += f.lines
	end := f.read // the source's position
	for source.in = (reportedReader{source.in, func(bytes int) { end += int64(bytes) }}); ; {
		b, err := source.next(t.buffer)
		t.buffer = b.data
		switch {
		case errors.Is(err, io.EOF):
			return true
		case err != nil:
			f.read, f.lines = end-int64(len(source.rest)), source.line-1
			if !t.fail(f, err, yield) {
				return false
			}
		case !t.yieldLines(f, &b, yield):
			return false
		}
	}
}

// yieldLines also yields a last line without a line break if it can be decoded. Otherwise
// it's read again later.
func (t *tail) yieldLines(f *tailed, b *block, yield func(Record, error) bool) bool {
	for line := range bytes.Lines(b.data) {
		var r Record
		var err error
		blank, whole := len(bytes.TrimSpace(line)) == 0, line[len(line)-1] == '\n'
		if !blank {
			err = t.records.read(line, &r)
		}
		if err != nil && !whole {
			return true
		}
		if f.read += int64(len(line)); whole {
			f.lines++
		}
		switch {
		case err != nil && !t.fail(f, &LineError{b.file, f.lines, err}, yield):
			return false
		case err == nil && !blank && !yield(r, nil):
			return false
		}
	}
	return true
}

// fail yields a file's first error only.
func (t *tail) fail(f *tailed, err error, yield func(Record, error) bool) bool {
	known := f.err
	f.err = err
	return known != nil || yield(Record{}, err)
}
