package main

import (
	"cmp"
	"maps"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/oapi-codegen/oapi-codegen/v2/pkg/codegen"
)

// markChanges gives each optional property of a request that may be null the type wire.Change, which has a form for absent, null and a
// value. It reports whether there is one. An object without unknown fields is a request, too.
func markChanges(doc *openapi3.T, parts []part) (found bool) {
	requests := schemasOfRequests(doc)
	for _, t := range parts {
		object := cmp.Or(t.Schema.OAPISchema, &openapi3.Schema{}) // the parameters of an operation have none
		for _, p := range t.Schema.Properties {
			ref := object.Properties[p.JsonFieldName]
			if ref != nil && p.Nullable && !p.Required && (requests[ref.Value] || !t.Schema.HasAdditionalProperties) {
				markChange(doc, p, ref)
				found = true
			}
		}
	}
	return found
}

func markChange(doc *openapi3.T, p codegen.Property, ref *openapi3.SchemaRef) {
	name := p.Schema.TypeDecl()
	if ref.Ref == "" && p.Schema.RefType != "" { // the type of an inline schema, which becomes a component
		own := *ref.Value
		own.Nullable = false
		name = codegen.SchemaNameToTypeName(name)
		doc.Components.Schemas[name] = own.NewRef()
		ref.Value = &openapi3.Schema{Description: own.Description, AllOf: openapi3.SchemaRefs{{Ref: "#/components/schemas/" + name, Value: &own}}}
	}
	extensions := &ref.Extensions
	if ref.Ref == "" {
		extensions = &ref.Value.Extensions
	}
	*extensions = maps.Clone(p.Extensions)
	maps.Copy(*extensions, map[string]any{
		"x-go-type": "wire.Change[" + name + "]", "x-change": true, "x-go-type-skip-optional-pointer": true, "x-omitempty": true, "x-omitzero": false,
	})
}

// schemasOfRequests returns the schemas of the bodies of requests.
func schemasOfRequests(doc *openapi3.T) map[*openapi3.Schema]bool {
	requests := map[*openapi3.Schema]bool{}
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
