package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/oapi-codegen/oapi-codegen/v2/pkg/codegen"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// generateText generates a document's models with the template in specs/templates. The
// generator has global state, so these tests aren't parallel.
func generateText(t *testing.T, document string) (string, error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "document.json")
	require.NoError(t, os.WriteFile(file, []byte(document), 0o600))
	return generate(file, codegen.Configuration{
		PackageName: "p",
		Generate:    codegen.GenerateOptions{Models: true},
		AdditionalImports: []codegen.AdditionalImport{ // else the generator searches every module
			{Package: "github.com/mesh-gateway/mesh-go/internal/wire"}, {Package: "github.com/mesh-gateway/mesh-go/internal/secret"},
		},
		Compatibility: codegen.CompatibilityOptions{AlwaysPrefixEnumValues: true},
		OutputOptions: codegen.OutputOptions{
			SkipPrune: true, NameNormalizer: "ToCamelCaseWithInitialisms", PreferSkipOptionalPointerOnContainerTypes: true,
			UserTemplates: map[string]string{"additional-properties.tmpl": "../../specs/templates/additional-properties.tmpl"},
		},
	})
}

// document returns an OpenAPI document with one schema, T.
func document(properties, rest string) string {
	return `{"openapi":"3.0.3","info":{"title":"t","version":"1"},"paths":{},"components":{"schemas":{"T":{"type":"object",
		"properties":{` + properties + `},"additionalProperties":{"x-go-type":"json.RawMessage"}` + rest + `}}}}`
}

//nolint:paralleltest // see generateText
func TestGenerationFailsForDocumentsGoCannotExpress(t *testing.T) {
	for message, doc := range map[string]string{
		"components.schemas.T: an object that is also a union":               document(`"only":{"type":"string"}`, `,"oneOf":[{"$ref":"#/components/schemas/U"}]},"U":{"type":"object"`),
		"T.unmarshal_json: the Go name UnmarshalJSON is taken":               document(`"unmarshal_json":{"type":"string"}`, ``),
		"T.additional_properties: the Go name AdditionalProperties is taken": document(`"additional_properties":{"type":"string"}`, ``),
		"T.string: the Go name String is taken":                              document(`"string":{"type":"string"}`, ``),
		"T.id: $id has the Go name ID too":                                   document(`"$id":{"type":"string"},"id":{"type":"string"}`, ``),
		"T.name: its accessor is GetName, so get_name needs":                 document(`"name":{"type":"string"},"get_name":{"type":"string"}`, ``),
		"T.properties.n: the loader rounds a default from 2^53 on":           document(`"n":{"type":"integer","default":9007199254740993}`, ``),
		"T.d: the default is not a value of the schema":                      document(`"d":{"type":"integer","default":"x"}`, ``),
		"T.f: the default is not a value of the schema":                      document(`"f":{"type":"integer","default":1.5}`, ``),
		"T.g: the default is not a value of the schema":                      document(`"g":{"type":"string","enum":["a"],"default":"b"}`, ``),
		"T.properties.h: the loader rounds a constant from 2^53 on":          document(`"h":{"type":"integer","enum":[9007199254740993]}`, ``),
		"T.properties.r: the loader rounds a default":                        document(`"r":{"$ref":"#/components/schemas/N","default":9007199254740993}`, `},"N":{"type":"integer"`),
		"schemas.N: the loader rounds a constant":                            document(`"l":{"type":"array","items":{"$ref":"#/components/schemas/N"}}`, `},"N":{"type":"integer","enum":[9007199254740993]`),
		"T.日本: the name gives no Go name":                                    document(`"日本":{"type":"string"}`, ``),
		"T.a,b: a struct tag cannot hold the name":                           document(`"a,b":{"type":"string"}`, ``),
		`b: a struct tag cannot hold the name`:                               document(`"a\\b":{"type":"string"}`, ``),
		`T.a"b: a struct tag cannot hold the name`:                           document(`"a\"b":{"type":"string"}`, ``),
		"T.a\nb: a struct tag cannot hold the name":                          document(`"a\nb":{"type":"string"}`, ``),
		"T.e: null in an enum would be a constant":                           document(`"e":{"type":"string","enum":["a",null]}`, ``),
		"T.p: null alone has no Go type":                                     document(`"p":{"type":"null"}`, ``),
		"T.q: null alone has no Go type":                                     document(`"q":{"anyOf":[{"type":"null"}]}`, ``),
		"T.*: null alone has no Go type":                                     strings.Replace(document(`"id":{"type":"string"}`, ``), `{"x-go-type":"json.RawMessage"}`, `{"anyOf":[{"type":"null"}]}`, 1),
		"T.r: a required field has no Go value for the null":                 document(`"r":{"x-go-type":"string","oneOf":[{"type":"string","nullable":true},{"type":"integer"}]}`, `,"required":["r"]`),
		"T.l: an element has no Go value for the null":                       document(`"l":{"type":"array","items":{"x-go-type":"string","oneOf":[{"type":"string","nullable":true}]}}`, ``),
		"T: x-bare-array names no property: rowz":                            document(`"rows":{"type":"array","items":{"type":"string"}}`, `,"x-bare-array":"rowz"`),
	} {
		_, err := generateText(t, doc)
		assert.ErrorContains(t, err, message)
	}
	_, err := generateText(t, document(`"id":{"type":"string"}`, ``))
	require.NoError(t, err, "the document itself is fine")
}

