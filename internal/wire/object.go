package wire

import (
	"bytes"
	"cmp"
	"encoding/json"
	"reflect"
	"slices"

	"github.com/mesh-gateway/mesh-go/internal/jsonread"
)

// decode replaces v. It sets missing fields to their defaults.
func (t *Table) decode(v reflect.Value, d *Decoder) error {
	p := t.plan()
	v.SetZero()
	if p.Bare != "" && d.json.Next() == jsonread.Array {
		i := p.byName[p.Bare]
		return p.fields[i].read(v.Field(i), d)
	}
	var few [64]bool // keeps the slice on the stack
	seen := few[:]
	if len(p.fields) > len(seen) {
		seen = make([]bool, len(p.fields))
	}
	if err := p.members(v, d, seen); err != nil {
		return err
	}
	for i := range p.fields {
		switch f := &p.fields[i]; {
		case seen[i]:
		case f.Default != "":
			if err := decode([]byte(f.Default), v.Field(i), f.read); err != nil {
				return located(f.name, err)
			}
		case f.Required:
			return &Error{Path: f.name, Err: errMissing}
		}
	}
	return nil
}

func (p *plan) members(v reflect.Value, d *Decoder, seen []bool) error {
	if err := d.expect(jsonread.Object); err != nil {
		return err
	}
	members := d.json.Object()
	for next := 0; members.Next(); { // members usually arrive in the document's order
		i, known := next, next < len(p.fields) && p.fields[next].name == string(members.Key())
		if !known {
			i, known = p.byName[string(members.Key())]
		}
		if !known {
			if err := p.unknown(v, d, members.Key()); err != nil {
				return located(unknownField, err)
			}
			continue
		}
		next = i + 1
		set, err := p.member(i, v, d)
		if err != nil {
			return located(p.fields[i].name, err)
		}
		seen[i] = seen[i] || set
	}
	return members.Err()
}

// member reads field i. If it reports false, the field keeps its default.
func (p *plan) member(i int, v reflect.Value, d *Decoder) (bool, error) {
	f, value := &p.fields[i], v.Field(i)
	if d.json.Next() != jsonread.Null || f.null {
		return true, f.read(value, d)
	}
	switch {
	case f.Required && !f.Nullable:
		return false, errNull
	case f.Default != "" && !f.Nullable:
		return false, d.json.Skip()
	}
	value.SetZero()
	if f.omit && p.keepsNull {
		return true, p.unknown(v, d, []byte(f.name))
	}
	return true, d.json.Skip()
}

func (p *plan) unknown(v reflect.Value, d *Decoder, key []byte) error {
	if p.Drop {
		return d.json.Skip()
	}
	if p.typed.read != nil {
		return entry(v.Field(p.extra), p.typed, d, key)
	}
	name := jsonread.Text(key)
	raw, err := d.json.Raw()
	if err = cmp.Or(err, d.element()); err != nil {
		return err
	}
	fields, _ := v.Field(p.extra).Addr().Interface().(*map[string]json.RawMessage)
	if *fields == nil {
		*fields = make(map[string]json.RawMessage)
	}
	(*fields)[name] = bytes.Clone(raw)
	return nil
}

// encode writes fields in the document's order, then unknown fields sorted by name.
func (t *Table) encode(v reflect.Value, e *Encoder) {
	p := t.plan()
	nested := len(e.buf) > 0
	e.buf = append(e.buf, '{')
	for i := range p.fields {
		f, value := &p.fields[i], v.Field(i)
		none := (f.omit || f.empty != "") && value.IsNil()
		if none && f.omit {
			continue
		}
		e.comma()
		e.buf = append(e.buf, f.key...)
		if none {
			e.buf = append(e.buf, f.empty...)
		} else if f.write(value, e); e.err != nil {
			e.err = located(f.name, e.err)
			return
		}
	}
	if extra := v.Field(p.extra); extra.Len() > 0 {
		p.writeUnknown(v, extra, e, nested)
	}
	e.buf = append(e.buf, '}')
}

func (p *plan) writes(v reflect.Value, name string) bool {
	i, known := p.byName[name]
	return known && !(p.fields[i].omit && v.Field(i).IsNil())
}

// writeUnknown writes additional properties, except those that a written field replaces.
func (p *plan) writeUnknown(v, extra reflect.Value, e *Encoder, nested bool) {
	fields, ok := extra.Interface().(map[string]json.RawMessage)
	if !ok {
		fields = e.rawFields(extra)
	}
	names := e.sorted[:0]
	for name := range fields {
		if !p.writes(v, name) {
			names = append(names, name)
		}
	}
	e.sorted = names
	slices.Sort(names)
	for _, name := range names {
		e.name(name)
		if raw := fields[name]; nested {
			e.raw(raw)
		} else if json.Valid(raw) {
			e.buf = append(e.buf, raw...)
		} else {
			e.err = errNotJSON
		}
		if e.err != nil {
			e.err = located(unknownField, e.err)
			return
		}
	}
}

func (e *Encoder) rawFields(extra reflect.Value) (fields map[string]json.RawMessage) {
	var typed Encoder
	writeJSON(extra, &typed)
	e.err = typed.err
	_ = json.Unmarshal(typed.buf, &fields) // it is JSON, or empty
	return fields
}
