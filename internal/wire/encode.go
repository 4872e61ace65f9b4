package wire

import (
	"bytes"
	"encoding/json"
	"reflect"
	"sync"
	"unicode/utf8"
)

// Encoder appends one JSON document to a buffer. After an error, buf is incomplete.
type Encoder struct {
	buf    []byte
	sorted []string // reused for the names of unknown fields
	err    error
}

func encode(v reflect.Value, write func(reflect.Value, *Encoder)) ([]byte, error) {
	e, _ := encoders.Get().(*Encoder)
	write(v, e)
	if e.err != nil {
		return nil, located("", e.err)
	}
	text := bytes.Clone(e.buf)
	if cap(e.buf) <= 1<<20 { // don't keep large buffers in memory
		e.buf = e.buf[:0]
		encoders.Put(e)
	}
	return text, nil
}

// encoders reuses buffers: for a long list, growing one costs more than filling it.
var encoders = sync.Pool{New: func() any { return new(Encoder) }}

func (e *Encoder) name(name string) {
	e.comma()
	e.string(name)
	e.buf = append(e.buf, ':')
}

func (e *Encoder) comma() {
	if last := e.buf[len(e.buf)-1]; last != '{' && last != '[' {
		e.buf = append(e.buf, ',')
	}
}

func (e *Encoder) null() { e.buf = append(e.buf, 'n', 'u', 'l', 'l') }

// escapes maps ASCII characters to their form in a JSON string, as encoding/json writes
// it.
var escapes = func() (escapes [utf8.RuneSelf]string) {
	for c := range escapes {
		text, _ := json.Marshal(string(rune(c)))
		escapes[c] = string(text[1 : len(text)-1])
	}
	return escapes
}()

// string writes text exactly as encoding/json does.
func (e *Encoder) string(text string) {
	start, begin := len(e.buf), 0 // text[begin:i] needs no escape
	e.buf = append(e.buf, '"')
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			e.buf = e.buf[:start]
			e.marshal(text)
			return
		}
		if escape := escapes[text[i]]; len(escape) > 1 {
			e.buf = append(e.buf, text[begin:i]...)
			e.buf = append(e.buf, escape...)
			begin = i + 1
		}
	}
	e.buf = append(e.buf, text[begin:]...)
	e.buf = append(e.buf, '"')
}

// raw writes compact JSON with the escapes that encoding/json adds.
func (e *Encoder) raw(text json.RawMessage) {
	if string(text) == "null" { // like most unknown fields
		e.null()
		return
	}
	e.marshal(text)
}
