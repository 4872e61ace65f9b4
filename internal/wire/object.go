package wire

import (
	"bytes"
	"cmp"
	"encoding/json"

	"github.com/mesh-gateway/mesh-go/internal/jsonread"
)

// Object iterates over the members of a JSON object. After Next the caller reads the value, and passes the error to
// Report.
type Object struct {
	d       *Decoder
	members jsonread.Members
	err     error
}

// Object starts to read an object. Anything else is an error, which Err returns.
func (d *Decoder) Object() Object {
	if err := d.expect(jsonread.Object); err != nil {
		return Object{err: err}
	}
	return Object{d: d, members: d.json.Object()}
}

// Next moves to the next member. It returns false at the end and after an error.
func (o *Object) Next() bool { return o.err == nil && o.members.Next() }

// Key returns the name of the current member. It must not be kept: it may point into the body.
func (o *Object) Key() []byte { return o.members.Key() }

// Report ends the iteration if err is not nil. It must be called for members of the document only: their name becomes
// part of the path.
func (o *Object) Report(err error) {
	if err != nil {
		o.err = located(string(o.Key()), err)
	}
}

// Unknown keeps the current member, which the document does not define.
func (o *Object) Unknown(fields *map[string]json.RawMessage) {
	name := jsonread.Text(o.Key())
	raw, err := o.d.json.Raw()
	if err = cmp.Or(err, o.d.element()); err != nil {
		o.err = located(unknownField, err)
		return
	}
	if *fields == nil {
		*fields = make(map[string]json.RawMessage)
	}
	(*fields)[name] = bytes.Clone(raw)
}

// Skip checks the syntax of the current member, which the document does not define, and drops it.
func (o *Object) Skip() {
	if err := o.d.json.Skip(); err != nil {
		o.err = located(unknownField, err)
	}
}

// Extra reads the current member with read into the additional properties of an object that has typed ones.
func Extra[T any](fields *map[string]T, o *Object, read func(*T, *Decoder) error) {
	name := jsonread.Text(o.Key())
	var v T
	if err := cmp.Or(o.d.element(), read(&v, o.d)); err != nil {
		o.err = located(unknownField, err)
		return
	}
	if *fields == nil {
		*fields = make(map[string]T)
	}
	(*fields)[name] = v
}

// Err returns the first error.
func (o *Object) Err() error {
	if o.err != nil {
		return o.err
	}
	return o.members.Err()
}

// Fields is the set of required fields that are present, by their position among the required fields of the type. There
// are at most 64; the template refuses more.
type Fields uint64

// Add marks required field i as present.
func (f *Fields) Add(i int) { *f |= 1 << i }

// Check returns err if it is not nil, else an error for the first required field that is missing.
func (f Fields) Check(err error, required ...string) error {
	if err != nil {
		return err
	}
	for i, name := range required {
		if f&(1<<i) == 0 {
			return &Error{Path: name, Err: errMissing}
		}
	}
	return nil
}
