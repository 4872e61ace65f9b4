package wire

import (
	"encoding/json"
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

// Marshal encodes *v. The text is what encoding/json writes, except that the unknown fields of v itself
// stay as they are: json.Marshal compacts them.
func (t *Table) Marshal(v any) ([]byte, error) { return encode(reflect.ValueOf(v).Elem(), t.encode) }

// plan is a table with a codec for each field.
type plan struct {
	*Table
	fields []field // those of the struct, in the order of the document
	byName map[string]int
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
	empty string // written for nil, or ""
	omit  bool   // nil is left out
}

func newPlan(table *Table, t reflect.Type) *plan {
	p := &plan{Table: table, byName: map[string]int{}}
	unknown, _ := t.FieldByName(additional)
	p.extra = unknown.Index[0]
	if unknown.Type.Elem() != rawType {
		p.typed = codecOf(unknown.Type.Elem(), false)
	}
	p.keepsNull = !p.Drop && p.typed.read == nil
	for i := range p.extra { // the last field
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		f := newField(name, t.Field(i).Type, table.Fields[name])
		f.omit = f.omit && (p.keepsNull || f.null || !f.Nullable) // else nil is the only place of null
		p.byName[name] = i
		p.fields = append(p.fields, f)
	}
	return p
}

func newField(name string, t reflect.Type, facts Field) field {
	f := field{Field: facts, codec: codecOf(t, facts.Lenient), name: name}
	f.key, _ = json.Marshal(name)
	f.key = append(f.key, ':')
	switch kind := t.Kind(); kind {
	default:
		f.Nullable = f.Nullable && f.Default == ""                                                   // else null is the default
		if f.Required && t.Implements(reflect.TypeFor[json.Marshaler]()) && kind != reflect.Struct { // a constant: the zero value stands for it
			f.write = writeJSON
		}
	case reflect.Pointer:
		f.omit = !f.Nullable
	case reflect.Slice, reflect.Map, reflect.Interface:
		f.omit = !f.Required
		f.Nullable = f.Nullable || kind == reflect.Interface
		f.null = f.null && (f.Required || kind == reflect.Map)
		if !f.Nullable && t != rawType {
			f.empty = map[reflect.Kind]string{reflect.Slice: "[]", reflect.Map: "{}"}[kind]
		}
	}
	return f
}
