package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"sync"
)

// Encoder appends one JSON document to a buffer. After the first error the buffer is not used.
type Encoder struct {
	buf []byte
	// fields holds the places in the buffer of the names of all members written so far, for the objects that are open. It is -1
	// for an unknown field. After an error the last name of each object leads to the value that failed.
	fields []int
	sorted []string // reused by sortedExtra
	err    error
}

// Marshal returns v as JSON. The text is what encoding/json writes: there is no white space, and <, >, &, U+2028 and
// U+2029 are escaped; \b and \f are written as \u0008 and \u000c. Only the unknown fields of v itself stay as they are.
func Marshal[T any](v *T, write func(*T, *Encoder)) ([]byte, error) {
	e, _ := encoders.Get().(*Encoder)
	if e == nil {
		e = new(Encoder)
	}
	write(v, e)
	if e.err != nil {
		return nil, e.err
	}
	text := bytes.Clone(e.buf)
	if cap(e.buf) <= largestKept {
		e.buf, e.fields = e.buf[:0], e.fields[:0]
		encoders.Put(e)
	}
	return text, nil
}

// encoders keeps buffers, because a buffer that grows to the size of a long list costs more than to fill it.
var encoders sync.Pool

const largestKept = 1 << 20

// fail stores the first error.
func (e *Encoder) fail(err error) {
	if e.err == nil {
		e.err = located("", err)
	}
}

// failed is the start of an object that is not written, because of an earlier error.
const failed = -1

// Begin opens an object. Its result is passed to End.
func (e *Encoder) Begin() (start int) {
	if e.err != nil {
		return failed
	}
	e.buf = append(e.buf, '{')
	return len(e.fields)
}

// Field writes the name of a member and returns e for its value.
func (e *Encoder) Field(name string) *Encoder {
	if e.err == nil {
		e.comma()
		e.fields = append(e.fields, len(e.buf))
		e.key(name)
	}
	return e
}

func (e *Encoder) name(name string) {
	e.comma()
	e.key(name)
}

func (e *Encoder) key(name string) {
	e.string(name)
	e.buf = append(e.buf, ':')
}

// comma separates two members or two elements.
func (e *Encoder) comma() {
	if last := e.buf[len(e.buf)-1]; last != '{' && last != '[' {
		e.buf = append(e.buf, ',')
	}
}

// End writes the unknown fields, sorted by name, and closes the object. An unknown field with the name of a member that
// is already written is left out.
func (e *Encoder) End(start int, unknown map[string]json.RawMessage) {
	for _, name := range sortedExtra(e, start, unknown) {
		e.unknown(name)
		switch raw := unknown[name]; {
		case start > 0:
			e.raw(raw)
		case !json.Valid(raw):
			e.fail(errNotJSON)
		default: // json.Marshal compacts and escapes what a MarshalJSON method returns
			e.buf = append(e.buf, raw...)
		}
		if e.err != nil {
			break
		}
	}
	e.close(start)
}

// EndExtra is [Encoder.End] for typed additional properties.
func EndExtra[T any](e *Encoder, start int, extra map[string]T, write func(*T, *Encoder)) {
	for _, name := range sortedExtra(e, start, extra) {
		e.unknown(name)
		value := extra[name]
		write(&value, e)
		if e.err != nil {
			break
		}
	}
	e.close(start)
}

// sortedExtra returns the names in extra that are not yet written. They are valid until the next call.
func sortedExtra[T any](e *Encoder, start int, extra map[string]T) []string {
	if start == failed || e.err != nil {
		return nil
	}
	e.sorted = e.sorted[:0]
	for name := range extra {
		if !e.written(start, name) {
			e.sorted = append(e.sorted, name)
		}
	}
	slices.Sort(e.sorted)
	return e.sorted
}

// written reports whether a member called name was written since start.
func (e *Encoder) written(start int, name string) bool {
	end := len(e.buf)
	e.string(name)
	quoted := e.buf[end:]
	found := slices.ContainsFunc(e.fields[start:], func(place int) bool {
		// The byte that would be the last quote excludes nearly all other names, without a call.
		return e.buf[place+len(quoted)-1] == '"' && bytes.HasPrefix(e.buf[place:], quoted)
	})
	e.buf = e.buf[:end]
	return found
}

func (e *Encoder) unknown(name string) {
	e.fields = append(e.fields, -1)
	e.name(name)
}

func (e *Encoder) close(start int) {
	if start == failed {
		return
	}
	if e.err != nil {
		e.err = located(e.lastField(), e.err)
	}
	e.buf = append(e.buf, '}')
	e.fields = e.fields[:start]
}

// lastField returns the path element of the member written last.
func (e *Encoder) lastField() string {
	place := e.fields[len(e.fields)-1]
	if place < 0 {
		return unknownField
	}
	name := e.buf[place+1:]
	return string(name[:bytes.IndexByte(name, '"')])
}

// WriteNullable writes null for nil and anything else with write.
func WriteNullable[T any](v *T, e *Encoder, write func(*T, *Encoder)) {
	if v == nil {
		e.null()
		return
	}
	write(v, e)
}

func (e *Encoder) null() { e.buf = append(e.buf, 'n', 'u', 'l', 'l') }

// WriteArrayOf returns a function that writes an array, each element with write. A nil slice is null.
func WriteArrayOf[T any](write func(*T, *Encoder)) func(*[]T, *Encoder) {
	return func(v *[]T, e *Encoder) {
		if e.err != nil {
			return
		}
		if *v == nil {
			e.null()
			return
		}
		e.buf = append(e.buf, '[')
		for i := range *v {
			e.comma()
			write(&(*v)[i], e)
			if e.err != nil {
				e.err = located(index(i), e.err)
				return
			}
		}
		e.buf = append(e.buf, ']')
	}
}

// WritePointer returns [WriteNullable] with write as a function of two arguments.
func WritePointer[T any](write func(*T, *Encoder)) func(**T, *Encoder) {
	return func(v **T, e *Encoder) { WriteNullable(*v, e, write) }
}

// WriteMapOf returns a function that writes a map as an object, sorted by key, each value with write. A nil map is null.
func WriteMapOf[M ~map[string]T, T any](write func(*T, *Encoder)) func(*M, *Encoder) {
	return func(v *M, e *Encoder) {
		if e.err != nil {
			return
		}
		if *v == nil {
			e.null()
			return
		}
		e.buf = append(e.buf, '{')
		for _, key := range sortedKeys(*v) {
			e.name(key)
			value := (*v)[key]
			write(&value, e)
			if e.err != nil {
				e.err = located(anyKey, e.err)
				return
			}
		}
		e.buf = append(e.buf, '}')
	}
}

// NotNil returns v, or a pointer to an empty slice if *v is nil: a required array is not null.
func NotNil[S ~[]E, E any](v *S) *S {
	if *v == nil {
		return &S{}
	}
	return v
}

// NotNilMap is [NotNil] for a map.
func NotNilMap[M ~map[string]V, V any](v *M) *M {
	if *v == nil {
		return &M{}
	}
	return v
}

// WriteJSON writes any other type with encoding/json.
func WriteJSON[T any](v *T, e *Encoder) {
	text, err := json.Marshal(*v)
	var contract *Error
	switch {
	case err == nil:
		e.buf = append(e.buf, text...)
	case errors.As(err, &contract):
		e.fail(contract)
	default:
		e.fail(errNotJSON) // the error of encoding/json may quote the value
	}
}
