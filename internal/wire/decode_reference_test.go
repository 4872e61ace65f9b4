package wire_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/mesh-gateway/mesh-go/specs"
)

// The reference decoder checks the same contract with encoding/json, at any speed. It
// reads every member in every object, because duplicates must be valid, too. Names are
// case-sensitive, unlike in encoding/json.

// members keep the document's order.
type member struct {
	name  string
	value json.RawMessage
}

// refRow has the values to compare in a row.
type refRow struct {
	id      int64  // in messages
	name    string // in peers
	kind    string
	unknown []string // sorted names
}

type refList struct {
	rows    []refRow
	unknown []string
}

// check reports whether a field may have this value.
type check func(json.RawMessage) bool

type contract struct {
	required []string
	fields   map[string]check
}

func isNull(v json.RawMessage) bool   { return string(v) == "null" }
func isString(v json.RawMessage) bool { return v[0] == '"' }
func isNumber(v json.RawMessage) bool { return v[0] == '-' || (v[0] >= '0' && v[0] <= '9') }
func isObject(v json.RawMessage) bool { return v[0] == '{' }
func isArray(v json.RawMessage) bool  { return v[0] == '[' }
func isFloat(v json.RawMessage) bool {
	_, err := strconv.ParseFloat(string(v), 64)
	return err == nil
}
func isInt64(v json.RawMessage) bool {
	_, err := strconv.ParseInt(string(v), 10, 64)
	return err == nil
}

func anyOf(checks ...check) check {
	return func(v json.RawMessage) bool {
		return slices.ContainsFunc(checks, func(c check) bool { return c(v) })
	}
}

// The contracts come from the document, so a new field needs no change here.
var messageContract, peerContract = contractOf("MeshMessage"), contractOf("MeshPeer")

// contractOf reads a schema in gateway.yaml. Fields may also be null unless required.
func contractOf(name string) contract {
	data, err := specs.Document("gateway")
	if err != nil {
		panic(err)
	}
	doc, err := openapi3.NewLoader().LoadFromData(data)
	if err != nil {
		panic(err)
	}
	schema := doc.Components.Schemas[name].Value
	c := contract{required: schema.Required, fields: make(map[string]check)}
	for field, property := range schema.Properties {
		if c.fields[field] = checkOf(field, property.Value); !slices.Contains(schema.Required, field) {
			c.fields[field] = anyOf(isNull, c.fields[field])
		}
	}
	return c
}

func checkOf(field string, s *openapi3.Schema) check {
	switch {
	case len(s.OneOf) > 0 && s.OneOf[0].Value.Type.Is("boolean"):
		return func(v json.RawMessage) bool { return slices.Contains([]string{"true", "false", "0", "1"}, string(v)) }
	case len(s.OneOf) > 0 && s.OneOf[0].Value.Type.Is("string"):
		return anyOf(isString, isNumber) // any number is kept as text
	case s.Type.Is("string"):
		return isString
	case s.Type.Is("integer"):
		return isInt64
	case s.Type.Is("object"):
		return isObject
	case s.Type.Is("array") && s.Items.Value.Type == nil:
		return isArray
	case s.Type.Is("array"):
		item := checkOf(field, s.Items.Value)
		return func(v json.RawMessage) bool {
			var items []json.RawMessage
			return isArray(v) && json.Unmarshal(v, &items) == nil && !slices.ContainsFunc(items, func(v json.RawMessage) bool { return !item(v) })
		}
	case s.Type.Is("number"):
		return isFloat
	case s.Type.Is("boolean"):
		return func(v json.RawMessage) bool { return string(v) == "true" || string(v) == "false" }
	}
	panic(field + ": checkOf doesn't know this schema type; add it")
}

// referenceList reads a bare array, or an object with an array at key.
func referenceList(data []byte, key string, rows contract, others map[string]check) (refList, error) {
	if !json.Valid(data) {
		return refList{}, errors.New("not JSON")
	}
	data = bytes.TrimSpace(data)
	if data[0] == '[' {
		list, err := referenceRows(data, rows)
		return refList{rows: list}, err
	}
	all, err := members(data)
	if err != nil {
		return refList{}, err
	}
	var list refList
	found := false
	for _, m := range all {
		switch valid, known := others[m.name]; {
		case m.name == key:
			found = true
			if list.rows, err = referenceRows(m.value, rows); err != nil {
				return refList{}, err
			}
		case !known:
			list.unknown = append(list.unknown, m.name)
		case !valid(m.value):
			return refList{}, fmt.Errorf("%s: wrong", m.name)
		}
	}
	if !found {
		return refList{}, fmt.Errorf("%s: missing", key)
	}
	list.unknown = distinct(list.unknown)
	return list, nil
}

func referenceRows(data []byte, c contract) ([]refRow, error) {
	var values []json.RawMessage
	if data[0] != '[' {
		return nil, errors.New("no array")
	}
	if err := json.Unmarshal(data, &values); err != nil {
		return nil, err
	}
	rows := make([]refRow, 0, len(values))
	for _, value := range values {
		row, err := referenceRow(value, c)
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	return rows, nil
}

func referenceRow(data []byte, c contract) (refRow, error) {
	all, err := members(data)
	if err != nil {
		return refRow{}, err
	}
	var row refRow
	seen := map[string]bool{}
	for _, m := range all {
		seen[m.name] = true
		valid, known := c.fields[m.name]
		if !known {
			row.unknown = append(row.unknown, m.name)
			continue
		}
		if !valid(m.value) {
			return refRow{}, fmt.Errorf("%s: wrong", m.name)
		}
		switch m.name {
		case "id":
			err = json.Unmarshal(m.value, &row.id)
		case "kind":
			err = json.Unmarshal(m.value, &row.kind)
		case "name":
			err = json.Unmarshal(m.value, &row.name)
		}
		if err != nil {
			return refRow{}, err
		}
	}
	for _, name := range c.required {
		if !seen[name] {
			return refRow{}, fmt.Errorf("%s: missing", name)
		}
	}
	row.unknown = distinct(row.unknown)
	return row, nil
}

// members keeps duplicates, which a map wouldn't.
func members(data []byte) ([]member, error) {
	if data[0] != '{' {
		return nil, errors.New("no object")
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	if _, err := dec.Token(); err != nil {
		return nil, err
	}
	var all []member
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return nil, err
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return nil, err
		}
		all = append(all, member{name.(string), value})
	}
	return all, nil
}

func distinct(names []string) []string {
	slices.Sort(names)
	return slices.Compact(names)
}

// unknownOf returns sorted unknown names. fields also keeps a null for a known field that
// would omit it.
func unknownOf(fields map[string]json.RawMessage, known map[string]check) []string {
	var names []string
	for name := range fields {
		if known[name] == nil {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
