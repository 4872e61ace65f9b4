package calls

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/internal/openfile"
)

// files yields each calls file in paths once. Directories are read at any depth, in
// sorted order. Files named for a day before from are left out. A compressed copy comes
// with errPacked.
func files(paths []string, from string) iter.Seq2[place, error] {
	return func(yield func(place, error) bool) {
		w := walker{from: from, seen: make(map[string]string), yield: yield}
		for _, path := range paths {
			if path != "" { // Clean would make it the current directory
				path = filepath.Clean(path)
			}
			if !w.named(path) {
				return
			}
		}
	}
}

// place is a file to read. If it was found in dir, it's opened without leaving dir,
// because others who write there could replace it by a link or a pipe.
type place struct{ name, dir, below string }

// identity returns the same string for all paths to a file, including symbolic links.
func identity(path string) string {
	if file, err := filepath.EvalSymlinks(path); err == nil {
		if file, err = filepath.Abs(file); err == nil {
			return file
		}
	}
	return path
}

type walker struct {
	from  string
	dir   string            // the directory named by the caller
	seen  map[string]string // identity without .gz -> identity
	yield func(place, error) bool
}

// named reads a path from the caller. A file may have any name and type.
func (w *walker) named(path string) bool {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return w.once(place{name: path}, identity(path), err)
	case info.IsDir():
		w.dir = path
		return w.folder(".", identity(path))
	}
	return w.isEarlier(path) || w.once(place{name: path}, identity(path), nil)
}

// Identities of files are derived from their directory, which saves system calls.
func (w *walker) folder(below, identity string) bool {
	path := filepath.Join(w.dir, below)
	entries, err := os.ReadDir(path)
	if err != nil && !w.once(place{name: path}, identity, err) {
		return false
	}
	for _, entry := range entries {
		at := place{filepath.Join(path, entry.Name()), w.dir, filepath.Join(below, entry.Name())}
		identity := filepath.Join(identity, entry.Name())
		more := true
		switch {
		case entry.IsDir():
			more = w.folder(at.below, identity)
		case !IsFile(entry.Name()) || w.isEarlier(at.name):
		case entry.Type().IsRegular():
			more = w.once(at, identity, nil)
		default:
			more = w.link(at)
		}
		if !more {
			return false
		}
	}
	return true
}

// IsFile reports whether reading a directory includes a file with this name: a calls
// file, or an agent program's session file. Use it to watch or copy the files for [Read],
// or to keep an output file out of the input.
func IsFile(path string) bool {
	name := strings.TrimSuffix(filepath.Base(path), ".gz")
	switch filepath.Ext(name) {
	case ".jsonl":
		return true
	case ".zst":
		return strings.HasSuffix(name, ".jsonl.zst")
	case ".json":
		return strings.HasPrefix(name, "session-") || strings.HasPrefix(name, "msg_") || strings.HasSuffix(name, ".settings.json")
	case ".db":
		return strings.HasPrefix(name, "opencode") // among many other files
	}
	return false
}

// link follows a link to a regular file in dir. A file elsewhere is an error. Links to
// pipes and devices are skipped because reading could block, and links to directories
// because they could form a loop.
func (w *walker) link(at place) bool {
	info, err := os.Stat(at.name)
	if err == nil && !info.Mode().IsRegular() {
		return true
	}
	if err == nil {
		var inside bool
		if at.below, inside = openfile.Target(w.dir, at.name); !inside {
			err = &fs.PathError{Op: "open", Path: at.name, Err: openfile.ErrOutside}
		}
	}
	return w.once(at, identity(at.name), err)
}

func (w *walker) isEarlier(path string) bool {
	day, ok := dayOf(path)
	return ok && day < w.from
}

// once yields each file once. It yields a .gz copy with errPacked, and skips a .zst copy.
func (w *walker) once(at place, identity string, err error) bool {
	stem := strings.TrimSuffix(strings.TrimSuffix(identity, ".gz"), ".zst")
	switch w.seen[stem] {
	case "":
		w.seen[stem] = identity
		return w.yield(at, err)
	case identity:
		return true
	}
	return strings.HasSuffix(at.name, ".zst") || w.yield(at, errPacked)
}

var errPacked = errors.New("the file is a compressed copy")

// dayOf returns the day at the beginning of a file name.
func dayOf(path string) (day string, ok bool) {
	day = filepath.Base(path)
	if len(day) < len(time.DateOnly) {
		return "", false
	}
	day = day[:len(time.DateOnly)]
	if _, err := time.Parse(time.DateOnly, day); err != nil {
		return "", false
	}
	return day, true
}

// firstDay returns the earliest day for file names since a time. It's the day before,
// because a call is in the file for the day on which it began.
func firstDay(since time.Time) string {
	if since.IsZero() {
		return ""
	}
	return since.UTC().AddDate(0, 0, -1).Format(time.DateOnly)
}

// open opens a file at an offset in its unpacked content. It recognizes gzip by content,
// not by name. onRead, unless nil, gets each read's size before unpacking. If gzip
// content ends before the offset, the error is io.EOF.
func (p place) open(at int64, onRead func(bytes int)) (in *bufio.Reader, done func(), err error) {
	var file *os.File
	if p.dir != "" {
		file, err = openfile.BelowDir(p.dir, p.below)
	} else {
		file, err = os.Open(p.name)
	}
	if err != nil {
		return nil, nil, err
	}
	if in, err = contentOf(file, at, onRead); err != nil {
		_ = file.Close()
		return nil, nil, err
	}
	return in, func() { _ = file.Close() }, nil
}

func contentOf(file *os.File, at int64, onRead func(bytes int)) (*bufio.Reader, error) {
	var packed io.Reader = file
	if onRead != nil {
		packed = reportedReader{file, onRead}
	}
	const size = 64 << 10 // enough to recognize a session file
	buffered := bufio.NewReaderSize(packed, size)
	magic, _ := buffered.Peek(2) // a short or unreadable file fails later
	if bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		in, err := gzip.NewReader(buffered)
		if err == nil {
			_, err = io.CopyN(io.Discard, in, at)
		}
		return bufio.NewReaderSize(in, size), err
	}
	if at == 0 { // a pipe can't seek
		return buffered, nil
	}
	_, err := file.Seek(at, io.SeekStart)
	buffered.Reset(packed)
	return buffered, err
}

type reportedReader struct {
	io.Reader
	onRead func(bytes int)
}

func (r reportedReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	r.onRead(n)
	return n, err
}
