package main

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/getkin/kin-openapi/openapi3"
)

// Normalize converts an OpenAPI 3.1 document to the 3.0 form used in specs/:
//
//   - null as a type, or as an arm of anyOf or oneOf, becomes nullable
//   - multiple types become an anyOf
//   - const becomes an enum with one value
//   - examples becomes example, with the first value
//
// A 3.0 document doesn't change. The generator reads both versions, but an arm that is
// just null turns an optional string into a union type.
func Normalize(doc *openapi3.T) {
	if doc.IsOpenAPI31OrLater() {
		doc.OpenAPI = "3.0.3"
	}
	var schemas []*openapi3.Schema
	_ = doc.WalkSchemas(func(_ string, ref *openapi3.SchemaRef) error {
		schemas = append(schemas, ref.Value)
		return nil
	})
	for _, s := range slices.Backward(schemas) { // an arm before the schema that contains it
		normalize(s)
	}
	_ = doc.WalkParameters(func(_ string, ref *openapi3.ParameterRef) error {
		// a parameter is absent or has a value, but is never null
		if schema := ref.Value.Schema; schema != nil && schema.Ref == "" {
			schema.Value.Nullable = false
		}
		return nil
	})
}

func normalize(s *openapi3.Schema) {
	if s.Const != nil && s.Enum == nil {
		s.Enum, s.Const = []any{s.Const}, nil
		if name := typeOf(s.Enum[0]); s.Type == nil && name != "" {
			s.Type = &openapi3.Types{name}
		}
	}
	if s.Example == nil && len(s.Examples) > 0 {
		s.Example = s.Examples[0]
	}
	s.Examples = nil
	s.Defs = nil // references to them lead to components by now
	if len(s.PatternProperties) > 0 {
		s.PatternProperties, s.AdditionalProperties = nil, openapi3.AdditionalProperties{Has: openapi3.Ptr(true)}
	}
	splitTypes(s)
	for _, arms := range []*openapi3.SchemaRefs{&s.AnyOf, &s.OneOf} {
		rest := slices.DeleteFunc(slices.Clone(*arms), isNull)
		if len(rest) == len(*arms) || len(rest) == 0 {
			continue
		}
		s.Nullable = true
		*arms = rest
		if len(rest) == 1 && isWrapper(s) {
			*arms = nil
			unwrap(s, rest[0])
		}
	}
	if s.Nullable { // 3.1 requires null among the values, but it would become a constant
		s.Enum = slices.DeleteFunc(slices.Clone(s.Enum), func(value any) bool { return value == nil })
	}
}

// typeOf returns "" if the constant isn't a scalar.
func typeOf(constant any) string {
	switch value := constant.(type) {
	case string:
		return "string"
	case bool:
		return "boolean"
	case float64:
		if value == math.Trunc(value) {
			return "integer"
		}
		return "number"
	}
	return ""
}

// splitTypes turns null among the types into nullable, and two or more other types into
// an anyOf.
func splitTypes(s *openapi3.Schema) {
	types := s.Type.Slice()
	if len(types) < 2 {
		return
	}
	others := slices.DeleteFunc(slices.Clone(types), func(name string) bool { return name == "null" })
	s.Nullable = s.Nullable || len(others) < len(types)
	s.Type = &openapi3.Types{others[0]}
	if len(others) == 1 {
		return
	}
	for _, name := range others {
		arm := *s
		arm.Type, arm.Nullable, arm.Extensions, arm.Default, arm.AnyOf = &openapi3.Types{name}, false, nil, nil, nil
		arm.Enum = slices.DeleteFunc(slices.Clone(s.Enum), func(value any) bool {
			of := typeOf(value)
			return of != name && (of != "integer" || name != "number")
		})
		if len(arm.Enum) > 0 || len(s.Enum) == 0 {
			s.AnyOf = append(s.AnyOf, arm.NewRef())
		}
	}
	*s = openapi3.Schema{
		AnyOf: s.AnyOf, Nullable: s.Nullable, Extensions: s.Extensions, Default: s.Default, Example: s.Example,
		Title: s.Title, Description: s.Description, Deprecated: s.Deprecated, ReadOnly: s.ReadOnly, WriteOnly: s.WriteOnly,
	}
}

func isNull(arm *openapi3.SchemaRef) bool { return arm.Ref == "" && arm.Value.Type.Is("null") }

// isWrapper reports whether s has no constraint except its only arm.
func isWrapper(s *openapi3.Schema) bool {
	return s.Type == nil && len(s.AllOf) == 0 && len(s.AnyOf)+len(s.OneOf) == 1 && len(s.Properties) == 0
}

// unwrap moves the constraints from s's only arm to s. A reference goes into an allOf
// instead, so that the Go type keeps its name.
func unwrap(s *openapi3.Schema, arm *openapi3.SchemaRef) {
	if arm.Ref != "" {
		s.AllOf = openapi3.SchemaRefs{arm}
		return
	}
	outer := *s
	*s = *arm.Value
	s.Nullable = true
	s.ReadOnly, s.WriteOnly = s.ReadOnly || outer.ReadOnly, s.WriteOnly || outer.WriteOnly
	s.Deprecated = s.Deprecated || outer.Deprecated
	s.Extensions = map[string]any{}
	maps.Copy(s.Extensions, arm.Value.Extensions)
	maps.Copy(s.Extensions, outer.Extensions)
	s.Title, s.Description = cmp.Or(outer.Title, s.Title), cmp.Or(outer.Description, s.Description)
	s.Default, s.Example = cmp.Or(outer.Default, s.Default), cmp.Or(outer.Example, s.Example)
}

// keepUnknown gives objects unknown fields, unless they forbid them, appear only in
// requests, or contain a file and so aren't JSON. In JSON, a binary format is text.
func keepUnknown(doc *openapi3.T) {
	requests, forms := schemasOfRequests(doc, ""), schemasOfRequests(doc, "multipart/")
	eachResponse(doc, func(_, _, _ string, schema *openapi3.SchemaRef) {
		_ = schema.WalkSubtree(func(_ string, ref *openapi3.SchemaRef) error {
			delete(requests, ref.Value)
			return nil
		})
	})
	_ = doc.WalkSchemas(func(_ string, ref *openapi3.SchemaRef) error {
		s := ref.Value
		if s.Format == "binary" && !forms[s] {
			s.Format = ""
		}
		if s.Nullable && isContainer(s) { // nil is enough, also for a type with a name
			s.Extensions = maps.Clone(s.Extensions)
			if s.Extensions == nil {
				s.Extensions = map[string]any{}
			}
			s.Extensions["x-go-type-skip-optional-pointer"] = true
		}
		stated := s.AdditionalProperties.Has != nil || s.AdditionalProperties.Schema != nil || len(s.Properties) == 0 || requests[s]
		for _, property := range s.Properties {
			stated = stated || forms[property.Value] && property.Value.Format == "binary"
		}
		if !stated {
			s.AdditionalProperties.Has = openapi3.Ptr(true)
		}
		return nil
	})
}

// isContainer reports whether the Go type is a slice or a map.
func isContainer(s *openapi3.Schema) bool {
	if len(s.AllOf) == 1 {
		s = s.AllOf[0].Value
	}
	return s.Type.Is("array") || len(s.Properties) == 0 && s.AdditionalProperties.Schema != nil
}
