package wire

import (
	"bytes"
	"reflect"
	"sync"
)

// Encoder appends one JSON document to a buffer. After the first error the buffer is not used.
type Encoder struct {
	buf    []byte
	sorted []string // reused for the names of unknown fields
	err    error
}

// encode returns v as JSON.
func encode(v reflect.Value, write func(reflect.Value, *Encoder)) ([]byte, error) {
	e, _ := encoders.Get().(*Encoder)
	write(v, e)
	if e.err != nil {
		return nil, located("", e.err)
	}
	text := bytes.Clone(e.buf)
	if cap(e.buf) <= 1<<20 { // a larger one would stay in memory
		e.buf = e.buf[:0]
		encoders.Put(e)
	}
	return text, nil
}

// encoders keeps buffers, because a buffer that grows to the size of a long list costs more than to fill it.
var encoders = sync.Pool{New: func() any { return new(Encoder) }}

func (e *Encoder) name(name string) {
	e.comma()
	e.string(name)
	e.buf = append(e.buf, ':')
}

// comma separates two members or two elements.
func (e *Encoder) comma() {
	if last := e.buf[len(e.buf)-1]; last != '{' && last != '[' {
		e.buf = append(e.buf, ',')
	}
}

func (e *Encoder) null() { e.buf = append(e.buf, 'n', 'u', 'l', 'l') }
