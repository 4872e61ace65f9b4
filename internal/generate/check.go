package main

import (
	"cmp"
	"errors"
	"fmt"
	"go/token"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/oapi-codegen/oapi-codegen/v2/pkg/codegen"
)

// part is a named part of the document, such as a schema, a response body or an
// operation.
type part struct {
	codegen.TypeDefinition
	place string
}

// partsOf returns a document's parts with the names that the generator chooses.
func partsOf(doc *openapi3.T) ([]part, error) {
	var parts []part
	types, failed := codegen.GenerateTypesForSchemas(nil, doc.Components.Schemas, nil)
	for _, t := range types {
		parts = append(parts, part{t, "components.schemas." + t.JsonName})
	}
	operations, err := codegen.OperationDefinitions(doc)
	for _, operation := range operations {
		place := operation.Method + " " + operation.Path
		parts = append(parts, part{codegen.TypeDefinition{TypeName: operation.OperationId}, place})
		for _, t := range operation.TypeDefinitions {
			parts = append(parts, part{t, place})
		}
	}
	return parts, cmp.Or(failed, err)
}

// check rejects names that give no Go name, and properties that can't be expressed in Go
// or in the template in specs/templates. That template serves objects that have
// additionalProperties and aren't unions.
func check(parts []part) error {
	var found []error
	for _, p := range parts {
		if !token.IsExported(p.TypeName) {
			found = append(found, fmt.Errorf("%s: the name gives no Go name, so it needs an x-go-name or another operationId", p.place))
		}
		for _, property := range p.Schema.Properties {
			if !token.IsExported(property.GoFieldName()) {
				found = append(found, fmt.Errorf("%s.%s: the name gives no Go name, so the property needs an x-go-name", p.place, property.JsonFieldName))
			}
		}
		switch {
		case len(p.Schema.UnionElements) > 0 && (p.Schema.HasAdditionalProperties || slices.ContainsFunc(p.Schema.Properties, isInteger)):
			found = append(found, fmt.Errorf("%s: an object that is also a union would lose unknown fields and round integers, "+
				"so it needs the x-go-type json.RawMessage", p.place))
		case p.Schema.HasAdditionalProperties:
			found = append(found, checkObject(p)...)
		}
	}
	return errors.Join(found...)
}

func checkObject(t part) (found []error) {
	report := func(place, problem string) {
		if problem != "" {
			found = append(found, fmt.Errorf("%s: %s", place, problem))
		}
	}
	bare, _ := t.Schema.OAPISchema.Extensions["x-bare-array"].(string)
	for i, p := range t.Schema.Properties {
		if p.JsonFieldName == bare {
			bare = ""
		}
		place := t.place + "." + p.JsonFieldName
		report(place, checkName(p, t.Schema.Properties, i))
		if p.Schema.OAPISchema != nil {
			report(place, checkSchema(p))
		}
	}
	if bare != "" {
		report(t.place, "x-bare-array names no property: "+bare)
	}
	if extra := t.Schema.AdditionalPropertiesType; extra != nil && hasNullArm(extra.OAPISchema) {
		report(t.place+".*", onlyNull)
	}
	return found
}

// checkName checks the Go name of all[i], which is p.
func checkName(p codegen.Property, all []codegen.Property, i int) string {
	name := p.GoFieldName()
	switch {
	case slices.Contains([]string{"AdditionalProperties", "UnmarshalJSON", "MarshalJSON", "String", "LogValue"}, name):
		return fmt.Sprintf("the Go name %s is taken, so the property needs an x-go-name", name)
	case strings.Contains(p.JsonFieldName, ",") || fmt.Sprintf("%q", p.JsonFieldName) != `"`+p.JsonFieldName+`"`:
		return "a struct tag cannot hold the name; remove the property in an overlay"
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

func isInteger(p codegen.Property) bool {
	return p.Schema.OAPISchema != nil && p.Schema.OAPISchema.Type.Is("integer")
}

const onlyNull = "null alone has no Go type; add it to another arm's type, or to the schema that a $ref names"

func checkSchema(p codegen.Property) string {
	s := p.Schema.OAPISchema
	switch {
	case slices.Contains(s.Enum, any(nil)):
		return "null in an enum would be a constant; nullable is enough"
	case p.Required && !p.IsPointer() && slices.ContainsFunc(s.OneOf, permitsNull):
		return "a required field has no Go value for the null of an arm, so it cannot be required"
	case s.Items != nil && p.Schema.TypeDecl() != "[]json.RawMessage" && slices.ContainsFunc(arms(s.Items.Value), permitsNull):
		return "an element has no Go value for the null of an arm, so it needs the x-go-type json.RawMessage"
	case s.Type.Is("null"), hasNullArm(s), p.Schema.AdditionalPropertiesType != nil && hasNullArm(p.Schema.AdditionalPropertiesType.OAPISchema):
		return onlyNull
	case s.Default != nil && s.Extensions["x-go-type"] == nil && s.VisitJSON(s.Default) != nil:
		return "the default is not a value of the schema; correct it in an overlay"
	}
	return ""
}

// includes reports whether a schema or one that it combines has a type.
func includes(s *openapi3.Schema, name string) bool {
	return s.Type.Includes(name) || slices.ContainsFunc(slices.Concat(s.AllOf, s.OneOf, s.AnyOf), func(arm *openapi3.SchemaRef) bool { return arm.Value.Type.Includes(name) })
}

func arms(s *openapi3.Schema) openapi3.SchemaRefs {
	if len(s.OneOf) > 0 {
		return s.OneOf
	}
	return s.AnyOf
}

func permitsNull(arm *openapi3.SchemaRef) bool { return arm.Value.PermitsNull() }

// hasNullArm reports whether an arm is just null. Normalize leaves one if all arms are
// null.
func hasNullArm(s *openapi3.Schema) bool {
	return s != nil && s.Extensions["x-go-type"] == nil &&
		slices.ContainsFunc(arms(s), func(arm *openapi3.SchemaRef) bool { return arm.Value.Type.Is("null") })
}

// checkIntegers rejects constants and defaults that the loader has rounded.
func checkIntegers(doc *openapi3.T) error {
	var found []error
	_ = doc.WalkSchemas(func(pointer string, ref *openapi3.SchemaRef) error {
		s, place := ref.Value, strings.ReplaceAll(pointer[1:], "/", ".")
		switch {
		case !includes(s, "integer"):
		case isRounded(s.Default) && s.Extensions["x-go-default"] == nil:
			found = append(found, fmt.Errorf("%s: the loader rounds a default from 2^53 on, so it needs an x-go-default, a string of digits", place))
		case slices.ContainsFunc(s.Enum, isRounded):
			found = append(found, fmt.Errorf("%s: the loader rounds a constant from 2^53 on; remove the values in an overlay", place))
		}
		return nil
	})
	return errors.Join(found...)
}

func isRounded(value any) bool {
	number, ok := value.(float64)
	return ok && (number >= 1<<53 || number <= -(1<<53))
}
