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
	"encoding/json"
	"errors"
	"hash/maphash"
	"io"
	"sync"
	"unicode/utf8"

	"github.com/go-faster/jx"
)

// Decoder reads one JSON document.
type Decoder struct {
	jx *jx.Decoder
	// recent holds short strings of earlier rows. It is nil before the first long array: elsewhere few strings repeat.
	recent *[128]string
	seed   maphash.Seed
	// spare is the buffer that small raw values are copied to.
	spare []byte
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
	d := decoders.Get().(*Decoder) //nolint:forcetypeassert // it holds nothing else
	defer d.release()
	d.jx.ResetBytes(data)
	if err := read(v, d); err != nil {
		return located("", err)
	}
	if !atEnd(d.jx) {
		return located("", errTrailing)
	}
	return nil
}

// decoders holds decoders for reuse: some documents are decoded row by row.
var decoders = sync.Pool{New: func() any { return &Decoder{jx: jx.DecodeBytes(nil)} }}

// release returns d to the pool without a reference to the document. It keeps the short strings: a list that is decoded row by
// row shares them too. That shows nothing of one document in another, because text returns a kept string only for the same
// bytes, and keeps nothing for long, because a pool is emptied when garbage is collected. Secrets are read by JSON, which keeps
// no string.
func (d *Decoder) release() {
	d.jx.ResetBytes(nil)
	*d = Decoder{jx: d.jx, recent: d.recent, seed: d.seed}
	decoders.Put(d)
}

// atEnd reports whether only white space is left. Skip alone is not enough: it also returns io.EOF for a value that is
// truncated.
func atEnd(d *jx.Decoder) bool { return d.Next() == jx.Invalid && errors.Is(d.Skip(), io.EOF) }

// IsArray reports whether the next value is an array.
func (d *Decoder) IsArray() bool { return d.jx.Next() == jx.Array }

// longestShared bounds the strings that are shared between rows: names, kinds and units are shorter, texts are longer.
const longestShared = 28

// text returns raw as a string. It returns the string of an earlier row if that has the same bytes.
func (d *Decoder) text(raw []byte) string {
	if d.recent == nil || len(raw) > longestShared {
		return valid(string(raw))
	}
	slot := &d.recent[maphash.Bytes(d.seed, raw)%uint64(len(d.recent))]
	if *slot != string(raw) {
		*slot = valid(string(raw))
	}
	return *slot
}

// longArray is the number of elements from which on equal strings are shared. The table costs more than it saves before.
const longArray = 8

// share makes text share equal strings if an array already has n elements.
func (d *Decoder) share(n int) {
	if n == longArray && d.recent == nil {
		d.recent, d.seed = new([128]string), maphash.MakeSeed()
	}
}

// valid replaces each invalid byte by U+FFFD, as encoding/json does. strings.ToValidUTF8 replaces a run of them by one.
func valid(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return string([]rune(s))
}

// spareSize bounds the memory that one kept value can hold.
const spareSize = 1024

// keep copies raw, because a value that points into the body keeps all of the body in memory. The copy has no spare
// capacity, so that appending to it does not change the next one.
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
