// Checks the whole module with the go command: its dependencies and what its code may
// use.
package mesh_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/internal/test/whole"
)

// An importer builds only this module and the generated clients' dependencies.
func TestImportersGetFewModules(t *testing.T) {
	t.Parallel()
	most := []string{"github.com/apapsch/go-jsonmerge/v2", "github.com/google/uuid", "github.com/mesh-gateway/mesh-go", "github.com/oapi-codegen/runtime"}
	for _, pkg := range []string{"./client", "./client/gatewaytest", "./discovery", "./discovery/discoverytest", "./discovery/facts", "./discovery/models", "./discovery/prices", "./discovery/calls", "./discovery/bills", "./discovery/meter", "./gen/gateway", "./scan"} {
		assert.Subset(t, most, modules(t, pkg), pkg)
		for _, dep := range packageOf(t, pkg).Deps {
			// go mod tidy ignores the build tag of tools.go: importing the root package
			// would require the code generator.
			assert.NotEqual(t, "github.com/mesh-gateway/mesh-go", dep, pkg)
			assert.NotRegexp(t, `^github.com/mesh-gateway/mesh-go/(specs|internal/test)(/|$)`, dep, pkg)
		}
	}
	for _, dep := range packageOf(t, "./discovery/discoverytest").Deps {
		assert.NotRegexp(t, `^github.com/mesh-gateway/mesh-go/client(/|$)`, dep) // errors are redacted with package scan
	}
	for _, pkg := range []string{"./discovery/facts", "./discovery/models", "./discovery/prices", "./discovery/calls", "./discovery/bills", "./discovery/meter", "./scan"} {
		assert.Equal(t, []string{"github.com/mesh-gateway/mesh-go"}, modules(t, pkg), pkg)
	}
}

// builtFrom maps each public discovery package ("" is discovery itself) to those that it
// may use.
var builtFrom = map[string][]string{
	"facts": {}, "internal/pricelist": {"facts"}, "internal/retirements": {"facts"}, "models": {"facts"}, "prices": {"facts", "models"}, "calls": {"facts", "models", "prices"},
	"internal/lowerbound": {"facts", "models", "prices"}, "bills": {"calls", "facts", "models", "prices"}, "meter": {"calls", "facts", "models", "prices"},
	"": {"bills", "calls", "facts", "models", "prices"}, "discoverytest": {"", "bills", "calls", "facts", "models", "prices"},
}

// mayUseHTTP has the discovery packages that may depend on net/http.
var mayUseHTTP = []string{"", "discoverytest", "meter", "internal/billing", "internal/geminisku"}

// Packages that calculate must not depend on anything that sends or draws.
func TestPackagesThatCalculateSendNothing(t *testing.T) {
	t.Parallel()
	for path, p := range packages(t) {
		pkg, ours := within(path, "discovery")
		if !ours {
			continue
		}
		allowed, public := builtFrom[pkg]
		assert.True(t, public || strings.HasPrefix(pkg, "internal/"), "%s is not in builtFrom", path)
		for _, dep := range p.Deps {
			name, below := within(dep, "discovery")
			if below && !strings.HasPrefix(name, "internal/") {
				assert.Contains(t, allowed, name, path)
			}
			assert.NotEqual(t, "html/template", dep, path)
			_, generated := within(dep, "gen")
			if dep == "net/http" || generated {
				assert.Contains(t, mayUseHTTP, pkg, "%s is built from %s", path, dep)
				assert.False(t, generated && pkg == "meter", "%s is built from %s", path, dep)
			}
		}
	}
}

// within cuts a directory in this module from an import path, and reports whether the
// path is in it.
func within(path, folder string) (rest string, ok bool) {
	rest, ok = strings.CutPrefix(path+"/", "github.com/mesh-gateway/mesh-go/"+folder+"/")
	return strings.TrimSuffix(rest, "/"), ok
}

// Limits the size of programs that use one package. docs/testing.md has the sizes, for
// Linux on amd64.
func TestSizesOfPrograms(t *testing.T) {
	t.Parallel()
	for i, program := range []struct {
		name, pkg, code string
		limit           float64 // in megabytes; Go 1.27 needs up to a ninth more than 1.26
	}{
		{"a meter", "meter", `_, err := meter.New(); println(err)`, 4.6},
		{"a request through a meter", "meter", `m, _ := meter.New(); r, err := m.Client().Get("http://example.com"); println(r, err)`, 8.2},
		{"the cost of a call", "prices", `cost, err := prices.BuiltIn().CostOf(prices.Call{}); println(cost.USD, err)`, 3.0},
		{"the cost of a response", "prices", `r, _ := prices.ParseResponse("OpenAI", nil); c, err := prices.BuiltIn().CostOf(prices.Call{Usage: r.Usage}); println(c.USD, err)`, 3.9},
		{"retirement dates", "models", `println(len(models.Retirements().RetiringWithin(0)))`, 2.3},
	} {
		file, binary := filepath.Join(t.TempDir(), "main.go"), filepath.Join(t.TempDir(), "program")
		code := fmt.Sprintf("package main\nimport %q\nfunc main() { %s }\n", "github.com/mesh-gateway/mesh-go/discovery/"+program.pkg, program.code)
		require.NoError(t, os.WriteFile(file, []byte(code), 0o600))
		if i > 0 && !whole.Tests() {
			continue
		}
		build := exec.CommandContext(t.Context(), "go", "build", "-ldflags=-s -w", "-o", binary, file)
		build.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64")
		out, err := build.CombinedOutput()
		require.NoError(t, err, "%s", out)
		info, err := os.Stat(binary)
		require.NoError(t, err)
		megabytes := float64(info.Size()) / 1e6
		t.Logf("%s: %.2f MB", program.name, megabytes)
		assert.LessOrEqual(t, megabytes, program.limit, program.name)
	}
}

