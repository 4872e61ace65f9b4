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

// Others returns a sequence of the records in the folder of the Log that others have written: all files that [Read] opens with Options.Recorded, without
// the files of this Log. The sequence can be used repeatedly. Each use yields what is new since the last one, and from then on looks only at
// files whose names begin with today or yesterday, in UTC, or with no day.
//
// A line is yielded when it is complete. A file that was renamed or compressed within the folder is not read again, and one that
// became shorter is read from its begin. For a line or a file that cannot be read the sequence yields an error, once.
func (l *Log) Others(since time.Time) iter.Seq2[Record, error] {
	if err := l.ready(); err != nil {
		return func(yield func(Record, error) bool) { yield(Record{}, err) }
	}
	t := &tail{log: l, from: firstDay(since), files: map[string]*tailed{}, packed: map[string]bool{}, records: newDecoder()}
	return t.read
}

// tail reads the files of a folder as they grow.
type tail struct {
	mu      sync.Mutex
	log     *Log
	from    string
	files   map[string]*tailed // by name without .gz
	failed  error              // of the folder
	packed  map[string]bool    // compressed copies that were logged
	records *decoder
	buffer  []byte
}

// tailed is a file that was read to a place.
type tailed struct {
	info os.FileInfo
	own  bool // of the Log
	// size is the size of the file when it was read last, or -1.
	size int64
	// read is the number of bytes that were read, unpacked, and lines the number of their lines.
	read  int64
	lines int
	err   error // that was yielded
}

// read yields what is new in the folder.
func (t *tail) read(yield func(Record, error) bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	found := map[string]place{} // by the name without .gz
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
	maps.DeleteFunc(t.files, func(stem string, _ *tailed) bool { return found[stem].name == "" }) // those that are gone
	t.from = max(t.from, firstDay(time.Now()))                                                    // a call that began yesterday can end today
}

// takeOwn adds the files that the Log has made. It is called after the folder was listed, so that each own file in the list is known.
func (t *tail) takeOwn() {
	t.log.mu.Lock()
	defer t.log.mu.Unlock()
	for name, info := range t.log.own {
		t.files[name] = &tailed{info: info, own: true}
	}
}

// readFiles reads the files that have changed.
func (t *tail) readFiles(found map[string]place, yield func(Record, error) bool) bool {
	gone := maps.Clone(t.files)
	maps.DeleteFunc(gone, func(stem string, _ *tailed) bool { return found[stem].name != "" })
	for _, stem := range slices.Sorted(maps.Keys(found)) {
		info, err := os.Stat(found[stem].name)
		if err != nil {
			continue // it is gone
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

// renamed returns the state of a new file, which may have had the name of one that is gone.
func renamed(gone map[string]*tailed, info os.FileInfo) *tailed {
	for _, f := range gone {
		if os.SameFile(f.info, info) {
			return f
		}
	}
	return &tailed{info: info, size: -1}
}

// readFile yields the lines of a file behind those that were read.
func (t *tail) readFile(f *tailed, at place, info os.FileInfo, yield func(Record, error) bool) bool {
	if info.Size() < f.size && os.SameFile(f.info, info) {
		f.read, f.lines = 0, 0
	}
	f.info = info
	in, done, err := at.open(f.read, nil)
	if err == nil {
		defer done()
		if !t.readLines(f, newBlocks(at.name, in), yield) {
			return false // the rest follows with the next use
		}
	}
	f.size = info.Size()
	if err == nil || errors.Is(err, fs.ErrNotExist) || errors.Is(err, io.EOF) { // the file has less than was read
		return true
	}
	return t.fail(f, &LineError{at.name, f.lines + 1, err}, yield)
}

// readLines yields the records of a file behind f.read.
func (t *tail) readLines(f *tailed, source *blocks, yield func(Record, error) bool) bool {
	source.line += f.lines
	end := f.read // of what the source has
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

// yieldLines yields the records of a block. A last line without a line break counts if it can be read. If not, it is read again later.
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

// fail yields the first error of a file.
func (t *tail) fail(f *tailed, err error, yield func(Record, error) bool) bool {
	known := f.err
	f.err = err
	return known != nil || yield(Record{}, err)
}
