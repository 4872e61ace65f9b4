package mesh_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// shippedFiles is a go list template: the files of this module that a package is built from.
const shippedFiles = `{{with .Module}}{{if eq .Path "github.com/mesh-gateway/mesh-go"}}{{range $.GoFiles}}{{$.Dir}}/{{.}} {{end}}{{end}}{{end}}`

// TestNothingIsWrittenToDisk checks that shipped code cannot write a key to disk: it uses only functions of package os that
// read, and imports no other package that can open a file.
func TestNothingIsWrittenToDisk(t *testing.T) {
	t.Parallel()
	for _, pkg := range []string{"./client", "./discovery", "./scan"} {
		files := dependencies(t, shippedFiles, pkg)
		require.Greater(t, len(files), 10, pkg)
		for _, path := range files {
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
			require.NoError(t, err)
			for _, spec := range file.Imports {
				assert.NotContains(t, []string{`"io/ioutil"`, `"os/exec"`, `"syscall"`, `"unsafe"`}, spec.Path.Value, path)
				assert.False(t, spec.Path.Value == `"os"` && spec.Name != nil, "%s renames the import of os", path)
			}
			for _, name := range usedOfOS(file) {
				assert.Contains(t, []string{"Getenv", "Stat", "Open"}, name, path)
			}
		}
	}
}

func usedOfOS(file *ast.File) (names []string) {
	ast.Inspect(file, func(n ast.Node) bool {
		if selector, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := selector.X.(*ast.Ident); ok && x.Name == "os" {
				names = append(names, selector.Sel.Name)
			}
		}
		return true
	})
	return names
}
