package codebase

import (
	"errors"
	"io"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
)

// Each returns what read returns for each file, in the order of files. It runs as many readers as there are processors, each with a
// function of its own from newRead, which therefore may keep what it has computed. The sizes of the files that are read are added to done.
func Each[T any](files []File, done *atomic.Int64, newRead func() func(File) T) []T {
	results := make([]T, len(files))
	var next atomic.Int64
	var readers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(files)) {
		readers.Go(func() {
			read := newRead()
			for i := next.Add(1) - 1; i < int64(len(files)); i = next.Add(1) - 1 {
				results[i] = read(files[i])
				done.Add(files[i].size())
			}
		})
	}
	readers.Wait()
	return results
}

// Size returns how many bytes the files have in all.
func Size(files []File) (bytes int64) {
	for i := range files {
		bytes += files[i].size()
	}
	return bytes
}

// size returns the size of a file, or 0 if it cannot be read or has none, as a pipe.
func (f File) size() int64 {
	info, err := os.Stat(f.Path)
	if err != nil || !info.Mode().IsRegular() {
		return 0
	}
	return info.Size()
}

// beginning is how much of a file is searched for a zero byte, in bytes, as git does it.
const beginning = 8000

// ReadText returns the content of a file, and whether it is text: a binary file has a zero byte among its first 8,000 bytes. A binary file
// is read no further, unless it was named. A file is held in memory once, and not also what io.ReadAll grows through.
func (f File) ReadText() (text string, isText bool, err error) {
	in, err := os.Open(f.Path)
	if err != nil {
		return "", false, err
	}
	defer in.Close()
	var content strings.Builder
	if info, err := in.Stat(); err == nil && info.Mode().IsRegular() {
		content.Grow(int(info.Size()))
	}
	_, err = io.CopyN(&content, in, beginning)
	isText = strings.IndexByte(content.String(), 0) < 0
	if err == nil && (isText || f.Named) {
		_, err = io.Copy(&content, in)
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return content.String(), isText, err
}
