package sessions

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"math"
	"strconv"

	"github.com/mesh-gateway/mesh-go/internal/jsonread"
)

var (
	errCount   = errors.New("a count of tokens must be a whole number from 0 to 2^53")
	errTime    = errors.New("time must be an RFC 3339 time")
	errExtra   = errors.New("usage has too many members")
	errNoUsage = errors.New("usage is missing, and so is the cost")
)

// file reads one session file. It reads a line's fields, skips all other members and
// calls take.
type file struct {
	jsonread.Decoder
	*run
	path  string
	in    io.Reader
	index int32

	fields fields
	take   func()
	// open, if set, replaces reading line by line, as for a database.
	open func(yield func(record, error) bool)

	line   lineFields
	texts  map[string]string // JSON -> text, if it repeats
	number int32             // of the line
	wrong  error             // first error in the line, after which nothing is read
}

// lineFields has a line's values. The []byte fields are JSON, or nil if missing.
type lineFields struct {
	kind, event, time, id, session, parent, thread, base, cwd, provider, model, request, uuid, tier []byte

	failed      bool
	counts      counts
	last, total counts
	start       int64 // Unix milliseconds
	states      []modelState
	usd         float64

	// Claude Code only.
	usage, split bool
	compaction   counts
	extra        []byte   // other usage members
	requests     []counts // in one response
	advisors     []advisor
}

// fields maps member names to targets. A *[]byte gets the JSON for a non-empty string, a
// *int64 a count, a *float64 a number and a *bool a boolean. Nested fields read an
// object, and a func() reads any value. Values with another type are skipped, except
// that an invalid count is an error.
type fields map[string]any

func (c *counts) fields(names ...string) fields {
	all := fields{}
	for i, name := range names {
		all[name] = &c[i]
	}
	return all
}

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

// members calls member for each key in an object; member must read the value. Any value
// other than an object is skipped.
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

// elements calls element for each element in an array; element must read it. Any value
// other than an array is skipped.
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
	case *float64:
		*to, _ = strconv.ParseFloat(string(bytes.TrimSpace(f.value())), 64)
	case *bool:
		*to = string(f.value()) == "true"
	default:
		f.value()
	}
}

// count accepts 1000.0, "1000" and null, which is 0.
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

// repeated is like textOf, but caches values, most of which repeat on every line.
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

// at returns the line's time in Unix nanoseconds; 0 if unset.
func (f *file) at() int64 {
	if f.line.time == nil {
		return 0
	}
	at, err := timeOf(textOf(f.line.time))
	f.fail(err)
	return at
}

// dated is like at, but a missing time is an error.
func (f *file) dated() (at int64, ok bool) {
	if at = f.at(); f.line.time == nil {
		f.fail(errTime)
	}
	return at, f.wrong == nil
}
