package meter

import (
	"bytes"
	"errors"
)

// maxHeld bounds the part of a line that is held until the rest arrives. Longer lines are skimmed as they arrive.
const maxHeld = 4 << 10

// events skims the data of server-sent events that arrive in pieces of any size. Lines end with LF, CR or CRLF.
type events struct {
	skimmer skimmer

	named bool // the id and the model are known: events without counts are not skimmed
	held  []byte
	long  bool // in a line that is longer than maxHeld
	data  bool // that line is data
	begun bool // the event has had data
	cr    bool // the last byte was a CR
	ended bool // after [DONE]
	err   error
}

// Write takes the next piece of the stream.
func (e *events) Write(p []byte) {
	for len(p) > 0 && e.err == nil {
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
	lf := bytes.IndexByte(p, '\n')
	line = p
	if lf >= 0 {
		line = p[:lf]
	}
	cr := bytes.IndexByte(line, '\r')
	e.cr = cr >= 0
	switch {
	case cr >= 0:
		return p[:cr], p[cr+1:], true
	case lf >= 0:
		return line, p[lf+1:], true
	}
	return p, nil, false
}

// hold adds a piece to the line that is held.
func (e *events) hold(piece []byte, ended bool) {
	if len(e.held)+len(piece) > maxHeld {
		data, isData := dataOf(e.held)
		e.long, e.data = true, isData
		if isData {
			e.begin()
			e.skim(data)
		}
		e.held = e.held[:0]
		e.rest(piece, ended)
		return
	}
	e.held = append(e.held, piece...)
	if ended {
		e.line(e.held)
		e.held = e.held[:0]
	}
}

// rest takes a piece of a long line.
func (e *events) rest(piece []byte, ended bool) {
	if e.data {
		e.skim(piece)
	}
	e.long = !ended
}

// line takes a whole line.
func (e *events) line(line []byte) {
	data, isData := dataOf(line)
	switch {
	case len(line) == 0:
		e.begun = false
	case !isData || (e.named && !e.begun && bytes.HasSuffix(data, []byte("}")) && !mayCount(data)):
	default:
		e.ended = string(data) == "[DONE]"
		e.begin()
		e.skim(data)
	}
}

// begin prepares for a line of data.
func (e *events) begin() {
	if e.begun {
		e.skim([]byte("\n"))
		return
	}
	e.skimmer.reset()
	e.begun = true
}

// mayCount reports whether the data of an event may have counts, or an error. Most events have neither, and are not skimmed.
func mayCount(data []byte) bool {
	for _, end := range countNames {
		if bytes.Contains(data, end) {
			return true
		}
	}
	return false
}

// countNames are the ends of the names of everything that is counted, and of errors.
var countNames = [][]byte{[]byte(`okens"`), []byte(`TokenCount"`), []byte(`_call"`), []byte(`error"`), []byte(`_ticks"`)}

// skim ignores data that is not JSON, such as [DONE].
func (e *events) skim(p []byte) {
	e.skimmer.Write(p)
	if errors.Is(e.skimmer.err, errTooLarge) {
		e.err = e.skimmer.err
	}
}

// dataOf returns the data of a line, and reports whether it has any.
func dataOf(line []byte) ([]byte, bool) {
	data, ok := bytes.CutPrefix(line, []byte("data:"))
	return bytes.TrimPrefix(data, []byte(" ")), ok
}
