// Compares api/ with the exported names that may become version 1.

package mesh_test

import (
	"flag"
	"fmt"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the exported names to api/")

// candidates are the packages that docs/compatibility.md names for version 1.
var candidates = []string{"client", "client/agent", "scan", "discovery/models", "discovery/prices"}

// public are the other packages for users.
var public = []string{
	"client/gatewaytest", "discovery", "discovery/bills", "discovery/calls", "discovery/discoverytest", "discovery/facts", "discovery/meter",
}

// TestAPI fails if an exported name is added, changed or removed without its line in
// api/.
func TestAPI(t *testing.T) {
	t.Parallel()
	for folder, pkg := range imported(t, candidates) {
		got := strings.Join(namesOf(pkg), "\n") + "\n"
		file := "api/" + path.Base(folder) + ".txt"
		if *update {
			require.NoError(t, os.WriteFile(file, []byte(got), 0o600))
		}
		want, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, line := range without(got, string(want)) {
			assert.Fail(t, file+" lacks "+line, "run: make api")
		}
		for _, line := range without(string(want), got) {
			assert.Fail(t, "gone: "+line, "if it's unused, run: make api")
		}
	}
}

// without returns text's lines that aren't in other.
func without(text, other string) (lines []string) {
	has := strings.Split(other, "\n")
	for line := range strings.Lines(text) {
		if line = strings.TrimSuffix(line, "\n"); !slices.Contains(has, line) {
			lines = append(lines, line)
		}
	}
	return lines
}

// imported returns packages as compiled by the go command.
func imported(t *testing.T, folders []string) map[string]*types.Package {
	t.Helper()
	args := []string{"list", "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}"}
	for _, folder := range folders {
		args = append(args, "./"+folder)
	}
	out, err := exec.Command("go", args...).Output()
	require.NoError(t, err)
	exports := map[string]string{}
	for line := range strings.Lines(string(out)) {
		name, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		exports[name] = file
	}
	imports := importer.ForCompiler(token.NewFileSet(), "gc", func(name string) (io.ReadCloser, error) { return os.Open(exports[name]) })
	all := map[string]*types.Package{}
	for _, folder := range folders {
		all[folder], err = imports.Import("github.com/mesh-gateway/mesh-go/" + folder)
		require.NoError(t, err)
	}
	return all
}

// namesOf returns a line for each exported name, field and method, even in aliased types.
func namesOf(pkg *types.Package) (lines []string) {
	inPackage := func(other *types.Package) string {
		if other == pkg {
			return ""
		}
		return other.Name()
	}
	for _, name := range pkg.Scope().Names() {
		object := pkg.Scope().Lookup(name)
		if !object.Exported() {
			continue
		}
		switch object := object.(type) {
		case *types.Const:
			lines = append(lines, fmt.Sprintf("%s = %s", types.ObjectString(object, inPackage), object.Val().ExactString()))
		case *types.TypeName:
			lines = append(lines, namesOfType(object, inPackage)...)
		default:
			lines = append(lines, types.ObjectString(object, inPackage))
		}
	}
	return lines
}

func namesOfType(object *types.TypeName, inPackage types.Qualifier) []string {
	head := "type " + object.Name()
	if named, ok := object.Type().(*types.Named); ok {
		head = "type " + types.TypeString(named, inPackage) // with its type parameters
	} else if object.IsAlias() {
		head += " = " + types.TypeString(types.Unalias(object.Type()), inPackage)
	}
	lines := []string{}
	switch under := object.Type().Underlying().(type) {
	case *types.Struct:
		lines = append(lines, head+" struct")
		for field := range under.Fields() {
			if field.Exported() {
				lines = append(lines, fmt.Sprintf("%s, %s %s", head, field.Name(), types.TypeString(field.Type(), inPackage)))
			}
		}
	default:
		lines = append(lines, head+" "+types.TypeString(under, inPackage))
	}
	methods := types.NewMethodSet(types.NewPointer(object.Type()))
	for method := range methods.Methods() {
		if f := method.Obj(); f.Exported() && f.Pkg() != nil && strings.HasPrefix(f.Pkg().Path(), "github.com/mesh-gateway/mesh-go/") {
			lines = append(lines, types.ObjectString(f, inPackage))
		}
	}
	slices.Sort(lines[1:])
	return lines
}
