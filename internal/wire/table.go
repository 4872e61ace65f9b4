package wire

import (
	"reflect"
	"strings"
	"sync"
)

// Field has what the document states of a field beyond its Go type.
type Field struct {
	Required, Nullable bool
	// Lenient accepts the other arm of a union: 0 and 1 as a bool, a number as a string.
	Lenient bool
	// Default is JSON, or "".
	Default string
}

// Table describes an object type.
type Table struct {
	Fields map[string]Field // JSON name -> facts
	Bare   string           // the field that may arrive as an array instead of the object
	Drop   bool             // unknown fields are dropped

	plan func() *plan
}

// tables has the table of each generated type.
var tables sync.Map

// Register keeps the table of T. It plans later, because T may contain types that are registered
// after it, or itself.
func Register[T any](t Table) *Table {
	t.plan = sync.OnceValue(func() *plan { return newPlan(&t, reflect.TypeFor[T]()) })
	tables.Store(reflect.TypeFor[T](), &t)
	return &t
}

// Unmarshal replaces *v by the decoded object.
func (t *Table) Unmarshal(data []byte, v any) error {
	return decode(data, reflect.ValueOf(v).Elem(), t.decode)
}

// Marshal encodes *v. The text is what encoding/json writes, except that \b and \f are \u0008 and
// \u000c. The unknown fields of v itself stay as they are: json.Marshal compacts them.
func (t *Table) Marshal(v any) ([]byte, error) { return encode(reflect.ValueOf(v).Elem(), t.encode) }

// plan is a table with a codec for each field.
type plan struct {
	*Table
	fields []field // in the order of the document
	byName map[string]int
	bare   *field
	extra  int   // index of AdditionalProperties
	typed  codec // of its values, unless they are raw
	// keepsNull keeps a null that nil would leave out as an unknown field.
	keepsNull bool
}

type field struct {
	Field
	codec
	name  string
	key   []byte // the name, quoted, and the colon
	index int
	empty reflect.Value // written for nil, unless it is zero
	nils  bool          // the Go type has nil
	omit  bool          // nil is left out
}

func newPlan(table *Table, t reflect.Type) *plan {
	p := &plan{Table: table, byName: map[string]int{}}
	for i := range t.NumField() {
		if name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ","); name != "-" {
			p.byName[name] = len(p.fields)
			p.fields = append(p.fields, newField(name, t.Field(i).Type, table.Fields[name], i))
		} else if p.extra = i; t.Field(i).Type != rawFields {
			p.typed = codecOf(t.Field(i).Type.Elem(), false)
		}
	}
	extra := t.Field(p.extra).Type.Elem()
	p.keepsNull = !p.Drop && (extra == rawType || extra.Kind() == reflect.Interface)
	for i := range p.fields {
		f := &p.fields[i]
		if f.name == table.Bare {
			p.bare = f
		}
		if f.Nullable && !f.null && !p.keepsNull { // nil is the only place of null
			f.omit = false
		}
	}
	return p
}

func newField(name string, t reflect.Type, facts Field, i int) field {
	f := field{Field: facts, codec: codecOf(t, facts.Lenient), name: name, index: i}
	f.key = append(quoted(name), ':')
	switch kind := t.Kind(); kind {
	default:
		if f.Required && t.Implements(marshaler) && kind != reflect.Struct { // a constant: the zero value stands for it
			f.write = writeJSON
		}
	case reflect.Pointer:
		f.nils, f.omit = true, !f.Nullable
	case reflect.Slice, reflect.Map, reflect.Interface:
		f.nils, f.omit = true, !f.Required
		f.Nullable = f.Nullable || kind == reflect.Interface
		f.null = f.null && (f.Required || kind == reflect.Map)
		if f.Nullable || t == rawType {
			break
		}
		if f.empty = reflect.New(t).Elem(); kind == reflect.Map {
			f.empty = reflect.MakeMap(t)
		} else {
			f.empty.Set(reflect.MakeSlice(t, 0, 0))
		}
	}
	return f
}

// leavesOut reports whether a field of v is not written.
func (f *field) leavesOut(v reflect.Value) bool { return f.omit && v.Field(f.index).IsNil() }

func quoted(name string) []byte {
	var e Encoder
	e.string(name)
	return e.buf
}
