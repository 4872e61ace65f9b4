package usage

import (
	"errors"
	"strconv"
	"strings"

	"github.com/mesh-gateway/mesh-go/internal/decimal"
	"github.com/mesh-gateway/mesh-go/internal/jsonread"
)

// Error names the wrong field. It never includes a value.
type Error struct{ Field, Reason string }

func (e *Error) Error() string { return "usage field " + e.Field + " " + e.Reason }

// maxTokens keeps sums of counts from overflowing.
const maxTokens = 1 << 53

// firstError is faster than cmp.Or, which compares the errors with nil as interfaces.
func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

type counts struct {
	value [fields]int64
	seen  fieldSet
	// mistyped are counts with another type.
	mistyped fieldSet
	// named has the modes listed in modeNames, and modes has the others.
	named [modePlaces]string
	modes []string
	// requests counts billed tool uses by name. detailed is the sum from objects that list
	// them.
	requests map[string]int64
	detailed int64
	// listed is set if a details object lists the tool uses.
	listed bool
	// timed is set if the object has a duration instead of tokens.
	timed bool
	// iterations are Anthropic's. entire is set if they can't be priced one by one, because
	// a message among them lacks counts.
	iterations []iteration
	entire     bool
	stated     stated
	// wrong is the first error in the counts. Reading continues, because the object may
	// state a charge.
	wrong error
}

func (c *counts) has(f field) bool { return c.seen&(1<<f) != 0 }

func (c *counts) read(d *jsonread.Decoder) error {
	if d.Next() != jsonread.Object {
		return &Error{"usage", "must be a JSON object"}
	}
	return c.object(d, top)
}

// errMalformed replaces decoder errors, which may quote the object.
var errMalformed = &Error{"usage", "is not valid JSON"}

