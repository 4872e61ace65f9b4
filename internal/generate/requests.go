package main

import (
	"maps"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/oapi-codegen/oapi-codegen/v2/pkg/codegen"
)

// changes are the schemas of requests, whose optional properties that may be null have the type wire.Change. An object without unknown fields
// is a request, too. The templates call the methods.
type changes map[*openapi3.Schema]bool

func (c changes) has(t codegen.TypeDefinition, p codegen.Property) bool {
	return p.Nullable && !p.Required && (c[t.Schema.OAPISchema] || !t.Schema.HasAdditionalProperties)
}

// typeOf returns the Go type of a definition.
func (c changes) typeOf(t codegen.TypeDefinition) string {
	if c == nil || t.Schema.OAPISchema == nil || !strings.HasPrefix(t.Schema.TypeDecl(), "struct") { // nil are the parameters of an operation
		return t.Schema.TypeDecl()
	}
	object := t.Schema
	object.Properties = slices.Clone(object.Properties)
	for i, p := range object.Properties {
		switch {
		case !p.Required && isContainer(p) && !c.has(t, p) && !t.Schema.HasAdditionalProperties:
			object.Properties[i].Extensions = map[string]any{"x-omitempty": false, "x-omitzero": true}
			maps.Copy(object.Properties[i].Extensions, p.Extensions)
		case c.has(t, p):
			object.Properties[i].Schema.RefType = "wire.Change[" + p.Schema.TypeDecl() + "]"
			object.Properties[i].Extensions = map[string]any{"x-go-type-skip-optional-pointer": true, "x-go-name": p.GoFieldName()}
		}
	}
	return codegen.GenStructFromSchema(object)
}

// isContainer reports whether nil is absence, and empty a value that is sent: it clears a list.
func isContainer(p codegen.Property) bool {
	name := p.GoTypeDef()
	return strings.HasPrefix(name, "[]") || strings.HasPrefix(name, "map[")
}

// schemasOfRequests returns the schemas of the bodies of requests.
func schemasOfRequests(doc *openapi3.T) changes {
	requests := changes{}
	for _, item := range doc.Paths.Map() {
		for _, operation := range item.Operations() {
			if operation.RequestBody == nil {
				continue
			}
			for _, media := range operation.RequestBody.Value.Content {
				_ = media.Schema.WalkSubtree(func(_ string, ref *openapi3.SchemaRef) error {
					requests[ref.Value] = true
					return nil
				})
			}
		}
	}
	return requests
}
