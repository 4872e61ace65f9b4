package calls

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"io"
	"iter"
	"os"
	"path/filepath"
	"strings"
)

// files yields the calls files that paths name, in the order of their names within a folder, each once. A folder is read with its
// folders.
func files(paths []string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		seen := make(map[string]bool)
		for _, path := range paths {
			if path != "" { // which would become the current directory
				path = filepath.Clean(path)
			}
			if !walk(path, true, func(name string, err error) bool {
				file := identity(name)
				repeated := seen[file]
				seen[file] = true
				return repeated || yield(name, err)
			}) {
				return
			}
		}
	}
}

// identity returns the same name for all paths of a file: relative and absolute ones, and symbolic links.
func identity(path string) string {
	if file, err := filepath.EvalSymlinks(path); err == nil {
		if file, err = filepath.Abs(file); err == nil {
			return file
		}
	}
	return path
}

// walk yields a file, or the calls files of a folder. named reports whether the caller named the path. Entries of a folder are left
// out if they are not calls files, if they are pipes or devices, which could block for ever, or links to folders, which could be a
// circle.
func walk(path string, named bool, yield func(string, error) bool) bool {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return yield(path, err)
	case !info.IsDir():
		return (!named && !info.Mode().IsRegular()) || yield(path, nil)
	}
	entries, err := os.ReadDir(path)
	if err != nil && !yield(path, err) {
		return false
	}
	for _, entry := range entries {
		name := entry.Name()
		if !entry.IsDir() && !strings.HasSuffix(strings.TrimSuffix(name, ".gz"), ".jsonl") {
			continue
		}
		if info, err := os.Stat(filepath.Join(path, name)); err == nil && info.IsDir() && !entry.IsDir() {
			continue
		}
		if !walk(filepath.Join(path, name), false, yield) {
			return false
		}
	}
	return true
}

// open opens a calls file, unpacked if it is compressed, whatever its name is.
func open(name string) (in io.Reader, done func(), err error) {
	file, err := os.Open(name) //nolint:gosec // the program names the file
	if err != nil {
		return nil, nil, err
	}
	done = func() { _ = file.Close() }
	buffered := bufio.NewReader(file)
	magic, _ := buffered.Peek(2) // a file that is shorter, or cannot be read, is reported when it is read
	if !bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		return buffered, done, nil
	}
	if in, err = gzip.NewReader(buffered); err != nil {
		done()
		return nil, nil, err
	}
	return in, done, nil
}
