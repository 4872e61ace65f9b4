package mesh_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// shippedFiles is the template for go list that gives the files of this module a package is built with.
const shippedFiles = `{{with .Module}}{{if eq .Path "github.com/mesh-gateway/mesh-go"}}{{range $.GoFiles}}{{$.Dir}}/{{.}} {{end}}{{end}}{{end}}`

// Keys never reach a disk, because nothing that is shipped can write to one: of os it uses what reads, and of the packages
// that open files it imports no other.
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
				assert.False(t, spec.Path.Value == `"os"` && spec.Name != nil, "%s gives os another name", path)
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
