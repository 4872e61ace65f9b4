package specs_test

import (
	"fmt"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/specs"
)

// dropped lists schemas whose unknown fields go.overlay.yaml drops: their rows are kept
// raw, or are numerous.
var dropped = map[string][]string{
	"anthropic":     {"CacheCreation", "CostBucket", "CostPage", "CostResult", "UsageBucket", "UsagePage", "UsageResult"},
	"catalog":       {"Entry", "Info"},
	"cloudbilling":  {"Category", "Money", "PricingExpression", "PricingInfo", "Sku", "TierRate"},
	"openai":        {"CostAmount", "CostBucket", "CostPage", "CostResult"},
	"xaimanagement": {"DataPoint"},
}

// Without additionalProperties, the generated type is a plain struct: encoding/json
// silently drops unknown fields, and ignores required and default.
func TestObjectsOfResponsesKeepUnknownFields(t *testing.T) {
	t.Parallel()
	for _, name := range specs.Names() {
		doc := loadForGo(t, name)
		w := walk(t, doc)
		assert.Empty(t, w.losesFields, name)
		var drops []string
		for schema, ref := range doc.Components.Schemas {
			if ref.Value.Extensions["x-skip-unknown"] != nil {
				drops = append(drops, schema)
			}
		}
		assert.ElementsMatch(t, dropped[name], drops, name)
		assert.NotZero(t, w.objects, "%s: the walk found no object", name)
	}
}

// OpenAPI 3.0 ignores nullable without a type, even next to oneOf or anyOf. Our documents
// have it on a typed arm.
func TestNullableHasAType(t *testing.T) {
	t.Parallel()
	for _, name := range specs.Names() {
		assert.Empty(t, walk(t, load(t, name)).untypedNull, name)
	}
}

func TestCheckFindsViolations(t *testing.T) {
	t.Parallel()
	doc, err := openapi3.NewLoader().LoadFromData([]byte(`
openapi: 3.0.3
info: {title: t, version: '1'}
paths:
  /a:
    get:
      responses:
        '200':
          description: ok
          content: {application/json: {schema: {oneOf: [{$ref: '#/components/schemas/A'}, {type: array, items: {$ref: '#/components/schemas/B'}}]}}}
components:
  schemas:
    A:
      allOf: [{type: object, properties: {x: {$ref: '#/components/schemas/C'}}, additionalProperties: true}]
    B: {type: object, properties: {b: {type: string}}, additionalProperties: false}
    C: {type: object, additionalProperties: {type: object, properties: {c: {nullable: true, oneOf: [{type: string}]}}}}
    Request: {type: object, properties: {r: {nullable: true}}}
`))
	require.NoError(t, err)
	w := walk(t, doc)
	assert.ElementsMatch(t, []string{"/a GET 200.oneOf[1].items", "/a GET 200.oneOf[0].allOf[0].x.*"}, w.losesFields)
	assert.ElementsMatch(t, []string{"/a GET 200.oneOf[0].allOf[0].x.*.c", "Request.r"}, w.untypedNull)
}

func load(t *testing.T, name string) *openapi3.T {
	t.Helper()
	data, err := specs.Document(name)
	require.NoError(t, err)
	doc, err := openapi3.NewLoader().LoadFromData(data)
	require.NoError(t, err)
	return doc
}

// walker visits each schema once, response schemas first.
type walker struct {
	seen        map[*openapi3.Schema]bool
	response    bool // whether the schemas visited now are reachable from a response
	objects     int  // objects with properties that are reachable from a response
	losesFields []string
	untypedNull []string
}

func walk(t *testing.T, doc *openapi3.T) *walker {
	t.Helper()
	w := &walker{seen: map[*openapi3.Schema]bool{}, response: true}
	for _, path := range doc.Paths.InMatchingOrder() {
		for method, operation := range doc.Paths.Value(path).Operations() {
			for status, response := range operation.Responses.Map() {
				for _, media := range response.Value.Content {
					w.visit(fmt.Sprintf("%s %s %s", path, method, status), media.Schema)
				}
			}
		}
	}
	w.response = false
	for name, schema := range doc.Components.Schemas {
		w.visit(name, schema)
	}
	return w
}

func (w *walker) visit(place string, ref *openapi3.SchemaRef) {
	if ref == nil || w.seen[ref.Value] {
		return
	}
	s := ref.Value
	w.seen[s] = true
	if s.Nullable && s.Type == nil {
		w.untypedNull = append(w.untypedNull, place)
	}
	if w.response && len(s.Properties) > 0 {
		w.objects++
		extra := s.AdditionalProperties
		drops := extra.Schema == nil && (extra.Has == nil || !*extra.Has)
		union := len(s.OneOf)+len(s.AnyOf) > 0 && s.Extensions["x-go-type"] == nil // the template leaves it to the generator
		if drops || union {
			w.losesFields = append(w.losesFields, place)
		}
	}
	for name, property := range s.Properties {
		w.visit(place+"."+name, property)
	}
	for word, arms := range map[string]openapi3.SchemaRefs{"oneOf": s.OneOf, "anyOf": s.AnyOf, "allOf": s.AllOf} {
		for i, arm := range arms {
			w.visit(fmt.Sprintf("%s.%s[%d]", place, word, i), arm)
		}
	}
	w.visit(place+".items", s.Items)
	w.visit(place+".*", s.AdditionalProperties.Schema)
}
