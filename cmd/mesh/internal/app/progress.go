package app

import (
	"io"
	"os"
	"sync/atomic"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/callsfiles"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
)

// ReadingCalls shows how much of calls files is read, which is reported to the function that it returns. what distinguishes the passes of a
// command over the same files.
func (a *App) ReadingCalls(what string, in *callsfiles.Files) (onRead func(bytes int)) {
	var read atomic.Int64
	a.Progress.Reading(what, in.Size, read.Load)
	return func(bytes int) { read.Add(int64(bytes)) }
}

// ReadingFile shows how much of a file is read through the reader that it returns.
func (a *App) ReadingFile(what string, file *os.File) io.Reader {
	counted := &countedReader{Reader: file}
	a.Progress.Reading(what, func() int64 {
		info, err := file.Stat()
		if err != nil {
			return 0
		}
		return info.Size() // 0 for a pipe
	}, counted.n.Load)
	return counted
}

// ReadingStdin shows how much of stdin is read through the reader that it returns, unless a person may type.
func (a *App) ReadingStdin() io.Reader {
	if f, ok := a.In.(*os.File); ok && output.Terminal(f) {
		a.Progress.Stop()
		return a.In
	}
	counted := &countedReader{Reader: a.In}
	a.Progress.Reading("reading stdin", nil, counted.n.Load)
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
