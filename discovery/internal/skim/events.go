package skim

import (
	"bytes"

	"github.com/mesh-gateway/mesh-go/discovery/internal/response"
	"github.com/mesh-gateway/mesh-go/internal/eventstream"
)

// maxHeld bounds a line that is buffered until complete. Longer lines are skimmed as they
// arrive.
const maxHeld = 4 << 10

// events skims the data in server-sent events. Lines end with LF, CR or CRLF.
type events struct {
	done    bool // after [DONE]
	skimmer *Skimmer
	marks   [][]byte // in events with more than content, in addition to usage and a finish reason

	named bool // id and model are known, so events with only content aren't skimmed
	held  []byte
	long  bool // in a line longer than maxHeld
	data  bool // that line is data
	begun bool // the event has had data
	cr    bool // the last byte was a CR
}

func (e *events) Write(p []byte) {
	for len(p) > 0 && !e.skimmer.stopped {
		if e.cr && p[0] == '\n' {
			p, e.cr = p[1:], false
			continue
		}
		var line []byte
		var ended bool
		line, p, ended = e.cut(p)
		switch {
		case e.long:
			e.rest(line, ended)
		case ended && len(e.held) == 0:
			e.line(line)
		default:
			e.hold(line, ended)
		}
	}
}

// cut splits p at the end of its first line. ended reports whether the line ends within
// p.
func (e *events) cut(p []byte) (line, rest []byte, ended bool) {
	end := lineLength(p)
	if end == len(p) {
		e.cr = false
		return p, nil, false
	}
	e.cr = p[end] == '\r'
	return p[:end], p[end+1:], true
}

func lineLength(p []byte) int { return eventstream.IndexEither(p, '\n', '\r', 512) }

// hold buffers a piece. Once maxHeld bytes are buffered and the line continues, it's
// long. By then it's known whether it's data, whatever the size of the pieces.
func (e *events) hold(piece []byte, ended bool) {
	n := min(len(piece), maxHeld-len(e.held))
	e.held = append(e.held, piece[:n]...)
	switch {
	case n < len(piece):
		data, isData := dataOf(e.held)
		e.data = isData
		if isData {
			e.begin()
			e.skimmer.Write(data)
		}
		e.rest(piece[n:], ended)
	case ended:
		e.line(e.held)
	default:
		if data, isData := dataOf(e.held); isData { // the body may end without a line break
			e.end(data)
		}
		return
	}
	e.held = e.held[:0]
}

func (e *events) rest(piece []byte, ended bool) {
	if e.data {
		e.skimmer.Write(piece)
	}
	e.long = !ended
}

func (e *events) line(line []byte) {
	data, isData := dataOf(line)
	switch {
	case len(line) == 0:
		e.begun = false
	case !isData || (e.named && !e.begun && bytes.HasSuffix(data, []byte("}")) && !e.mayCount(data)):
	case e.end(data):
	default:
		e.begin()
		e.skimmer.Write(data)
	}
}

// end reports whether data is [DONE], after which nothing is read.
func (e *events) end(data []byte) bool {
	if e.begun || !response.IsEnd(data) {
		return false
	}
	e.skimmer.stopped, e.done = true, true
	return true
}

func (e *events) begin() {
	if e.begun {
		e.skimmer.Write([]byte("\n"))
		return
	}
	e.skimmer.Reset()
	e.begun = true
}

// mayCount reports whether an event's data may have more than content: counts, a finish
// reason, a billed tool, or an error. Most events have only content, and aren't skimmed.
func (e *events) mayCount(data []byte) bool {
	if given(data, usageName) || given(data, finishName) {
		return true
	}
	for _, mark := range e.marks {
		if bytes.Contains(data, mark) {
			return true
		}
	}
	return false
}

// Names without the quote: a search is fast if the first byte is rare.
var (
	// prefixes in several APIs; many chunks have them with null
	usageName, finishName = []byte("usage"), []byte("finish")

	marks       = [][]byte{[]byte(`response"`), []byte(`error"`)}
	geminiMarks = [][]byte{[]byte(`_call"`), []byte("grounding"), []byte("turnComplete"), []byte(`error"`)}
)

// given reports whether data has a member whose name contains name and whose value isn't
// null.
func given(data, name []byte) bool {
	for {
		i := bytes.Index(data, name)
		if i < 0 {
			return false
		}
		data = data[i+len(name):]
		value := bytes.TrimLeft(data[bytes.IndexByte(data, '"')+1:], ": \t")
		if !bytes.HasPrefix(value, []byte("null")) {
			return true
		}
		data = value
	}
}

func dataOf(line []byte) ([]byte, bool) {
	data, ok := bytes.CutPrefix(line, []byte("data:"))
	return bytes.TrimPrefix(data, []byte(" ")), ok
}

// content has the fields in an event with only content, like nearly all events. They
// aren't parsed.
const content = 1<<response.None | 1<<response.Kind | 1<<response.ItemType

// newFrames passes each document in a binary event stream to each, once its message's
// checksum was verified. The document is valid until each returns.
func newFrames(s *Skimmer, each func(document []byte)) *eventstream.Events {
	var document []byte // until the checksum
	s.each = func(d []byte) {
		if s.fields&^content != 0 || bytes.Contains(d, []byte("error")) {
			document = d
		}
	}
	return eventstream.NewEvents(
		func() { s.Reset(); document = nil },
		s.Write,
		func() {
			if document != nil {
				each(document)
			}
		},
	)
}
