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
// The lexer is package jsonread: encoding/json needs a second pass for the unknown fields and about four times as long.
package wire

import "github.com/mesh-gateway/mesh-go/internal/jsonread"

// Decoder reads one JSON document.
type Decoder struct {
	json jsonread.Decoder
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
	d.json.Reset(data)
	if err := read(v, &d); err != nil {
		return located("", err)
	}
	if !d.json.AtEnd() {
		return located("", errTrailing)
	}
	return nil
}

// IsArray reports whether the next value is an array.
func (d *Decoder) IsArray() bool { return d.json.Next() == jsonread.Array }

// expect returns an error unless the next value is of a kind.
func (d *Decoder) expect(want jsonread.Kind) error {
	switch got := d.json.Next(); got {
	case want:
		return nil
	case jsonread.Invalid:
		return d.json.Skip()
	default:
		return &typeError{want: want, got: got}
	}
}
