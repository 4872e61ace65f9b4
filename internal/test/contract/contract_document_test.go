package contract_test

import (
	"io/fs"
	"regexp"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/internal/test/contract"
	"github.com/mesh-gateway/mesh-go/specs"
)

// documents loads all documents in specs/, including new ones.
func documents(t *testing.T) map[string]*openapi3.T {
	t.Helper()
	all := make(map[string]*openapi3.T)
	for _, name := range specs.Names() {
		checker, err := contract.New(name)
		require.NoError(t, err, name)
		all[name] = checker.Document()
	}
	require.NotEmpty(t, all)
	return all
}

func TestEveryOperationIsNamedExplainedAndHasAnErrorAnswer(t *testing.T) {
	t.Parallel()
	for name, doc := range documents(t) {
		for path, item := range doc.Paths.Map() {
			for method, op := range item.Operations() {
				where := name + ": " + method + " " + path
				assert.NotEmpty(t, op.OperationID, where)
				assert.NotEmpty(t, op.Summary, where)
				assert.NotEmpty(t, op.Description, where)
				assert.NotNil(t, op.Responses.Default(), where)
				require.NotEmpty(t, op.Tags, where)
				for _, tag := range op.Tags {
					assert.NotNil(t, doc.Tags.Get(tag), "%s: tag %q is not declared", where, tag)
				}
				for _, p := range op.Parameters {
					assert.NotEmpty(t, p.Value.Description, "%s: %s", where, p.Value.Name)
				}
			}
		}
	}
}

// Descriptions become documentation in every language. The Go generator puts the name
// first, as in "Name is the peer name".
func TestDescriptionsContinueTheName(t *testing.T) {
	t.Parallel()
	verb := regexp.MustCompile(`^(is|are|holds|lists|describes|names|reports|restricts) \S[^\n]*\.\n?$`)
	foreign := regexp.MustCompile(`\b(Go|SDK|nil|pointer|struct|json\.\w+|\w+\.md)\b`)
	check := func(description, where string) {
		assert.Regexp(t, verb, description, where)
		assert.NotRegexp(t, foreign, description, where)
	}
	for name, doc := range documents(t) {
		for schema, ref := range doc.Components.Schemas {
			check(ref.Value.Description, name+": "+schema)
			for property, ref := range ref.Value.Properties {
				check(ref.Value.Description, name+": "+schema+"."+property)
			}
		}
		for path, item := range doc.Paths.Map() {
			for _, op := range item.Operations() {
				assert.NotRegexp(t, foreign, op.Summary+op.Description, name+": "+path)
				for _, p := range op.Parameters {
					check(p.Value.Description, name+": "+path+" "+p.Value.Name)
				}
			}
		}
	}
}

// The generator would invent a name such as PeerListBody1 for an inline object.
func TestEveryObjectSchemaIsANamedComponent(t *testing.T) {
	t.Parallel()
	for name, doc := range documents(t) {
		for schema, ref := range doc.Components.Schemas {
			for property, ref := range ref.Value.Properties {
				for _, inner := range []*openapi3.SchemaRef{ref, ref.Value.Items} {
					inline := inner != nil && inner.Ref == "" && len(inner.Value.Properties) > 0
					assert.False(t, inline, "%s: %s.%s", name, schema, property)
				}
			}
		}
	}
}

func TestNewOfAnUnknownDocument(t *testing.T) {
	t.Parallel()
	_, err := contract.New("nonesuch")
	require.ErrorIs(t, err, fs.ErrNotExist)
}

func TestLoadRejectsInvalidDocuments(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ text, want string }{
		"not YAML":                       {"openapi: [", "did not find expected node content"},
		"not a document":                 {"openapi: 3.0.3", "info"},
		"unknown reference":              {document("$ref: '#/components/schemas/Nowhere'", "{}"), "Nowhere"},
		"example that breaks its schema": {document("type: string", "7"), "value must be a string"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := contract.Load([]byte(test.text))
			require.ErrorContains(t, err, test.want)
		})
	}
	_, err := contract.Load([]byte(document("type: string", "fine")))
	require.NoError(t, err, "the documents above have no other error")
}

// document returns a small document that has one schema with an example.
func document(schema, example string) string {
	return `
openapi: 3.0.3
info: {title: Small, version: '1'}
paths:
  /thing:
    get:
      operationId: getThing
      responses:
        '200':
          description: The thing.
          content:
            application/json:
              schema: {` + schema + `}
              example: ` + example + `
`
}
