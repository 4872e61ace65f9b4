// Package wire is the runtime of the generated types. It decodes JSON in one pass, checks what the OpenAPI document
// requires, keeps unknown fields, and encodes by appending to one buffer.
//
// A generated type has a decode and an encode method. For an object with one required field they are:
//
//	func (t *Peer) decode(d *wire.Decoder) error {
//		*t = Peer{}
//		var seen wire.Fields
//		o := d.Object()
//		for o.Next() {
//			switch string(o.Key()) {
//			case "name":
//				seen.Add(0)
//				o.Report(wire.String(&t.Name, d))
//			default:
//				o.Unknown(&t.AdditionalProperties)
//			}
//		}
//		return seen.Check(o.Err(), "name")
//	}
//
//	func (t *Peer) encode(e *wire.Encoder) {
//		start := e.Begin()
//		wire.WriteString(&t.Name, e.Field("name"))
//		e.End(start, t.AdditionalProperties)
//	}
//
// Values are read and written by functions of two shapes, func(*T, *Decoder) error and func(*T, *Encoder). [ArrayOf],
// [MapOf] and [Nullable] compose the first, [WriteArrayOf], [WriteMapOf] and [WriteNullable] the second.
//
// Decoding and encoding errors are [*Error], with the path of the failing field. They contain no value and no field name
// that the document does not define, because either may be a secret.
//
// A Decoder or an Encoder belongs to one call. It is not safe for concurrent use.
//
// go-faster/jx is the lexer: encoding/json needs a second pass for the unknown fields and about four times as long.
package wire

import (
	"errors"
	"io"
	"unicode/utf8"

	"github.com/go-faster/jx"
)

// Decoder reads one JSON document.
type Decoder struct {
	jx jx.Decoder
	// elements counts the array elements and the map entries so far.
	elements int
}

// maxElements bounds the array elements and map entries of one document, since a Go value takes many times the few bytes of an
// element such as "0,". A document with that many elements of a usual size exceeds every size limit.
const maxElements = 500_000

// element counts an array element or a map entry.
func (d *Decoder) element() error {
	if d.elements++; d.elements > maxElements {
		return ErrTooMany
	}
	return nil
}

// Unmarshal decodes data into v. It returns an error if anything but white space follows the document.
func Unmarshal[T any](data []byte, v *T, read func(*T, *Decoder) error) error {
	var d Decoder
	d.jx.ResetBytes(data)
	if err := read(v, &d); err != nil {
		return located("", err)
	}
	if !atEnd(&d.jx) {
		return located("", errTrailing)
	}
	return nil
}

// atEnd reports whether only white space is left. Skip alone is not enough: it also returns io.EOF for a value that is
// truncated.
func atEnd(d *jx.Decoder) bool { return d.Next() == jx.Invalid && errors.Is(d.Skip(), io.EOF) }

// IsArray reports whether the next value is an array.
func (d *Decoder) IsArray() bool { return d.jx.Next() == jx.Array }

// text returns raw as a string. Each invalid byte becomes U+FFFD, as in encoding/json; strings.ToValidUTF8 replaces a run of them
// by one.
func text(raw []byte) string {
	if utf8.Valid(raw) {
		return string(raw)
	}
	return string([]rune(string(raw)))
}

// expect returns an error unless the next value has type want. The error of jx would be "unexpected byte".
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

// invalid returns the error of jx for input that does not start a value.
func (d *Decoder) invalid() error {
	if err := d.jx.Skip(); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	return io.ErrUnexpectedEOF
}
