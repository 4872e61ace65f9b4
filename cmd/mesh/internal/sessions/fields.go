package sessions

import (
	"cmp"
	"errors"
	"io"
	"math"
	"strconv"
	"time"

	"github.com/mesh-gateway/mesh-go/internal/jsonread"
)

var (
	errCount   = errors.New("a count of tokens must be a whole number from 0 to 2^53")
	errTime    = errors.New("time must be an RFC 3339 time")
	errNoUsage = errors.New("usage is missing, and so is the cost")
)

// file is a file that is read. The programs whose lines are long have fields, which are read without decoding the rest of a line; those of
// others decode each line as a text.
type file struct {
	jsonread.Decoder
	*run
	path  string
	in    io.Reader
	index int32

	fields fields
	// take is called when the fields of a line were read; nil for a program that sets text.
	take func()
	text func(line) error
	// open, if it is set, reads a file that has no lines.
	open func(yield func(record, error) bool)

	line   lineFields
	texts  map[string]string // JSON -> text, of a file's repeated texts
	number int32             // of the line
	wrong  error             // the first one of the line, after which no member is read
}

// lineFields is what a line of some program states, as JSON; nil is not stated.
type lineFields struct {
	kind, event, time, id, session, parent, thread, base, cwd, provider, model, request, uuid, tier []byte

	failed      bool
	counts      counts
	last, total counts
	start       int64 // Unix milliseconds

	// Of Claude Code.
	usage, split bool
	compaction   counts
	extra        []byte   // other members of the usage object
	requests     []counts // of which a response consists
	advisors     []advisor
	states       []modelState
}

// fields are the members of an object that are read: into a *[]byte the JSON of a text that is not empty, into a *int64 a count,
// into a *bool a boolean, into fields an object, and by a func() any value. A value of another type is skipped in the place of a
// text, a boolean or an object.
type fields map[string]any

func (c *counts) fields(names ...string) fields {
	all := fields{}
	for i, name := range names {
		all[name] = &c[i]
	}
	return all
}

// read reads an object into line, and takes it.
func (f *file) read() {
	f.object(f.fields)
	if f.wrong == nil {
		f.take()
	}
	f.line = lineFields{extra: f.line.extra[:0], requests: f.line.requests[:0], advisors: f.line.advisors[:0], states: f.line.states[:0]}
}

func (f *file) fail(err error) { f.wrong = cmp.Or(f.wrong, err) }

func (f *file) value() []byte {
	value, err := f.Raw()
	if err != nil {
		f.fail(errLine)
	}
	return value
}

// members reads an object, whose values member must read. Any other value is skipped.
func (f *file) members(member func(key []byte)) {
	if f.Next() != jsonread.Object {
		f.value()
		return
	}
	members := f.Object()
	for f.wrong == nil && members.Next() {
		member(members.Key())
	}
	if members.Err() != nil {
		f.fail(errLine)
	}
}

// elements reads a list, whose values element must read. Any other value is skipped.
func (f *file) elements(element func()) {
	if f.Next() != jsonread.Array {
		f.value()
		return
	}
	elements := f.Array()
	for f.wrong == nil && elements.Next() {
		element()
	}
	if elements.Err() != nil {
		f.fail(errLine)
	}
}

func (f *file) object(of fields) {
	f.members(func(key []byte) { f.field(of[string(key)]) })
}

func (f *file) field(to any) {
	switch to := to.(type) {
	case fields:
		f.object(to)
	case func():
		to()
	case *int64:
		*to = f.count()
	case *[]byte:
		kind := f.Next()
		if value := f.value(); kind == jsonread.String && len(value) > len(`""`) {
			*to = value
		}
	case *bool:
		*to = string(f.value()) == "true"
	default:
		f.value()
	}
}

// count reads a count, which may be written 1000.0 or "1000"; null is 0.
func (f *file) count() int64 {
	kind := f.Next()
	text := f.value()
	if f.wrong != nil || kind == jsonread.Null {
		return 0
	}
	n, ok := countOf(text)
	if !ok {
		f.fail(errCount)
	}
	return n
}

// countOf accepts 1000.0 and 1e3.
func countOf(text []byte) (int64, bool) {
	const most = 1 << 53
	if n := len(text); n > 2 && text[0] == '"' {
		text = text[1 : n-1]
	}
	if n, err := strconv.ParseInt(string(text), 10, 64); err == nil {
		return n, n >= 0 && n <= most
	}
	x, err := strconv.ParseFloat(string(text), 64)
	return int64(x), err == nil && x >= 0 && x <= most && x == math.Trunc(x)
}

// repeated is textOf for what many lines state, such as their type or model: each text is allocated once.
func (f *file) repeated(value []byte) string {
	text, known := f.texts[string(value)]
	if !known {
		if text = textOf(value); len(value) > longestText {
			return text
		}
		if f.texts == nil || len(f.texts) == mostTexts {
			f.texts = map[string]string{}
		}
		f.texts[string(value)] = text
	}
	return text
}

const mostTexts = 100

// at returns the line's time, or zero if it has no time.
func (f *file) at(text []byte) time.Time {
	if text == nil {
		return time.Time{}
	}
	at, err := time.Parse(time.RFC3339, textOf(text))
	if err != nil || !storable(at) {
		f.fail(errTime)
	}
	return at.UTC()
}
