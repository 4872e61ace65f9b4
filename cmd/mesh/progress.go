package main

import (
	"io"
	"os"
	"sync/atomic"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/callsfiles"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/source"
)

// readingCalls shows how much of calls files is read, which is reported to the function that it returns. what distinguishes the passes of a
// command over the same files.
func (a *app) readingCalls(what string, in *callsfiles.Files) (onRead func(bytes int)) {
	var read atomic.Int64
	a.progress.Reading(what, in.Size, read.Load)
	return func(bytes int) { read.Add(int64(bytes)) }
}

// readingSources shows how much of the files of a code base is done, which the command adds to the counter.
func (a *app) readingSources(files []source.File) (done *atomic.Int64) {
	done = new(atomic.Int64)
	a.progress.Reading("scanning", func() int64 { return source.Size(files) }, done.Load)
	return done
}

// readingFile shows how much of a file is read through the reader that it returns.
func (a *app) readingFile(what string, file *os.File) io.Reader {
	counted := &countedReader{Reader: file}
	a.progress.Reading(what, func() int64 {
		info, err := file.Stat()
		if err != nil {
			return 0
		}
		return info.Size() // 0 for a pipe
	}, counted.n.Load)
	return counted
}

// readingStdin shows how much of stdin is read through the reader that it returns, unless a person may type.
func (a *app) readingStdin() io.Reader {
	if f, ok := a.in.(*os.File); ok && output.Terminal(f) {
		a.progress.Stop()
		return a.in
	}
	counted := &countedReader{Reader: a.in}
	a.progress.Reading("reading stdin", nil, counted.n.Load)
	return counted
}

type countedReader struct {
	io.Reader
	n atomic.Int64
}

// Read reads and counts.
func (r *countedReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	r.n.Add(int64(n))
	return n, err
}
