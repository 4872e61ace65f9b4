package wire

import (
	"bytes"
	"reflect"
	"sync"
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
