package usage

import (
	"strings"

	"github.com/mesh-gateway/mesh-go/internal/jsonread"
)

// Error names the field that is wrong. It never holds a value of the object.
type Error struct{ Field, Reason string }

func (e *Error) Error() string { return "usage field " + e.Field + " " + e.Reason }

// maxTokens bounds a count, so that no sum of counts overflows.
const maxTokens = 1 << 53

// counts are the fields of an object as they were read.
type counts struct {
	value [fields]int64
	seen  uint64
	// named are the modes of the fields that have a place, and modes are the others.
	named [modePlaces]string
	modes []string
	// requests are the uses of tools that are billed, and detailed is their sum.
	requests map[string]int64
	detailed int64
	// listed reports that xAI's details list the uses.
	listed bool
	// timed reports that the object has a duration instead of tokens.
	timed bool
	// compaction is the sum of the entries of iterations that the object itself leaves out.
	compaction Usage
	// stated is what the object states about the charge.
	stated stated
	// wrong is why the counts are invalid. The rest of the object is read, since it may have a charge.
	wrong error
}

func (c *counts) has(f field) bool { return c.seen&(1<<f) != 0 }

// read reads an object with the fields of any provider.
func (c *counts) read(d *jsonread.Decoder) error {
	if d.Next() != jsonread.Object {
		return &Error{"usage", "must be a JSON object"}
	}
	return c.object(d, top, path{})
}

// path is where a value is in the usage object. Its text is only made for an error.
type path struct {
	outer string // with a point at its end
	name  []byte // of an object in outer, if any
}

func (p path) String() string {
	if p.name == nil {
		return p.outer
	}
	return p.outer + string(p.name) + "."
}

// in returns the path of an object in p.
func (p path) in(name []byte) path { return path{p.String(), name} }

// object reads what o describes, and skips the rest. An error of the decoder is replaced: it may quote the object.
func (c *counts) object(d *jsonread.Decoder, o *object, at path) error {
	members := d.Object()
	for members.Next() {
		begin := d.Mark()
		if err := c.member(d, o, at, members.Key()); err != nil {
			c.wrong = first(c.wrong, err)
			d.Return(begin)
			if d.Skip() != nil {
				return malformed(at.String())
			}
		}
	}
	if members.Err() != nil {
		return malformed(at.String())
	}
	return nil
}

func malformed(path string) error {
	if path == "" {
		path = "usage"
	}
	return &Error{strings.TrimSuffix(path, "."), "is not valid JSON"}
}

func (c *counts) member(d *jsonread.Decoder, o *object, at path, key []byte) error {
	if f, ok := o.counts[string(key)]; ok {
		return c.count(d, f, at, names[f])
	}
	if child, ok := o.objects[string(key)]; ok {
		return c.nested(d, child, at.in(key))
	}
	if o == top {
		return c.special(d, key)
	}
	return c.detail(d, string(key))
}

// detail reads a member of the details that is not known. If it is not 0, or has a count that is not, it may be billed.
func (c *counts) detail(d *jsonread.Decoder, name string) error {
	switch kind := d.Next(); {
	case kind == jsonread.Object:
		return eachMember(d, name, func(key []byte) error { return c.detail(d, string(key)) })
	case kind == jsonread.Number && !parts[name]:
		return c.unknown(d, name)
	}
	return skip(d, "usage")
}

func skip(d *jsonread.Decoder, path string) error {
	if d.Skip() != nil {
		return malformed(path)
	}
	return nil
}

// count reads a whole number of 0 or more; null counts as a missing field.
func (c *counts) count(d *jsonread.Decoder, f field, at path, name string) error {
	kind := d.Next()
	if kind == jsonread.Null {
		return skip(d, at.String()+name)
	}
	again := c.has(f)
	c.seen |= 1 << f // also if it is wrong: it shows the API
	if kind != jsonread.Number {
		return &Error{at.String() + name, "must be a number"}
	}
	n, err := d.Int64()
	switch {
	case err != nil:
		return &Error{at.String() + name, "must be a whole number"}
	case n < 0:
		return &Error{at.String() + name, "is negative"}
	case f != costTicks && n > maxTokens:
		return &Error{at.String() + name, "is too large"}
	case again && c.value[f] != n:
		return &Error{at.String() + name, "has two values"}
	}
	c.value[f] = n
	return nil
}

func (c *counts) nested(d *jsonread.Decoder, o *object, at path) error {
	switch d.Next() {
	case jsonread.Null:
		return skip(d, at.String())
	case jsonread.Object:
		return c.object(d, o, at)
	default:
		return &Error{strings.TrimSuffix(at.String(), "."), "must be an object"}
	}
}

// special reads the members of the usage object that are neither known counts nor objects of them.
func (c *counts) special(d *jsonread.Decoder, key []byte) error {
	if place, changes := modeNames[string(key)]; changes {
		return c.mode(d, key, place)
	}
	name := string(key)
	m, counted := modalities[name]
	switch {
	case counted:
		return list(d, name, func() error { return c.modality(d, name, m) })
	case name == "iterations":
		return list(d, name, func() error { return c.iteration(d) })
	case name == "grounding_tool_count":
		return list(d, name, func() error { return c.grounding(d) })
	case toolCounts[name] != "":
		return c.tools(d, name)
	case name == "type":
		return c.kind(d)
	case name == "cacheDetails":
		return list(d, name, func() error { return c.cacheDetail(d) })
	case strings.HasSuffix(name, "_tokens_details"), name == "serverToolUsage":
		return c.detail(d, name)
	case strings.HasSuffix(name, "_tokens"), strings.HasSuffix(name, "TokenCount"), strings.HasSuffix(name, "Tokens"):
		return c.unknown(d, name)
	}
	return c.stated.member(d, name)
}

// kind reads the type of a transcription's object, which is tokens or duration.
func (c *counts) kind(d *jsonread.Decoder) error {
	if d.Next() != jsonread.String {
		return skip(d, "type")
	}
	kind, err := d.StrBytes()
	if err != nil {
		return malformed("type")
	}
	c.timed = string(kind) == "duration"
	return nil
}

// unknown reads a count that is not known. It is kept as a mode unless it is 0.
func (c *counts) unknown(d *jsonread.Decoder, name string) error {
	kind := d.Next()
	raw, err := d.Raw()
	if err != nil {
		return malformed("usage")
	}
	switch {
	case kind != jsonread.Number && kind != jsonread.String:
	case strings.Trim(string(raw), `-+0.eE"`) != "":
		c.addMode(unknownName(name))
	}
	return nil
}

// list reads an array, or null.
func list(d *jsonread.Decoder, name string, element func() error) error {
	switch d.Next() {
	case jsonread.Null:
		return skip(d, name)
	case jsonread.Array:
	default:
		return &Error{name, "must be an array"}
	}
	elements := d.Array()
	for elements.Next() {
		if err := element(); err != nil {
			return err
		}
	}
	if elements.Err() != nil {
		return malformed(name)
	}
	return nil
}
