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

// files yields the calls files that paths name, in the order of their names within a folder, each once. A folder is read with its
// folders. Files whose names begin with a day before from are left out; with "" there are none. A compressed copy of a file has the error
// errPacked.
func files(paths []string, from string) iter.Seq2[place, error] {
	return func(yield func(place, error) bool) {
		w := walker{from: from, seen: make(map[string]string), yield: yield}
		for _, path := range paths {
			if path != "" { // which would become the current directory
				path = filepath.Clean(path)
			}
			if !w.named(path) {
				return
			}
		}
	}
}

// place is a file that was found. It is opened below dir, if it is in a directory that was given: whoever can write there
// could replace it by a link or a pipe.
type place struct{ name, dir, below string }

// identity returns the same name for all paths of a file: relative and absolute ones, and symbolic links.
func identity(path string) string {
	if file, err := filepath.EvalSymlinks(path); err == nil {
		if file, err = filepath.Abs(file); err == nil {
			return file
		}
	}
	return path
}

// walker finds calls files.
type walker struct {
	from  string
	dir   string            // that was given
	seen  map[string]string // identity without .gz -> identity
	yield func(place, error) bool
}

// named yields the file that a path names, whatever its kind is, or the files of the folder.
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

// folder yields the calls files of a folder below w.dir. The identity of a regular file follows from the one of its folder,
// without a system call.
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

// IsFile reports whether a file in a directory is read because of its name or path: a calls file, or a session file of an agent
// program.
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

// link yields the file that a symbolic link leads to, or an error if it is in another folder. Pipes and devices, which could
// block for ever, and folders, which could be a circle, are left out.
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

// isEarlier reports whether the name of a file begins with a day before from.
func (w *walker) isEarlier(path string) bool {
	day, ok := dayOf(path)
	return ok && day < w.from
}

// once yields a file that was not yielded before. A file with the same name and .gz is its compressed copy.
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

// dayOf returns the day that the name of a file begins with, and reports whether there is one.
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

// firstDay returns the first day that the name of a file may begin with which has calls since a time: the day before, for programs
// that name a file by the time at which they began it.
func firstDay(since time.Time) string {
	if since.IsZero() {
		return ""
	}
	return since.UTC().AddDate(0, 0, -1).Format(time.DateOnly)
}

// open opens a calls file at a place, unpacked if it is compressed, whatever its name is. onRead, if it is not nil, gets the number of
// bytes of each read, before they are unpacked. The error is io.EOF if less is packed.
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

// contentOf returns the content of a file from a place on.
func contentOf(file *os.File, at int64, onRead func(bytes int)) (*bufio.Reader, error) {
	var packed io.Reader = file
	if onRead != nil {
		packed = reportedReader{file, onRead}
	}
	const size = 64 << 10 // enough to recognize a session file
	buffered := bufio.NewReaderSize(packed, size)
	magic, _ := buffered.Peek(2) // a file that is shorter, or cannot be read, is reported when it is read
	if bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		in, err := gzip.NewReader(buffered)
		if err == nil {
			_, err = io.CopyN(io.Discard, in, at)
		}
		return bufio.NewReaderSize(in, size), err
	}
	if at == 0 { // a pipe has no places
		return buffered, nil
	}
	_, err := file.Seek(at, io.SeekStart)
	buffered.Reset(packed)
	return buffered, err
}

// reportedReader reports the number of bytes of each read.
type reportedReader struct {
	io.Reader
	onRead func(bytes int)
}

func (r reportedReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	r.onRead(n)
	return n, err
}
