package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/oapi-codegen/oapi-codegen/v2/pkg/codegen"

	"github.com/mesh-gateway/mesh-go/internal/wire"
)

var zero = regexp.MustCompile(`wire\.Field|\w+:(false|"")(, )?`)

// facts returns a property's entry in a wire.Table, or "" if its Go type says everything.
func facts(p codegen.Property) string {
	s := cmp.Or(p.Schema.OAPISchema, &openapi3.Schema{})
	f := wire.Field{
		Required: p.Required && !p.WriteOnly,
		// OpenAPI 3.0 ignores nullable next to a oneOf without a type, so an arm has it.
		Nullable: p.Nullable || slices.ContainsFunc(arms(s), permitsNull),
		Lenient:  isUnion(s),
	}
	if s.Default != nil {
		text, _ := json.Marshal(s.Default) // came from JSON or YAML
		exact, _ := p.Extensions["x-go-default"].(string)
		f.Default = cmp.Or(exact, string(text))
	}
	if f == (wire.Field{}) {
		return ""
	}
	return fmt.Sprintf("%q: %s,", p.JsonFieldName, zero.ReplaceAllString(fmt.Sprintf("%#v", f), ""))
}

// isUnion reports whether a schema or its elements are a union.
func isUnion(s *openapi3.Schema) bool {
	parts := []*openapi3.SchemaRef{s.NewRef(), s.Items, s.AdditionalProperties.Schema}
	return slices.ContainsFunc(parts, func(part *openapi3.SchemaRef) bool { return part != nil && len(arms(part.Value)) > 0 })
}

func isObject(p codegen.Property) bool {
	s := p.Schema.OAPISchema
	return s != nil && s.Extensions["x-go-type"] == nil &&
		(len(s.Properties) > 0 || slices.ContainsFunc(s.AllOf, func(arm *openapi3.SchemaRef) bool { return len(arm.Value.Properties) > 0 }))
}