// listedPackage is a package as go list prints it. Deps includes indirect ones.
type listedPackage struct {
	ImportPath, Dir string
	GoFiles, Deps   []string
	Module          *struct {
		Path string
		Main bool
	}
}

// goList returns this module's packages and all their dependencies, by import path.
var goList = sync.OnceValues(func() (map[string]*listedPackage, error) {
	out, err := exec.Command("go", "list", "-deps", "-json=ImportPath,Dir,GoFiles,Deps,Module", "./...").Output()
	all := make(map[string]*listedPackage)
	for decoder := json.NewDecoder(bytes.NewReader(out)); err == nil && decoder.More(); {
		p := new(listedPackage)
		if err = decoder.Decode(p); err == nil && p.ours() {
			// The test cache tracks files that the test itself opens, not those that go
			// list reads. Without this, a new import would pass as "(cached)".
			_, err = os.ReadDir(p.Dir)
		}
		all[p.ImportPath] = p
	}
	return all, err
})

func (p *listedPackage) ours() bool { return p.Module != nil && p.Module.Main }

func packages(t *testing.T) map[string]*listedPackage {
	t.Helper()
	all, err := goList()
	require.NoError(t, err)
	return all
}

// packageOf returns a package in this module, such as ./client.
func packageOf(t *testing.T, folder string) *listedPackage {
	t.Helper()
	p := packages(t)[path.Join("github.com/mesh-gateway/mesh-go", folder)]
	require.NotNil(t, p, folder)
	return p
}

// modules returns the modules that a package is built from.
func modules(t *testing.T, folder string) []string {
	t.Helper()
	p := packageOf(t, folder)
	var all []string
	for _, name := range append([]string{p.ImportPath}, p.Deps...) {
		if module := packages(t)[name].Module; module != nil {
			all = append(all, module.Path)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// shippedFiles returns this module's files that a package is built from.
func shippedFiles(t *testing.T, folder string) (files []string) {
	t.Helper()
	p := packageOf(t, folder)
	for _, name := range append([]string{p.ImportPath}, p.Deps...) {
		if dep := packages(t)[name]; dep.ours() {
			for _, file := range dep.GoFiles {
				files = append(files, filepath.Join(dep.Dir, file))
			}
		}
	}
	return files
}

// Code that has keys must not be able to write them to disk. It may only use os functions
// that read, and must not import another package that can open files.
func TestNothingIsWrittenToDisk(t *testing.T) {
	t.Parallel()
	for _, pkg := range []string{"./client", "./discovery", "./scan"} {
		files := shippedFiles(t, pkg)
		require.NotEmpty(t, files, pkg)
		for _, path := range files {
			switch filepath.Base(filepath.Dir(path)) {
			case "calls", "spool", "private", "openfile": // a Log writes records, which have no keys; the client scans an answer before it is kept; openfile reads
				continue
			}
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

// TestEveryFileHasAReader refuses leftovers: a tracked data file outside testdata has to
// be named in another tracked file. Some directories are read whole.
func TestEveryFileHasAReader(t *testing.T) {
	t.Parallel()
	tracked, err := exec.Command("git", "-c", "safe.directory=*", "ls-files").Output() // the files may be another user's
	require.NoError(t, err)
	texts := map[string]string{}
	for _, path := range strings.Fields(string(tracked)) {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		texts[path] = string(text)
	}
	for path := range texts {
		extension := filepath.Ext(path)
		if slices.Contains([]string{"", ".go", ".md", ".mod", ".sum", ".work"}, extension) || strings.HasPrefix(path, ".") || strings.Contains(path, "/testdata/") {
			continue
		}
		whole := slices.Contains([]string{"api", "programs", "templates", "Mesh", "views"}, filepath.Base(filepath.Dir(path)))
		assert.True(t, whole || named(texts, path, filepath.Base(path)), "nothing reads %s", path)
	}
}

// named reports whether a file other than path contains text.
func named(texts map[string]string, path, text string) bool {
	for other, content := range texts {
		if other != path && strings.Contains(content, text) {
			return true
		}
	}
	return false
}
