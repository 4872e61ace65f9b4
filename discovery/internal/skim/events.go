package skim

import (
	"bytes"

	"github.com/mesh-gateway/mesh-go/discovery/internal/response"
	"github.com/mesh-gateway/mesh-go/internal/eventstream"
)

// maxHeld bounds the part of a line that is held until the rest arrives. Longer lines are skimmed as they arrive.
const maxHeld = 4 << 10

// events skims the data of server-sent events that arrive in pieces of any size. Lines end with LF, CR or CRLF.
type events struct {
	done    bool // after [DONE]
	skimmer *Skimmer
	marks   [][]byte // what events with more than content may have, besides usage and a finish reason

	named bool // the id and the model are known: events of content alone are not skimmed
	held  []byte
	long  bool // in a line that is longer than maxHeld
	data  bool // that line is data
	begun bool // the event has had data
	cr    bool // the last byte was a CR
}

// Write takes the next piece of the stream.
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

// cut returns the bytes before the end of the line, and those after it. ended reports whether p has the end.
func (e *events) cut(p []byte) (line, rest []byte, ended bool) {
	end := lineLength(p)
	if end == len(p) {
		e.cr = false
		return p, nil, false
	}
	e.cr = p[end] == '\r'
	return p[:end], p[end+1:], true
}

// lineLength returns the number of bytes before the first LF or CR.
func lineLength(p []byte) int { return eventstream.IndexEither(p, '\n', '\r', 512) }

// hold adds a piece to the line that is held. A line is long once maxHeld of its bytes are held and it goes on: these show whether it
// is data, whatever the size of the pieces.
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
		return
	}
	e.held = e.held[:0]
}

// rest takes a piece of a long line.
func (e *events) rest(piece []byte, ended bool) {
	if e.data {
		e.skimmer.Write(piece)
	}
	e.long = !ended
}

// line takes a whole line.
func (e *events) line(line []byte) {
	data, isData := dataOf(line)
	switch {
	case len(line) == 0:
		e.begun = false
	case !isData || (e.named && !e.begun && bytes.HasSuffix(data, []byte("}")) && !e.mayCount(data)):
	case !e.begun && response.IsEnd(data):
		e.skimmer.stopped, e.done = true, true
	default:
		e.begin()
		e.skimmer.Write(data)
	}
}

// begin prepares for a line of data.
func (e *events) begin() {
	if e.begun {
		e.skimmer.Write([]byte("\n"))
		return
	}
	e.skimmer.Reset()
	e.begun = true
}

// mayCount reports whether the data of an event may have more than content: counts, a reason why the answer ends, a tool that is
// billed, or an error. Most events have none, and are not skimmed.
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

// A search is fast if the first byte is rare: these names are without their quote.
var (
	// Names of several APIs begin so. Many chunks have them with null.
	usageName, finishName = []byte("usage"), []byte("finish")

	marks       = [][]byte{[]byte(`response"`), []byte(`error"`)}
	geminiMarks = [][]byte{[]byte(`_call"`), []byte("grounding"), []byte("turnComplete"), []byte(`error"`)}
)

// given reports whether data has a member with name in its name and a value that is not null.
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

// dataOf returns the data of a line, and reports whether it has any.
func dataOf(line []byte) ([]byte, bool) {
	data, ok := bytes.CutPrefix(line, []byte("data:"))
	return bytes.TrimPrefix(data, []byte(" ")), ok
}

// content are the fields of an event that has nothing else, as nearly all are. They are not parsed.
const content = 1<<response.None | 1<<response.Kind | 1<<response.ItemType

// newFrames returns what gives each document in a binary event stream to each, which is valid until each returns. One counts only if
// the checksum of its message is right.
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
