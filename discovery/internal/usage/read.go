package usage

import (
	"errors"
	"io"
	"strings"

	"github.com/go-faster/jx"
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
	// requests are the uses of tools that are billed, and detailed is the number of all uses of tools that have a name.
	requests map[string]int64
	detailed int64
	// compaction is the sum of the entries of iterations that the object itself leaves out.
	compaction Usage
}

func (c *counts) has(f field) bool { return c.seen&(1<<f) != 0 }

// read reads an object with the fields of any provider.
func (c *counts) read(data []byte) error {
	d := jx.GetDecoder()
	defer jx.PutDecoder(d)
	d.ResetBytes(data)
	if d.Next() != jx.Object {
		return &Error{"usage", "must be a JSON object"}
	}
	if err := c.object(d, top, ""); err != nil {
		return err
	}
	if !atEnd(d) {
		return &Error{"usage", "must be one JSON object"}
	}
	return nil
}

// atEnd reports whether only white space is left. Next returns Invalid at the end, and also before text that is not JSON.
func atEnd(d *jx.Decoder) bool { return d.Next() == jx.Invalid && errors.Is(d.Skip(), io.EOF) }

// object reads what o describes, and skips the rest. An error of the decoder is replaced: it may quote the object.
func (c *counts) object(d *jx.Decoder, o *object, path string) error {
	members, err := d.ObjIter()
	if err != nil {
		return malformed(path)
	}
	for members.Next() {
		if err := c.member(d, o, path, members.Key()); err != nil {
			return err
		}
	}
	if members.Err() != nil {
		return malformed(path)
	}
	return nil
}

func malformed(path string) error {
	if path == "" {
		path = "usage"
	}
	return &Error{strings.TrimSuffix(path, "."), "is not valid JSON"}
}

func (c *counts) member(d *jx.Decoder, o *object, path string, key []byte) error {
	if f, ok := o.counts[string(key)]; ok {
		return c.count(d, f, path, names[f])
	}
	if child, ok := o.objects[string(key)]; ok {
		return c.nested(d, child, path+string(key)+".")
	}
	if o == top {
		return c.special(d, key)
	}
	return skip(d, path)
}

func skip(d *jx.Decoder, path string) error {
	if d.Skip() != nil {
		return malformed(path)
	}
	return nil
}

// count reads a whole number of 0 or more; null counts as a missing field.
func (c *counts) count(d *jx.Decoder, f field, path, name string) error {
	switch d.Next() {
	case jx.Null:
		return skip(d, path+name)
	case jx.Number:
	default:
		return &Error{path + name, "must be a number"}
	}
	n, err := d.Int64()
	switch {
	case err != nil:
		return &Error{path + name, "must be a whole number"}
	case n < 0:
		return &Error{path + name, "is negative"}
	case f != costTicks && n > maxTokens:
		return &Error{path + name, "is too large"}
	case c.has(f) && c.value[f] != n:
		return &Error{path + name, "has two values"}
	}
	c.value[f], c.seen = n, c.seen|1<<f
	return nil
}

func (c *counts) nested(d *jx.Decoder, o *object, path string) error {
	switch d.Next() {
	case jx.Null:
		return skip(d, path)
	case jx.Object:
		return c.object(d, o, path)
	default:
		return &Error{strings.TrimSuffix(path, "."), "must be an object"}
	}
}

// special reads the members of the usage object that are neither known counts nor objects of them.
func (c *counts) special(d *jx.Decoder, key []byte) error {
	name := string(key)
	place, changes := modeNames[name]
	m, counted := modalities[name]
	switch {
	case changes:
		return c.mode(d, name, place)
	case counted:
		return list(d, name, func() error { return c.modality(d, name, m) })
	case name == "iterations":
		return list(d, name, func() error { return c.iteration(d) })
	case name == "grounding_tool_count":
		return list(d, name, func() error { return c.grounding(d) })
	case toolCounts[name] != "":
		return c.tools(d, name)
	case strings.HasSuffix(name, "_tokens"), strings.HasSuffix(name, "TokenCount"):
		return c.unknown(d, name)
	}
	return skip(d, "usage")
}

// unknown reads a count that is not known. It is kept as a mode unless it is 0.
func (c *counts) unknown(d *jx.Decoder, name string) error {
	kind := d.Next()
	raw, err := d.Raw()
	if err != nil {
		return malformed("usage")
	}
	switch {
	case kind != jx.Number && kind != jx.String:
	case strings.Trim(string(raw), `-+0.eE"`) != "":
		c.addMode(unknownName(name))
	}
	return nil
}

// list reads an array, or null.
func list(d *jx.Decoder, name string, element func() error) error {
	switch d.Next() {
	case jx.Null:
		return skip(d, name)
	case jx.Array:
	default:
		return &Error{name, "must be an array"}
	}
	elements, err := d.ArrIter()
	if err != nil {
		return malformed(name)
	}
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
