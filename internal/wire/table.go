package wire

import (
	"encoding/json"
	"reflect"
	"strings"
	"sync"
)

// Field states facts about a field that its Go type can't express.
type Field struct {
	Required, Nullable bool
	// Lenient accepts the union's other arm: 0 and 1 as a bool, a number as a string.
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

// tables maps reflect.Type -> *Table.
var tables sync.Map

// Register keeps the table for T and plans it later, because T may contain itself or
// types that are registered after it.
func Register[T any](t Table) *Table {
	t.plan = sync.OnceValue(func() *plan { return newPlan(&t, reflect.TypeFor[T]()) })
	tables.Store(reflect.TypeFor[T](), &t)
	return &t
}

// Unmarshal decodes data and replaces *v.
func (t *Table) Unmarshal(data []byte, v any) error {
	return decode(data, reflect.ValueOf(v).Elem(), t.decode)
}

// Marshal encodes *v as encoding/json would, except that unknown fields of v itself keep
// their white space.
func (t *Table) Marshal(v any) ([]byte, error) { return encode(reflect.ValueOf(v).Elem(), t.encode) }

type plan struct {
	*Table
	fields []field // struct fields, in the document's order
	byName map[string]int
	extra  int   // index of AdditionalProperties
	typed  codec // codec for additional properties that aren't raw
	// keepsNull stores null as an unknown field if nil would omit the field.
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
		f.omit = f.omit && (p.keepsNull || f.null || !f.Nullable) // otherwise nil alone means null
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
		f.Nullable = f.Nullable && f.Default == "" // otherwise null means the default
		isConstant := f.Required && t.Implements(reflect.TypeFor[json.Marshaler]()) && kind != reflect.Struct
		if isConstant { // its zero value encodes itself
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