// oapi-codegen itself refuses these documents.
//
//nolint:paralleltest // see generateText
func TestGenerationFailsForDocumentsTheGeneratorRejects(t *testing.T) {
	for message, doc := range map[string]string{
		"may not contain a backtick":         document("\"a`b\":{\"type\":\"string\"}", ``),
		"can not merge incompatible types":   document(`"a":{"allOf":[{"type":"object","properties":{"x":{"type":"string"}}},{"type":"string"}]}`, ``),
		"can not merge incompatible formats": document(`"a":{"allOf":[{"type":"string","format":"date"},{"type":"string","format":"uuid"}]}`, ``),
		"merging two schemas with additional properties": document(`"a":{"allOf":[{"type":"object","additionalProperties":{"type":"string"}},
			{"type":"object","additionalProperties":{"type":"integer"}}]}`, ``),
		"replace inlined object with $ref": document(`"a":{"oneOf":[{"type":"object"},{"type":"object"}],
			"discriminator":{"propertyName":"k","mapping":{"x":"#/components/schemas/T"}}}`, ``),
		"unhandled Schema type": document(`"a":{"type":"file"}`, ``),
	} {
		_, err := generateText(t, doc)
		assert.ErrorContains(t, err, message)
	}
}

// A null arm makes a type nullable; it isn't a type itself.
//
//nolint:paralleltest // see generateText
func TestDocumentsOfOpenAPI31(t *testing.T) {
	const ref = `{"$ref":"#/components/schemas/T"}`
	for property, want := range map[string]string{
		`{"type":"string","nullable":true}`:                                "P *string ",
		`{"type":["string","null"],"enum":["a",null]}`:                     "P *TP ",
		`{"const":"a","type":"string"}`:                                    "P *TP ",
		`{"anyOf":[` + ref + `,{"type":"null"}]}`:                          "P *T ",
		`{"oneOf":[{"type":"string"},{"type":"null"}]}`:                    "P *string ",
		`{"type":"object","anyOf":[` + ref + `,{"type":"null"}]}`:          "P *T_P ", // the type is a separate constraint
		`{"type":["string","integer"],"description":"d"}`:                  "P *T_P ",
		`{"anyOf":[` + ref + `,{"type":"string"},{"type":"null"}]}`:        "P *T_P ",
		`{"type":"array","items":{"oneOf":[{"type":"null"},` + ref + `]}}`: "P []*T ",
		`{"type":"string","examples":["one","two"]}`:                       "// P Example: one",
	} {
		code, err := generateText(t, strings.Replace(document(`"p":`+property, ``), "3.0.3", "3.1.0", 1))
		require.NoError(t, err, property)
		assert.Contains(t, strings.Join(strings.Fields(code), " "), want, property)
	}
}

// FastAPI writes an optional parameter as a nullable one.
//
//nolint:paralleltest // see generateText
func TestParametersAreNotNull(t *testing.T) {
	const parameter = `{"name":"p","in":"query","required":true,"schema":%s}`
	text := func(schema string) string {
		return `{"openapi":"3.1.0","info":{"title":"t","version":"1"},"paths":{"/a":{"get":{"operationId":"a","parameters":[` +
			strings.Replace(parameter, "%s", schema, 1) + `],"responses":{"200":{"description":"d"}}}}}}`
	}
	want, err := generateText(t, text(`{"type":"string"}`))
	require.NoError(t, err)
	got, err := generateText(t, text(`{"anyOf":[{"type":"string"},{"type":"null"}],"title":"P"}`))
	require.NoError(t, err)
	assert.Equal(t, want, got)
}
