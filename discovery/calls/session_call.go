package calls

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/internal/once"
)

// openCall is a call whose lines may be repeated.
type openCall struct {
	id     string
	line   []byte // of a calls file
	number int    // of its line in the session file
	copied bool
}

// mostOpen is the number of calls whose lines may be repeated: those of one call are near each other.
const mostOpen = 1000

// add adds the call of the line. A later line with the id of an open call replaces it, unless the line is a copy. A line of any other
// earlier call is left out.
func (s *session) add() {
	l := &s.line
	c := s.byID[string(l.id)]
	switch {
	case c == nil:
		if _, first := s.seen.Add(once.Key(s.program, l.id, time.Time{}), time.Time{}, 0); !first { // at whatever time
			return
		}
		if len(s.open) == mostOpen {
			c = s.release() // and use it again
		} else {
			c = &openCall{}
		}
		s.open = append(s.open, c)
	case l.copied && !c.copied:
		return
	}
	c.line, c.number, c.copied = s.appendCall(c.line[:0]), s.number, l.copied
	if c.id = string(l.id); c.id != "" {
		s.byID[c.id] = c
	}
}

// appendCall appends the call of the line to text, as a line of a calls file.
func (s *session) appendCall(text []byte) []byte {
	l := &s.line
	text = append(append(append(text, `{"session":true,"usage":{`...), l.usage[1:]...), '}') // without its first comma
	for _, member := range [...]struct {
		name  string
		value []byte
	}{{"provider", s.provider}, {"api", s.api}, {"id", l.id}, {"time", l.time}, {"model", l.model}, {"labels", s.labels}} {
		if member.value != nil {
			text = appendMember(text, member.name, member.value)
		}
	}
	if l.model == nil {
		text = append(text, `,"usd":null,"unpriced":"the session file does not state the model"`...)
	}
	return append(text, "}\n"...)
}

// release makes the first open call final.
func (s *session) release() *openCall {
	c := s.open[0]
	s.open = s.open[1:]
	delete(s.byID, c.id)
	s.ready, s.numbers = append(s.ready, c.line...), append(s.numbers, c.number)
	return c
}

// addCounts adds the call of a line with counts, unless all are 0. names are those in the usage object.
func (s *session) addCounts(names ...string) {
	l := &s.line
	if l.counts == (sessionCounts{}) {
		return
	}
	var number [20]byte
	l.usage = l.usage[:0]
	for i, name := range names {
		l.usage = appendMember(l.usage, name, strconv.AppendInt(number[:0], l.counts[i], 10))
	}
	s.add()
}

// appendMember appends a member of an object, with the comma before it.
func appendMember[T string | []byte](object []byte, name T, value []byte) []byte {
	return append(append(append(append(object, `,"`...), name...), `":`...), value...)
}

// setLabels sets the labels of calls. The working directory may be one of Windows.
func (s *session) setLabels(cwd, id []byte) {
	of := string(cwd) + " " + string(id)
	if s.labels != nil && of == s.labelled {
		return
	}
	s.labelled = of
	project := textOf(cwd)
	project = project[strings.LastIndexAny(project, `/\`)+1:]
	s.labels, _ = json.Marshal(map[string]string{"program": s.program, "project": project, "session": textOf(id)})
}

// setProvider sets the provider of calls, "unknown" for a name that other packages do not accept.
func (s *session) setProvider(name []byte) {
	p, err := named(textOf(name))
	if err != nil {
		p = "unknown"
	}
	s.provider = strconv.AppendQuote(nil, string(p))
}

// textOf returns a text whose JSON was read, or "" for nil.
func textOf(value []byte) (text string) {
	_ = json.Unmarshal(value, &text)
	return text
}
