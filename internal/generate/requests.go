package main

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/oapi-codegen/oapi-codegen/v2/pkg/codegen"
)

// changes has the request schemas. Their optional nullable properties get the type
// wire.Change, and so do those in objects that have no unknown fields. The templates call
// its methods.
type changes map[*openapi3.Schema]bool

func (c changes) has(t codegen.TypeDefinition, p codegen.Property) bool {
	return p.Nullable && !p.Required && (c[t.Schema.OAPISchema] || !t.Schema.HasAdditionalProperties)
}

var container = regexp.MustCompile(`^(\[\]|map\[)`)

// typeOf returns a definition's Go type. Unknown fields of any type are kept as raw JSON.
func (c changes) typeOf(t codegen.TypeDefinition) string {
	if c == nil || t.Schema.OAPISchema == nil { // operation parameters have no schema
		return t.Schema.TypeDecl()
	}
	return c.declaration(t.Schema)
}

func (c changes) declaration(object codegen.Schema) string {
	old := object.TypeDecl()
	switch element := cmp.Or(object.ArrayType, object.AdditionalPropertiesType); {
	case strings.HasPrefix(old, "struct"):
	case container.MatchString(old) && element != nil: // its objects may have no names
		return strings.Replace(old, element.TypeDecl(), c.declaration(*element), 1)
	default:
		return old
	}
	if extra := object.AdditionalPropertiesType; extra != nil && extra.TypeDecl() == "interface{}" {
		object.AdditionalPropertiesType = &codegen.Schema{GoType: "json.RawMessage"}
	}
	t := codegen.TypeDefinition{Schema: object}
	object.Properties = slices.Clone(object.Properties)
	for i, p := range object.Properties {
		if p.Schema.RefType == "" {
			p.Schema.GoType = c.declaration(p.Schema)
			object.Properties[i].Schema.GoType = p.Schema.GoType
		}
		switch {
		case c.has(t, p):
			object.Properties[i].Schema.RefType = "wire.Change[" + p.Schema.TypeDecl() + "]"
			object.Properties[i].Extensions = map[string]any{"x-go-type-skip-optional-pointer": true, "x-go-name": p.GoFieldName()}
		case !p.Required && !object.HasAdditionalProperties && container.MatchString(p.GoTypeDef()):
			// send an empty list: it clears the server's list
			object.Properties[i].Extensions = map[string]any{"x-omitempty": false, "x-omitzero": true, "x-go-name": p.GoFieldName()}
		}
	}
	return codegen.GenStructFromSchema(object)
}

// schemasOfRequests returns the schemas in bodies whose media type has a prefix.
func schemasOfRequests(doc *openapi3.T, mediaType string) changes {
	requests := changes{}
	for _, item := range doc.Paths.Map() {
		for _, operation := range item.Operations() {
			if operation.RequestBody == nil {
				continue
			}
			for name, media := range operation.RequestBody.Value.Content {
				if !strings.HasPrefix(name, mediaType) {
					continue
				}
				_ = media.Schema.WalkSubtree(func(_ string, ref *openapi3.SchemaRef) error {
					requests[ref.Value] = true
					return nil
				})
			}
		}
	}
	return requests
}
