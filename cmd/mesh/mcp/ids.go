package mcp

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"regexp"
	"sync"
)

// exactIDs preserves request ids with more than 15 digits, which the SDK would decode as
// float64. It turns them into strings on the way in and back on the way out.
type exactIDs struct {
	mark   string // prefix for these strings; random, so a client can't send it
	marked *regexp.Regexp
}

func newExactIDs() *exactIDs {
	mark := rand.Text()
	return &exactIDs{mark, regexp.MustCompile(`"` + mark + `(-?[0-9]+)"`)}
}

// wrap also writes what refuse returns for a line to out, and leaves that line out.
func (x *exactIDs) wrap(in io.Reader, out io.Writer, refuse func(line []byte) []byte) (io.Reader, io.Writer) {
	w := &idWriter{exactIDs: x, out: out}
	return &idReader{exactIDs: x, in: bufio.NewReaderSize(in, 64<<10), out: w, refuse: refuse}, w
}

// maxMessage is the SDK's message limit, in bytes.
const maxMessage = 16 << 20

// idReader reads one message (a line) at a time.
type idReader struct {
	*exactIDs
	in     *bufio.Reader
	out    io.Writer
	refuse func(line []byte) []byte
	rest   []byte
	err    error
}

func (r *idReader) Read(p []byte) (int, error) {
	for len(r.rest) == 0 {
		if r.err != nil {
			return 0, r.err
		}
		r.rest, r.err = r.line()
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// line returns a line, cut if it is longer than the SDK accepts, or nothing if it was
// refused.
func (r *idReader) line() (line []byte, err error) {
	for len(line) <= maxMessage {
		part, err := r.in.ReadSlice('\n')
		line = append(line, part...)
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if refusal := r.refuse(line); refusal != nil {
			_, failed := r.out.Write(refusal)
			return nil, cmp.Or(failed, err)
		}
		if err == nil { // the SDK refuses spaces at the end
			line = append(bytes.TrimRight(line, " \t\r\n"), '\n')
		}
		return r.hide(line), err
	}
	return line, nil
}

// idWriter expects each message in one Write.
type idWriter struct {
	*exactIDs
	mu  sync.Mutex // guards out
	out io.Writer
}

func (w *idWriter) Write(message []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if bytes.Contains(message, []byte(w.mark)) {
		if _, err := w.out.Write(w.marked.ReplaceAll(message, []byte("$1"))); err != nil {
			return 0, err
		}
		return len(message), nil
	}
	return w.out.Write(message)
}

var (
	longNumber    = regexp.MustCompile(`^-?[0-9]{16,}$`)
	mayHaveLongID = regexp.MustCompile(`"(?:id|requestId|progressToken)"\s*:\s*-?[0-9]{16}`)
)

// hide turns long ids into strings, in a single message or a batch.
func (x *exactIDs) hide(line []byte) []byte {
	if !mayHaveLongID.Match(line) {
		return line
	}
	var batch []json.RawMessage
	if json.Unmarshal(line, &batch) != nil {
		return x.hideIn(line)
	}
	for i, message := range batch {
		batch[i] = x.hideIn(message)
	}
	text, _ := json.Marshal(batch)
	return append(text, '\n')
}

func (x *exactIDs) hideIn(message []byte) []byte {
	message = x.hideAt(message, "id")
	message = x.hideAt(message, "params", "requestId") // in notifications/cancelled
	return x.hideAt(message, "params", "_meta", "progressToken")
}

// hideAt turns a long number at a path into a string, or returns the object unchanged.
func (x *exactIDs) hideAt(object []byte, name string, inner ...string) []byte {
	var fields map[string]json.RawMessage
	if json.Unmarshal(object, &fields) != nil {
		return object
	}
	value := fields[name]
	hidden := value
	switch {
	case len(inner) > 0:
		hidden = x.hideAt(value, inner[0], inner[1:]...)
	case longNumber.Match(value):
		hidden = []byte(`"` + x.mark + string(value) + `"`)
	}
	if bytes.Equal(hidden, value) {
		return object
	}
	fields[name] = hidden
	text, _ := json.Marshal(fields)
	return append(text, '\n') // the newline is fine inside an outer object, too
}
