package usage

import (
	"errors"
	"strconv"
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
	// iterations are those of Anthropic; entire reports that a message among them has no counts.
	iterations []iteration
	entire     bool
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
	return c.object(d, top)
}

// errMalformed is the error for text that is not JSON, wherever that is: an error of the decoder may quote the object.
var errMalformed = &Error{"usage", "is not valid JSON"}

// object reads what o describes, and skips the rest. What is wrong with a member is kept, and the others are read.
func (c *counts) object(d *jsonread.Decoder, o *object) error {
	members := d.Object()
	for members.Next() {
		begin := d.Mark()
		if err := c.member(d, o, members.Key()); err != nil {
			c.wrong = first(c.wrong, err)
			d.Return(begin)
			if d.Skip() != nil {
				return errMalformed
			}
		}
	}
	if members.Err() != nil {
		return errMalformed
	}
	return nil
}

// inside returns an error with the object in which the field is.
func inside(object string, err error) error {
	if err == nil { // errors.As allocates
		return nil
	}
	var wrong *Error
	if errors.As(err, &wrong) {
		return &Error{object + "." + wrong.Field, wrong.Reason}
	}
	return err
}

func (c *counts) member(d *jsonread.Decoder, o *object, key []byte) error {
	if f, ok := o.counts[string(key)]; ok {
		return c.count(d, f, names[f])
	}
	if child, ok := o.objects[string(key)]; ok {
		return c.nested(d, child, key)
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
	return d.Skip()
}

// count reads a whole number of 0 or more; null counts as a missing field.
func (c *counts) count(d *jsonread.Decoder, f field, name string) error {
	kind := d.Next()
	if kind == jsonread.Null {
		return d.Skip()
	}
	if kind != jsonread.Number && f >= cachedTokens { // a detail refuses only itself
		c.addMode(unknownName(name))
		return d.Skip()
	}
	again := c.has(f)
	c.seen |= 1 << f // also if it is wrong: it shows the API
	if kind != jsonread.Number {
		return &Error{name, "must be a number"}
	}
	n, err := whole(d)
	switch {
	case err != nil:
		return &Error{name, "must be a whole number"}
	case n < 0:
		return &Error{name, "is negative"}
	case f != costTicks && n > maxTokens:
		return &Error{name, "is too large"}
	case again && c.value[f] != n:
		return &Error{name, "has two values"}
	}
	c.value[f] = n
	return nil
}

// whole reads a whole number, which may be written 1000.0.
func whole(d *jsonread.Decoder) (int64, error) {
	begin := d.Mark()
	n, err := d.Int64()
	if err == nil {
		return n, nil
	}
	d.Return(begin)
	raw, failed := d.Raw()
	digits, zeros, point := strings.Cut(string(raw), ".")
	if failed != nil || !point || strings.Trim(zeros, "0") != "" {
		return 0, err
	}
	return strconv.ParseInt(digits, 10, 64)
}

func (c *counts) nested(d *jsonread.Decoder, o *object, key []byte) error {
	switch d.Next() {
	case jsonread.Null:
		return d.Skip()
	case jsonread.Object:
		outer := c.wrong
		c.wrong = nil
		err := c.object(d, o)
		if c.wrong != nil {
			c.wrong = inside(string(key), c.wrong)
		}
		c.wrong = first(outer, c.wrong)
		return err
	default:
		c.addMode(unknownName(string(key)))
		return d.Skip()
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
		return list(d, name, func(d *jsonread.Decoder) error { return c.modality(d, name, m) })
	case name == "iterations":
		return list(d, name, c.iteration)
	case name == "grounding_tool_count":
		return list(d, name, c.grounding)
	case toolCounts[name] != "":
		return c.tools(d, name)
	case name == "type":
		return c.kind(d)
	case name == "cacheDetails":
		return list(d, name, c.cacheDetail)
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
		return d.Skip()
	}
	kind, err := d.StrBytes()
	c.timed = string(kind) == "duration"
	return err
}

// unknown reads a count that is not known. It is kept as a mode unless it is 0.
func (c *counts) unknown(d *jsonread.Decoder, name string) error {
	kind := d.Next()
	raw, err := d.Raw()
	if (kind == jsonread.Number || kind == jsonread.String) && strings.Trim(string(raw), `-+0.eE"`) != "" {
		c.addMode(unknownName(name))
	}
	return err
}
