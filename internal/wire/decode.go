// Package wire is the runtime of the generated types: it reads a JSON document once, front to back, and checks on the
// way what the OpenAPI document promises.
//
// The generated decode methods drive it:
//
//	err := d.Object(func(key []byte) error {
//		switch string(key) {
//		case "name":
//			seen.Add(0)
//			return wire.String(&t.Name, d)
//		default:
//			return d.Unknown(&t.AdditionalProperties, key)
//		}
//	})
//	return seen.Check(err, wire.Required{Index: 0, Name: "name"})
//
// Decoding errors are [*Error] and say where in the document they happened. They never quote a value, because a value may be a
// secret. A Decoder belongs to one call; it is not safe for concurrent use.
//
// go-faster/jx does the lexing. encoding/json needs a second pass for the unknown fields and about four times as long
// (BenchmarkInbox in client).
package wire

import (
	"encoding/json"
	"errors"
	"io"

	"github.com/go-faster/jx"
)

// Decoder reads one JSON document.
type Decoder struct {
	jx *jx.Decoder
	// names holds every unknown field name once: the rows of a list repeat the same few.
	names map[string]string
	// spare is where raw values are copied to. They must not point into the body: one kept message would keep all of it.
	spare []byte
}

// Unmarshal reads data with decode and refuses anything but white space after it.
func Unmarshal(data []byte, decode func(*Decoder) error) error {
	d := &Decoder{jx: jx.DecodeBytes(data)}
	if err := decode(d); err != nil {
		return located("", err)
	}
	// Skip alone would not do: it also meets the end of the data inside a value that breaks off.
	if d.jx.Next() != jx.Invalid || !errors.Is(d.jx.Skip(), io.EOF) {
		return located("", errTrailing)
	}
	return nil
}

// IsArray reports whether an array comes next.
func (d *Decoder) IsArray() bool { return d.jx.Next() == jx.Array }

// Object reads an object and calls field for each of its members; field has to read the value.
func (d *Decoder) Object(field func(key []byte) error) error {
	if err := d.expect(jx.Object); err != nil {
		return err
	}
	return d.jx.ObjBytes(func(_ *jx.Decoder, key []byte) error {
		if err := field(key); err != nil {
			return located(printable(key), err)
		}
		return nil
	})
}

// Unknown keeps a member that the document does not know.
func (d *Decoder) Unknown(fields *map[string]json.RawMessage, key []byte) error {
	name := d.name(key)
	raw, err := d.jx.Raw()
	if err != nil {
		return err
	}
	if *fields == nil {
		*fields = make(map[string]json.RawMessage)
	}
	(*fields)[name] = d.keep(raw)
	return nil
}

// Skip checks the syntax of a member that nobody wants and forgets it.
func (d *Decoder) Skip() error { return d.jx.Skip() }

func (d *Decoder) name(key []byte) string {
	if name, ok := d.names[string(key)]; ok {
		return name
	}
	if d.names == nil {
		d.names = make(map[string]string)
	}
	name := valid(string(key))
	d.names[string(key)] = name
	return name
}

// spareSize bounds what a single kept value can hold on to.
const spareSize = 1024

// keep copies raw. The copy has no spare capacity: appending to it cannot reach its neighbour.
func (d *Decoder) keep(raw []byte) json.RawMessage {
	if len(raw) > spareSize/4 {
		return append(json.RawMessage(nil), raw...)
	}
	if cap(d.spare)-len(d.spare) < len(raw) {
		d.spare = make([]byte, 0, spareSize)
	}
	start := len(d.spare)
	d.spare = append(d.spare, raw...)
	return json.RawMessage(d.spare[start:len(d.spare):len(d.spare)])
}

// expect fails unless a value of type want comes next. jx alone would say "unexpected byte"; the type reads better.
func (d *Decoder) expect(want jx.Type) error {
	switch got := d.jx.Next(); got {
	case want:
		return nil
	case jx.Invalid:
		return d.invalid()
	default:
		return &typeError{want: want, got: got}
	}
}

// invalid returns the lexer's own complaint about what comes next.
func (d *Decoder) invalid() error {
	if err := d.jx.Skip(); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	return io.ErrUnexpectedEOF
}
