package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/oapi-codegen/oapi-codegen/v2/pkg/codegen"
)

// facts returns the entry of a property in a wire.Table, or "" if its Go type says everything.
func facts(p codegen.Property) string {
	var list []string
	state := func(fact string, holds bool) {
		if holds {
			list = append(list, fact)
		}
	}
	s := p.Schema.OAPISchema
	state("Required: true", p.Required && !p.WriteOnly)
	// null may be on an arm: OpenAPI 3.0 ignores nullable beside a oneOf without a type.
	state("Nullable: true", p.Nullable || s != nil && slices.ContainsFunc(arms(s), permitsNull))
	state("Lenient: true", isUnion(s))
	if s != nil && s.Default != nil {
		text, _ := json.Marshal(s.Default) // it was JSON or YAML
		if exact, ok := p.Extensions["x-go-default"].(string); ok {
			text = []byte(exact)
		}
		list = append(list, fmt.Sprintf("Default: %q", text))
	}
	if list == nil {
		return ""
	}
	return fmt.Sprintf("%q: {%s},", p.JsonFieldName, strings.Join(list, ", "))
}

// isUnion reports whether a schema, or the schema of its elements, is a union.
func isUnion(s *openapi3.Schema) bool {
	if s == nil {
		return false
	}
	for _, part := range []*openapi3.SchemaRef{s.NewRef(), s.Items, s.AdditionalProperties.Schema} {
		if part != nil && len(arms(part.Value)) > 0 {
			return true
		}
	}
	return false
}

// isObject reports whether a property has the Go type of an object with unknown fields.
func isObject(p codegen.Property) bool {
	s := p.Schema.OAPISchema
	object := func(s *openapi3.Schema) bool { return len(s.Properties) > 0 && s.AdditionalProperties.Schema != nil }
	return s != nil && s.Extensions["x-go-type"] == nil &&
		(object(s) || slices.ContainsFunc(s.AllOf, func(arm *openapi3.SchemaRef) bool { return object(arm.Value) }))
}