// object reads all members. It skips a wrong member, and keeps the first error in
// c.wrong.
func (c *counts) object(d *jsonread.Decoder, o *object) error {
	members := d.Object()
	for members.Next() {
		begin := d.Mark()
		if err := c.member(d, o, members.Key()); err != nil {
			c.wrong = firstError(c.wrong, err)
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

// inside adds the enclosing object's name to an error.
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
	m, known := o.find(key)
	switch {
	case m.object != nil:
		return c.nested(d, m.object, key)
	case known && totals&(1<<m.count) != 0 && d.Next() != jsonread.Number: // no loss
		return d.Skip()
	case known:
		return c.count(d, m.count, names[m.count])
	case o == top:
		return c.special(d, key)
	}
	return c.detail(d, string(key))
}

// detail reads an unknown detail. Unless it is 0, it may be billed.
func (c *counts) detail(d *jsonread.Decoder, name string) error {
	switch kind := d.Next(); {
	case kind == jsonread.Object:
		return eachMember(d, name, func(key []byte) error { return c.detail(d, string(key)) })
	case kind == jsonread.Number && !parts[name]:
		return c.unknown(d, name)
	}
	return d.Skip()
}

// count reads a whole number. null is a missing field.
func (c *counts) count(d *jsonread.Decoder, f field, name string) error {
	kind := d.Next()
	if kind == jsonread.Null {
		return d.Skip()
	}
	again := c.has(f)
	c.seen |= 1 << f // even if it's wrong, because it identifies the API
	if kind != jsonread.Number {
		c.mistyped |= 1 << f
		return d.Skip()
	}
	n, err := Int(d)
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

// Int reads a whole number, which may be written 1000.0 or 1e3.
func Int(d *jsonread.Decoder) (int64, error) {
	begin := d.Mark()
	n, err := d.Int64()
	if err == nil {
		return n, nil
	}
	d.Return(begin)
	raw, failed := d.Raw()
	amount, wrong := decimal.Parse(string(raw))
	if failed != nil || wrong != nil {
		return 0, err
	}
	if n, err = strconv.ParseInt(amount.String(), 10, 64); err != nil {
		return 0, err
	}
	return n, nil
}

func (c *counts) nested(d *jsonread.Decoder, o *object, key []byte) error {
	switch d.Next() {
	case jsonread.Object:
		outer := c.wrong
		c.wrong = nil
		err := c.object(d, o)
		if c.wrong != nil {
			c.wrong = inside(string(key), c.wrong)
		}
		c.wrong = firstError(outer, c.wrong)
		return err
	default:
		return c.other(d, string(key))
	}
}

// other skips a value with another type. Unless it is null, it may be billed.
func (c *counts) other(d *jsonread.Decoder, name string) error {
	if d.Next() != jsonread.Null {
		c.addMode(unknownName(name))
	}
	return d.Skip()
}

// special reads members that are neither counts nor objects with counts.
func (c *counts) special(d *jsonread.Decoder, key []byte) error {
	if place, changes := modeNames[string(key)]; changes {
		return c.mode(d, key, place)
	}
	name := string(key)
	m, counted := modalities[name]
	switch {
	case counted:
		return c.list(d, name, func(d *jsonread.Decoder) error { return c.modality(d, name, m) })
	case name == "iterations":
		return c.list(d, name, c.iteration)
	case name == "grounding_tool_count":
		return c.list(d, name, c.grounding)
	case toolCounts[name] != "":
		return c.tools(d, name)
	case name == "type":
		return c.kind(d)
	case name == "cacheDetails":
		return c.list(d, name, c.cacheDetail)
	case strings.HasSuffix(name, "_tokens_details"), name == "serverToolUsage":
		return c.detail(d, name)
	case strings.HasSuffix(name, "_tokens"), strings.HasSuffix(name, "TokenCount"), strings.HasSuffix(name, "Tokens"):
		return c.unknown(d, name)
	}
	return c.stated.member(d, name)
}

// kind reads a transcription's type, tokens or duration.
func (c *counts) kind(d *jsonread.Decoder) error {
	if d.Next() != jsonread.String {
		return d.Skip()
	}
	kind, err := d.StrBytes()
	c.timed = string(kind) == "duration"
	return err
}

// unknown keeps an unknown count as a mode, unless it is 0.
func (c *counts) unknown(d *jsonread.Decoder, name string) error {
	kind := d.Next()
	raw, err := d.Raw()
	if (kind == jsonread.Number || kind == jsonread.String) && strings.Trim(string(raw), `-+0.eE"`) != "" {
		c.addMode(unknownName(name))
	}
	return err
}

func (c *counts) list(d *jsonread.Decoder, name string, element func(*jsonread.Decoder) error) error {
	if d.Next() != jsonread.Array {
		return c.other(d, name)
	}
	elements := d.Array()
	for elements.Next() {
		if err := element(d); err != nil {
			return err
		}
	}
	return elements.Err()
}

func eachMember(d *jsonread.Decoder, name string, member func(key []byte) error) error {
	if d.Next() != jsonread.Object {
		return &Error{name, "must hold objects"}
	}
	members := d.Object()
	for members.Next() {
		if err := member(members.Key()); err != nil {
			return err
		}
	}
	return members.Err()
}

// entry reads a name and a number, such as {"ttl": "1h", "inputTokens": 7}.
func entry(d *jsonread.Decoder, list, nameKey, numberKey string) (name string, n int64, err error) {
	err = eachMember(d, list, func(key []byte) (err error) {
		switch string(key) {
		case nameKey:
			name, err = text(d, list)
		case numberKey:
			n, err = amount(d, list)
		default:
			err = d.Skip()
		}
		return err
	})
	return name, n, err
}

func text(d *jsonread.Decoder, list string) (string, error) {
	value, err := d.Str()
	if err != nil {
		return "", &Error{list, "is not valid JSON"}
	}
	return value, nil
}

func amount(d *jsonread.Decoder, name string) (int64, error) {
	n, err := Int(d)
	if err != nil || n < 0 || n > maxTokens {
		return 0, &Error{name, "must have whole numbers from 0 to 2^53"}
	}
	return n, nil
}
