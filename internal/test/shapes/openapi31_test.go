package shapes_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/oapi-codegen/oapi-codegen/v2/pkg/util"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/specs"
)

// The generator understands OpenAPI 3.1, but ignores nullable there, and makes a union of a type and null a union type.
//
//nolint:paralleltest // see generate
func TestGenerationFailsForOpenAPI31GoCannotExpress(t *testing.T) {
	const ref = `{"$ref":"#/components/schemas/T"}`
	for property, message := range map[string]string{
		`{"type":"string","nullable":true}`:                          "T.p: OpenAPI 3.1 has no nullable",
		`{"nullable":true,"allOf":[` + ref + `]}`:                    "T.p: OpenAPI 3.1 has no nullable",
		`{"type":"array","items":{"type":"string","nullable":true}}`: "T.p: OpenAPI 3.1 has no nullable",
		`{"additionalProperties":{"type":"string","nullable":true}}`: "T.p: OpenAPI 3.1 has no nullable",
		`{"type":"null"}`:                                                    "T.p: null alone has no Go type",
		`{"anyOf":[` + ref + `,{"type":"null"}]}`:                            "T.p: null alone has no Go type",
		`{"oneOf":[{"type":"string"},{"type":"null"}]}`:                      "T.p: null alone has no Go type",
		`{"additionalProperties":{"anyOf":[` + ref + `,{"type":"null"}]}}`:   "T.p: null alone has no Go type",
		`{"type":"array","items":{"anyOf":[` + ref + `,{"type":"null"}]}}`:   "T.p: an element has no Go value for the null",
		`{"type":["string","integer"]}`:                                      "unhandled Schema type: &[string integer]",
		`{"allOf":[` + ref + `,{"type":"null"}]}`:                            "can not merge incompatible types",
		`{"type":["string","null"],"enum":["a",null]}`:                       "T.p: null in an enum would be a constant",
		`{"x-go-type":"string","oneOf":[{"type":"string"},{"type":"null"}]}`: "",
	} {
		_, err := generate(t, strings.Replace(document(`"p":`+property, ``), "3.0.3", "3.1.0", 1))
		if message == "" {
			assert.NoError(t, err, property)
		} else {
			assert.ErrorContains(t, err, message, property)
		}
	}
	extra := strings.Replace(document(`"id":{"type":"string"}`, ``), `{"x-go-type":"json.RawMessage"}`, `{"anyOf":[`+ref+`,{"type":"null"}]}`, 1)
	_, err := generate(t, strings.Replace(extra, "3.0.3", "3.1.0", 1))
	assert.ErrorContains(t, err, "T.*: null alone has no Go type")
}

// A document that is changed to OpenAPI 3.1 gives the same code: nullable: true becomes one of the types.
//
//nolint:paralleltest // see generate
func TestOpenAPI31GeneratesTheSameCode(t *testing.T) {
	documents := map[string]string{"shapes.yaml": ""}
	for _, name := range specs.Names() {
		documents["../../../specs/"+name+".yaml"] = "../../../specs/go.overlay.yaml"
	}
	for name, overlay := range documents {
		data, err := os.ReadFile(name)
		require.NoError(t, err)
		want, err := generateFrom(t, load(t, data, overlay))
		require.NoError(t, err, name)

		newer, err := toOpenAPI31(t, data).MarshalJSON()
		require.NoError(t, err)
		require.NotContains(t, string(newer), `"nullable":true`)
		got, err := generateFrom(t, load(t, newer, overlay))
		require.NoError(t, err, name)
		assert.Equal(t, want, got, name)
	}
}

// load reads a document and applies the overlay to it, as the generator does.
func load(t *testing.T, data []byte, overlay string) *openapi3.T {
	t.Helper()
	file := filepath.Join(t.TempDir(), "document.yaml")
	require.NoError(t, os.WriteFile(file, data, 0o600))
	doc, err := util.LoadSwaggerWithOverlay(file, util.LoadSwaggerWithOverlayOpts{Path: overlay})
	require.NoError(t, err)
	return doc
}

// toOpenAPI31 moves null into the types. A nullable allOf has the type of its only arm.
func toOpenAPI31(t *testing.T, data []byte) *openapi3.T {
	t.Helper()
	doc, err := openapi3.NewLoader().LoadFromData(data)
	require.NoError(t, err)
	doc.OpenAPI = "3.1.0"
	for _, schema := range doc.Components.Schemas {
		addNull(schema)
	}
	return doc
}

func addNull(ref *openapi3.SchemaRef) {
	if ref == nil || ref.Ref != "" {
		return
	}
	s := ref.Value
	if s.Nullable {
		kind := s.Type
		if kind == nil {
			kind = s.AllOf[0].Value.Type
		}
		s.Type, s.Nullable = &openapi3.Types{kind.Slice()[0], "null"}, false
	}
	for _, inner := range slices.Concat(slices.Collect(maps.Values(s.Properties)), s.AllOf, s.OneOf, s.AnyOf) {
		addNull(inner)
	}
	addNull(s.Items)
	addNull(s.AdditionalProperties.Schema)
}
