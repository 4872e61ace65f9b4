// Package jsonread reads JSON from a byte slice, value by value, and builds only the
// values that are asked for.
package jsonread

import (
	"errors"
	"fmt"
	"io"
)

// maxDepth is encoding/json's limit.
const maxDepth = 10_000

var errDepth = errors.New("depth: maximum")

// syntaxError quotes only the first unexpected byte, because the text may contain
// secrets.
type syntaxError struct {
	c  byte
	at int
}

func (e *syntaxError) Error() string {
	return fmt.Sprintf("unexpected byte %d %q at %d", e.c, e.c, e.at)
}

// Decoder reads a JSON text value by value. Strings and raw values are slices of the text
// where possible. An error quotes at most one byte.
type Decoder struct {
	text  []byte
	at    int
	depth int
}

// Reset starts reading text.
func (d *Decoder) Reset(text []byte) { d.text, d.at, d.depth = text, 0, 0 }

// Mark is a position in a text.
type Mark struct{ at, depth int }

// Mark returns the position before the next value.
func (d *Decoder) Mark() Mark { return Mark{d.at, d.depth} }

// Return goes back to a position.
func (d *Decoder) Return(to Mark) { d.at, d.depth = to.at, to.depth }

// Since returns the text between begin and the next value.
func (d *Decoder) Since(begin Mark) []byte { return d.text[begin.at:d.at] }

// Rest returns the text that hasn't been read.
func (d *Decoder) Rest() []byte { return d.text[d.at:] }

// Discard skips n bytes of Rest, which must be a whole value.
func (d *Decoder) Discard(n int) { d.at += n }

// peek skips white space and returns the next byte, or 0 at the end.
func (d *Decoder) peek() byte {
	for text := d.text; d.at < len(text); d.at++ {
		if c := text[d.at]; c > ' ' || !space(c) {
			return c
		}
	}
	return 0
}

func space(c byte) bool { return c == ' ' || c == '\n' || c == '\r' || c == '\t' }

// consume skips white space and reads c.
func (d *Decoder) consume(c byte) error {
	if d.peek() != c {
		return d.unexpected()
	}
	d.at++
	return nil
}

func (d *Decoder) unexpected() error {
	if d.at == len(d.text) {
		return io.ErrUnexpectedEOF
	}
	return &syntaxError{d.text[d.at], d.at}
}

// Kind is a value's type, determined by its first byte.
type Kind uint8

// Invalid is the kind at the end of the text, and at a byte that starts no value.
const (
	Invalid Kind = iota
	Null
	Bool
	Number
	String
	Array
	Object
)

// String returns the name of the kind, such as "object".
func (k Kind) String() string {
	return [...]string{"invalid", "null", "bool", "number", "string", "array", "object"}[k]
}

var kinds = [256]Kind{
	'n': Null, 't': Bool, 'f': Bool, '"': String, '[': Array, '{': Object, '-': Number, '0': Number, '1': Number, '2': Number,
	'3': Number, '4': Number, '5': Number, '6': Number, '7': Number, '8': Number, '9': Number,
}

// Next returns the next value's kind.
func (d *Decoder) Next() Kind { return kinds[d.peek()] }

// Offset returns the next value's position in bytes. After an error it's where the text
// became invalid.
func (d *Decoder) Offset() int {
	d.peek()
	return d.at
}

// AtEnd reports whether only white space is left.
func (d *Decoder) AtEnd() bool { return d.peek() == 0 && d.at == len(d.text) }

// Raw reads any value and returns its text.
func (d *Decoder) Raw() ([]byte, error) {
	d.peek()
	begin := d.at
	err := d.Skip()
	return d.text[begin:d.at], err
}

// Bool reads true or false.
func (d *Decoder) Bool() (bool, error) {
	if d.peek() == 't' {
		return true, d.literal("true")
	}
	return false, d.literal("false")
}

func (d *Decoder) literal(word string) error {
	for i := range len(word) {
		if d.at == len(d.text) || d.text[d.at] != word[i] {
			return d.unexpected()
		}
		d.at++
	}
	return nil
}

// Skip reads a value of any type.
func (d *Decoder) Skip() error {
	switch d.Next() {
	case Object:
		return d.skipObject()
	case Array:
		return d.skipArray()
	case String:
		return d.skipString()
	case Number:
		_, err := d.Number()
		return err
	case Null:
		return d.literal("null")
	case Bool:
		_, err := d.Bool()
		return err
	default:
		return d.unexpected()
	}
}

func (d *Decoder) skipObject() error {
	members := d.Object()
	for members.Next() {
		if err := d.Skip(); err != nil {
			return err
		}
	}
	return members.Err()
}

func (d *Decoder) skipArray() error {
	elements := d.Array()
	for elements.Next() {
		if err := d.Skip(); err != nil {
			return err
		}
	}
	return elements.Err()
}
