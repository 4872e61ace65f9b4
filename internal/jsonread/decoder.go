// Package jsonread reads JSON from a slice of bytes, value by value, without building what is not needed.
package jsonread

import (
	"errors"
	"fmt"
	"io"
)

// maxDepth bounds the nesting, as encoding/json does.
const maxDepth = 10_000

var errDepth = errors.New("depth: maximum")

// syntaxError is the first byte that JSON does not allow at its place. More of the text may be a secret.
type syntaxError struct {
	c  byte
	at int
}

func (e *syntaxError) Error() string {
	return fmt.Sprintf("unexpected byte %d %q at %d", e.c, e.c, e.at)
}

// Decoder reads a JSON text value by value. Strings and raw values are slices of the text where they can be. An error contains at
// most one byte of the text.
type Decoder struct {
	text  []byte
	at    int
	depth int
}

// Reset begins to read a text.
func (d *Decoder) Reset(text []byte) { d.text, d.at, d.depth = text, 0, 0 }

// Mark is a place in a text.
type Mark struct{ at, depth int }

// Mark returns the place of the next value.
func (d *Decoder) Mark() Mark { return Mark{d.at, d.depth} }

// Return goes back to a place.
func (d *Decoder) Return(to Mark) { d.at, d.depth = to.at, to.depth }

// Since returns the text from a place to the next value.
func (d *Decoder) Since(begin Mark) []byte { return d.text[begin.at:d.at] }

// peek returns the next byte after white space, and 0 at the end.
func (d *Decoder) peek() byte {
	for text := d.text; d.at < len(text); d.at++ {
		if c := text[d.at]; c > ' ' || !space(c) {
			return c
		}
	}
	return 0
}

func space(c byte) bool { return c == ' ' || c == '\n' || c == '\r' || c == '\t' }

// consume reads a byte after white space.
func (d *Decoder) consume(c byte) error {
	if d.peek() != c {
		return d.unexpected()
	}
	d.at++
	return nil
}

// unexpected returns the error for the next byte.
func (d *Decoder) unexpected() error {
	if d.at == len(d.text) {
		return io.ErrUnexpectedEOF
	}
	return &syntaxError{d.text[d.at], d.at}
}

// Kind is the type of a value, by its first byte.
type Kind uint8

// Invalid is the kind at the end of the text, and of a byte with which no value begins.
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

// Next returns the kind of the next value.
func (d *Decoder) Next() Kind { return kinds[d.peek()] }

// Offset returns the place of the next value, or after an error of what JSON does not allow there, in bytes.
func (d *Decoder) Offset() int {
	d.peek()
	return d.at
}

// AtEnd reports whether only white space is left.
func (d *Decoder) AtEnd() bool { return d.peek() == 0 && d.at == len(d.text) }

// Raw reads a value of any type and returns its text.
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

// literal reads a word, which begins at the next byte.
func (d *Decoder) literal(word string) error {
	for i := range len(word) {
		if d.at == len(d.text) || d.text[d.at] != word[i] {
			return d.unexpected()
		}
		d.at++
	}
	return nil
}
