// Package wire decodes and encodes the generated types. It checks what the OpenAPI
// document requires and keeps unknown fields.
//
// Each generated object registers a [Table] with the facts that its Go type can't
// express:
//
//	var objectPeer = wire.Register[Peer](wire.Table{Fields: map[string]wire.Field{
//		"name": {Required: true},
//	}})
//
// On first use, each field gets a codec, chosen by its Go type. Decoding is one pass over
// the body; encoding appends to one buffer.
//
// Errors are [*Error], with the path of the failing field. They contain no value and no
// field name that the document doesn't define, because either may be a secret.
//
// It uses package jsonread, because encoding/json would need a second pass for unknown
// fields.
package wire

import (
	"reflect"

	"github.com/mesh-gateway/mesh-go/internal/jsonread"
)

// Decoder reads one JSON document and counts its elements.
type Decoder struct {
	json jsonread.Decoder
	// array elements and map entries so far
	elements int
}

// maxElements bounds a document's array elements and map entries, because the Go value
// for an element such as "0," is many times larger than its text. A document with that
// many ordinary elements would exceed any size limit anyway.
const maxElements = 500_000

func (d *Decoder) element() error {
	if d.elements++; d.elements > maxElements {
		return ErrTooMany
	}
	return nil
}

// decode reads exactly one document.
func decode(data []byte, v reflect.Value, read func(reflect.Value, *Decoder) error) error {
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
