package specs_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/specs"
)

// If a document were missing from the list, nothing would test it.
func TestNamesListsTheDocumentsOfTheFolder(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*.yaml") // sorted
	require.NoError(t, err)
	var documents []string
	for _, file := range files {
		if file != "codegen.yaml" && file != "go.overlay.yaml" {
			documents = append(documents, strings.TrimSuffix(file, ".yaml"))
		}
	}
	assert.Equal(t, documents, specs.Names())
}

func TestEveryDocumentIsEmbeddedAndGeneratedFrom(t *testing.T) {
	t.Parallel()
	generate, err := os.ReadFile(filepath.Join("..", "generate.go"))
	require.NoError(t, err)
	for _, name := range specs.Names() {
		document, err := specs.Document(name)
		require.NoError(t, err)
		file, err := os.ReadFile(name + ".yaml")
		require.NoError(t, err)
		assert.Equal(t, string(file), string(document))

		assert.FileExists(t, filepath.Join("..", "gen", name, name+".gen.go"))
		arguments := fmt.Sprintf("-config specs/codegen.yaml -package %[1]s -o gen/%[1]s/%[1]s.gen.go specs/%[1]s.yaml\n", name)
		assert.Contains(t, string(generate), arguments)
	}
	lines := strings.Count(string(generate), "\n//go:generate go run ")
	assert.Len(t, specs.Names(), lines, "one go:generate line for each document")
}

func TestDocumentOfAnUnknownName(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"", "nonesuch", "gateway.yaml", "codegen", "go.overlay", "../generate"} {
		document, err := specs.Document(name)
		require.ErrorIs(t, err, fs.ErrNotExist, name)
		assert.Nil(t, document)
	}
}

// Documents must be usable without the rest of this module.
func TestPlainKinOpenAPILoadsEveryDocument(t *testing.T) {
	t.Parallel()
	for _, name := range specs.Names() {
		document, err := specs.Document(name)
		require.NoError(t, err)
		doc, err := openapi3.NewLoader().LoadFromData(document)
		require.NoError(t, err, name)
		require.NoError(t, doc.Validate(t.Context(), openapi3.EnableExamplesValidation()), name)
	}
}

// A caller's change to a document must not reach the next caller.
func TestDocumentIsACopy(t *testing.T) {
	t.Parallel()
	first, err := specs.Document("gateway")
	require.NoError(t, err)
	first[0] = '!'
	second, err := specs.Document("gateway")
	require.NoError(t, err)
	assert.NotEqual(t, first[0], second[0])
}
