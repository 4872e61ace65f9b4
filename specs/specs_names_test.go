package specs_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/oapi-codegen/oapi-codegen/v2/pkg/codegen"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/specs"
)

// The generator does not compare the names of schemas with those of the client and of the operations, so a collision would
// be a compile error in generated code. go generate runs this test after the generator.
func TestGeneratedNamesAreUnique(t *testing.T) {
	t.Parallel()
	for _, name := range specs.Names() {
		code, err := os.ReadFile(filepath.Join("..", "gen", name, name+".gen.go"))
		require.NoError(t, err)
		assert.Empty(t, repeatedNames(t, code), "specs/%s.yaml: two parts of the document give one Go name; rename the schema, or the operationId", name)
	}
}

//nolint:paralleltest // the generator has global state
func TestRepeatedNamesAreFound(t *testing.T) {
	const document = `{"openapi":"3.0.3","info":{"title":"t","version":"1"},"paths":{
		"/a":{"get":{"operationId":"listPeers","parameters":[{"name":"q","in":"query","schema":{"type":"string"}}],"responses":{"200":{"description":"ok"}}}},
		"/b":{"get":{"operationId":%q,"responses":{"200":{"description":"ok"}}}}},
		"components":{"schemas":{%q:{"type":"object","properties":{"a":{"type":"string"}}}}}}`
	for _, c := range []struct{ operation, schema, name string }{
		{"getPeer", "Peer", ""},
		{"getPeer", "Client", "Client"},
		{"getPeer", "client-option", "ClientOption"},
		{"getPeer", "ListPeersParams", "ListPeersParams"},
		{"getPeer", "ListPeersResult", "ListPeersResult"},
		{"getPeer", "NewGetPeerRequest", "NewGetPeerRequest"},
		{"list_peers", "Peer", "Client.ListPeers"},
	} {
		doc, err := openapi3.NewLoader().LoadFromData(fmt.Appendf(nil, document, c.operation, c.schema))
		require.NoError(t, err)
		code, err := codegen.Generate(doc, codegen.Configuration{
			PackageName: "p", Generate: codegen.GenerateOptions{Models: true, Client: true},
			OutputOptions: codegen.OutputOptions{SkipPrune: true, ResponseTypeSuffix: "Result", NameNormalizer: "ToCamelCaseWithInitialisms"},
		})
		require.NoError(t, err)
		if names := repeatedNames(t, []byte(code)); c.name == "" {
			assert.Empty(t, names)
		} else {
			assert.Contains(t, names, c.name)
		}
	}
}

// repeatedNames returns the names that a file declares more than once, at its top level or as methods of one type.
func repeatedNames(t *testing.T, code []byte) []string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "", code, parser.SkipObjectResolution)
	require.NoError(t, err)
	seen := map[string]int{}
	var repeated []string
	add := func(name string) {
		if seen[name]++; seen[name] == 2 {
			repeated = append(repeated, name)
		}
	}
	for _, declaration := range file.Decls {
		switch d := declaration.(type) {
		case *ast.FuncDecl:
			add(receiver(d) + d.Name.Name)
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch s := spec.(type) {
				case *ast.TypeSpec:
					add(s.Name.Name)
				case *ast.ValueSpec:
					for _, name := range s.Names {
						add(name.Name)
					}
				}
			}
		}
	}
	return repeated
}

// receiver returns the type of a method and a dot, or "".
func receiver(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return ""
	}
	of := f.Recv.List[0].Type
	if pointer, ok := of.(*ast.StarExpr); ok {
		of = pointer.X
	}
	return fmt.Sprintf("%s.", of)
}

// x-enum-varnames are positional: a value that is inserted before others would rename them.
func TestNamesOfEnumValuesMatchTheirValues(t *testing.T) {
	t.Parallel()
	found := 0
	for _, name := range specs.Names() {
		for schema, ref := range loadForGo(t, name).Components.Schemas {
			names, _ := ref.Value.Extensions["x-enum-varnames"].([]any)
			if names == nil {
				continue
			}
			found++
			values := make([]any, len(ref.Value.Enum))
			for i, value := range ref.Value.Enum {
				values[i] = strings.ToLower(fmt.Sprint(value))
			}
			for i, name := range names {
				names[i] = strings.ToLower(fmt.Sprint(name))
			}
			assert.Equal(t, values, names, "%s: %s", name, schema)
		}
	}
	assert.NotZero(t, found)
}
