package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/oapi-codegen/oapi-codegen/v2/pkg/codegen"
)

// check returns an error for each property that Go, or the template in specs/templates, cannot express. It checks the objects
// that the template is for: those with additionalProperties that are not also a union.
func check(doc *openapi3.T) error {
	if doc.Components == nil {
		return nil
	}
	types, err := codegen.GenerateTypesForSchemas(nil, doc.Components.Schemas, nil)
	if err != nil {
		return err
	}
	var found []error
	for _, t := range types {
		if t.Schema.HasAdditionalProperties && len(t.Schema.UnionElements) == 0 {
			found = append(found, checkObject(t)...)
		}
	}
	return errors.Join(found...)
}

func checkObject(t codegen.TypeDefinition) (found []error) {
	report := func(place, format string, args ...any) {
		found = append(found, fmt.Errorf("%s: %s", place, fmt.Sprintf(format, args...)))
	}
	required := 0
	bare, _ := t.Schema.OAPISchema.Extensions["x-bare-array"].(string)
	for i, p := range t.Schema.Properties {
		if p.Required {
			required++
		}
		if p.JsonFieldName == bare {
			bare = ""
		}
		place := t.TypeName + "." + p.JsonFieldName
		if problem := checkName(p, t.Schema.Properties, i); problem != "" {
			report(place, "%s", problem)
		}
		if p.Schema.OAPISchema != nil {
			if problem := checkSchema(p); problem != "" {
				report(place, "%s", problem)
			}
		}
	}
	if required > 64 {
		report(t.TypeName, "more than 64 required properties")
	}
	if bare != "" {
		report(t.TypeName, "x-bare-array names no property: %s", bare)
	}
	if extra := t.Schema.AdditionalPropertiesType; extra != nil && hasNullArm(extra.OAPISchema) {
		report(t.TypeName+".*", onlyNull)
	}
	return found
}

// checkName checks the Go name of the property at index i.
func checkName(p codegen.Property, all []codegen.Property, i int) string {
	name := p.GoFieldName()
	switch {
	case name == "":
		return "the name gives no Go name, so the property needs an x-go-name"
	case slices.Contains([]string{"AdditionalProperties", "UnmarshalJSON", "MarshalJSON", "String", "LogValue"}, name):
		return fmt.Sprintf("the Go name %s is taken, so the property needs an x-go-name", name)
	case strings.Contains(p.JsonFieldName, ",") || fmt.Sprintf("%q", p.JsonFieldName) != `"`+p.JsonFieldName+`"`:
		return "a struct tag cannot hold the name"
	}
	for j, other := range all {
		if j < i && other.GoFieldName() == name {
			return fmt.Sprintf("%s has the Go name %s too, so one of them needs an x-go-name", other.JsonFieldName, name)
		}
		if p.IsPointer() && other.GoFieldName() == "Get"+name {
			return fmt.Sprintf("its accessor is Get%s, so %s needs another x-go-name", name, other.JsonFieldName)
		}
	}
	return ""
}

const onlyNull = "null alone has no Go type; add it to the type of another arm, or of the schema that a $ref names"

// checkSchema checks the schema of a property.
func checkSchema(p codegen.Property) string {
	s := p.Schema.OAPISchema
	switch {
	case s.Format == "binary":
		return "the format binary has no JSON form; byte is base64"
	case slices.Contains(s.Enum, any(nil)):
		return "null in an enum would be a constant; nullable is enough"
	case p.Required && !p.IsPointer() && slices.ContainsFunc(s.OneOf, permitsNull):
		return "a required field has no Go value for the null of an arm, so it cannot be required"
	case s.Items != nil && p.Schema.TypeDecl() != "[]json.RawMessage" && slices.ContainsFunc(arms(s.Items.Value), permitsNull):
		return "an element has no Go value for the null of an arm, so it needs the x-go-type json.RawMessage"
	case s.Type.Is("null"), hasNullArm(s), p.Schema.AdditionalPropertiesType != nil && hasNullArm(p.Schema.AdditionalPropertiesType.OAPISchema):
		return onlyNull
	case s.Type.Includes("integer") && isRounded(s.Default) && p.Extensions["x-go-default"] == nil:
		return "the loader rounds a default from 2^53 on, so it needs an x-go-default, a string of digits"
	}
	return ""
}

func arms(s *openapi3.Schema) openapi3.SchemaRefs {
	if len(s.OneOf) > 0 {
		return s.OneOf
	}
	return s.AnyOf
}

func permitsNull(arm *openapi3.SchemaRef) bool { return arm.Value.PermitsNull() }

// hasNullArm reports whether an arm is only null. Normalize leaves one where all arms are.
func hasNullArm(s *openapi3.Schema) bool {
	return s != nil && s.Extensions["x-go-type"] == nil &&
		slices.ContainsFunc(arms(s), func(arm *openapi3.SchemaRef) bool { return arm.Value.Type.Is("null") })
}

func isRounded(value any) bool {
	number, ok := value.(float64)
	return ok && (number >= 1<<53 || number <= -(1<<53))
}
