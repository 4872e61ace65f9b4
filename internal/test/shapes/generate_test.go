package shapes_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/oapi-codegen/oapi-codegen/v2/pkg/codegen"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// generate runs the generator with our template. The generator has global state, so these tests are not parallel.
func generate(t *testing.T, document string) (string, error) {
	t.Helper()
	doc, err := openapi3.NewLoader().LoadFromData([]byte(document))
	require.NoError(t, err)
	return generateFrom(t, doc)
}

func generateFrom(t *testing.T, doc *openapi3.T) (string, error) {
	t.Helper()
	template, err := os.ReadFile("../../../specs/templates/additional-properties.tmpl")
	require.NoError(t, err)
	return codegen.Generate(doc, codegen.Configuration{
		PackageName:   "p",
		Generate:      codegen.GenerateOptions{Models: true},
		Compatibility: codegen.CompatibilityOptions{AlwaysPrefixEnumValues: true},
		OutputOptions: codegen.OutputOptions{
			SkipPrune: true, NameNormalizer: "ToCamelCaseWithInitialisms", PreferSkipOptionalPointerOnContainerTypes: true,
			UserTemplates: map[string]string{"additional-properties.tmpl": string(template)},
		},
	})
}

// document returns an OpenAPI document with one schema, T.
func document(properties, rest string) string {
	return `{"openapi":"3.0.3","info":{"title":"t","version":"1"},"paths":{},"components":{"schemas":{"T":{"type":"object",
		"properties":{` + properties + `},"additionalProperties":{"x-go-type":"json.RawMessage"}` + rest + `}}}}`
}

//nolint:paralleltest // see generate
func TestGenerationFailsForDocumentsGoCannotExpress(t *testing.T) {
	many := make([]string, 65)
	for i := range many {
		many[i] = "p" + strings.Repeat("x", i)
	}
	for message, doc := range map[string]string{
		"T.unmarshal_json: the Go name UnmarshalJSON is taken":               document(`"unmarshal_json":{"type":"string"}`, ``),
		"T.additional_properties: the Go name AdditionalProperties is taken": document(`"additional_properties":{"type":"string"}`, ``),
		"T.string: the Go name String is taken":                              document(`"string":{"type":"string"}`, ``),
		"T.id: $id has the Go name ID too":                                   document(`"$id":{"type":"string"},"id":{"type":"string"}`, ``),
		"T.name: its accessor is GetName, so get_name needs":                 document(`"name":{"type":"string"},"get_name":{"type":"string"}`, ``),
		"T.n: the loader rounds a default from 2^53 on":                      document(`"n":{"type":"integer","default":9007199254740993}`, ``),
		"T.日本: the name gives no Go name":                                    document(`"日本":{"type":"string"}`, ``),
		"T.a,b: a struct tag cannot hold the name":                           document(`"a,b":{"type":"string"}`, ``),
		`b: a struct tag cannot hold the name`:                               document(`"a\\b":{"type":"string"}`, ``),
		"T.file: the format binary has no JSON form":                         document(`"file":{"type":"string","format":"binary"}`, ``),
		"T.e: null in an enum would be a constant":                           document(`"e":{"type":"string","nullable":true,"enum":["a",null]}`, ``),
		"T.r: a required field has no Go value for the null":                 document(`"r":{"x-go-type":"string","oneOf":[{"type":"string","nullable":true},{"type":"integer"}]}`, `,"required":["r"]`),
		"T.l: an element has no Go value for the null":                       document(`"l":{"type":"array","items":{"x-go-type":"string","oneOf":[{"type":"string","nullable":true}]}}`, ``),
		"T: x-bare-array names no property: rowz":                            document(`"rows":{"type":"array","items":{"type":"string"}}`, `,"x-bare-array":"rowz"`),
		"T: more than 64 required properties": document(`"`+strings.Join(many, `":{"type":"string"},"`)+`":{"type":"string"}`,
			`,"required":["`+strings.Join(many, `","`)+`"]`),
	} {
		_, err := generate(t, doc)
		assert.ErrorContains(t, err, message)
	}
	_, err := generate(t, document(`"id":{"type":"string"}`, ``))
	require.NoError(t, err, "the document itself is fine")
}

// What oapi-codegen refuses is listed in docs/compatibility.md.
//
//nolint:paralleltest // see generate
func TestGenerationFailsForDocumentsTheGeneratorRejects(t *testing.T) {
	for message, doc := range map[string]string{
		"may not contain a double quote":     document(`"a\"b":{"type":"string"}`, ``),
		"may not contain a backtick":         document("\"a`b\":{\"type\":\"string\"}", ``),
		"may not contain a newline":          document(`"a\nb":{"type":"string"}`, ``),
		"unexpected reference depth":         document(`"a":{"$ref":"#/components/schemas/T/properties/b"},"b":{"type":"string"}`, ``),
		"can not merge incompatible types":   document(`"a":{"allOf":[{"type":"object","properties":{"x":{"type":"string"}}},{"type":"string"}]}`, ``),
		"can not merge incompatible formats": document(`"a":{"allOf":[{"type":"string","format":"date"},{"type":"string","format":"uuid"}]}`, ``),
		"merging two schemas with additional properties": document(`"a":{"allOf":[{"type":"object","additionalProperties":{"type":"string"}},
			{"type":"object","additionalProperties":{"type":"integer"}}]}`, ``),
		"replace inlined object with $ref": document(`"a":{"oneOf":[{"type":"object"},{"type":"object"}],
			"discriminator":{"propertyName":"k","mapping":{"x":"#/components/schemas/T"}}}`, ``),
		"unhandled Schema type": document(`"a":{"type":"file"}`, ``),
	} {
		_, err := generate(t, doc)
		assert.ErrorContains(t, err, message)
	}
}

// The committed file is what the generator makes of shapes.yaml.
//
//nolint:paralleltest // see generate
func TestShapesAreCurrent(t *testing.T) {
	out := filepath.Join(t.TempDir(), "shapes.gen.go")
	text, err := exec.CommandContext(t.Context(), "go", "run", "github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen",
		"-config", "shapes.codegen.yaml", "-o", out, "shapes.yaml").CombinedOutput()
	require.NoError(t, err, "%s", text)
	want, err := os.ReadFile(out)
	require.NoError(t, err)
	got, err := os.ReadFile("shapes.gen.go")
	require.NoError(t, err)
	assert.Equal(t, string(want), string(got), "run: go generate ./internal/test/shapes")
}
