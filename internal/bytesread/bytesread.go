// Package bytesread counts the bytes of calls files that this process reads, for the progress line of the command mesh. It is one
// counter of the process, so that no function that reads calls has a parameter for it.
package bytesread

import (
	"io"
	"sync/atomic"
)

var total atomic.Int64

// Total returns how many bytes were read since the process began. Those of compressed files count before they are unpacked.
func Total() int64 { return total.Load() }

// Reader counts what is read from a calls file.
type Reader struct{ io.Reader }

// Read reads and counts.
func (r Reader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	total.Add(int64(n))
	return n, err
}
