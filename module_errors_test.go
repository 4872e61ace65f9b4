// The tests of this file check the errors of all packages: their texts, and the fields of a ValueError.
package mesh_test

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/meter"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// errorNames are the packages that return errors, with the name that the errors begin with.
var errorNames = map[string]string{
	"client": "mesh", "discovery": "discovery", "discovery/models": "models", "discovery/prices": "prices", "discovery/calls": "calls",
	"discovery/meter": "meter", "discovery/focus": "focus", "discovery/report": "report",
}

// TestErrorTypesBeginWithTheirPackage checks the text of every exported type of an error.
func TestErrorTypesBeginWithTheirPackage(t *testing.T) {
	t.Parallel()
	cause := errors.New("cause")
	begins := map[string]string{}
	for name, all := range map[string][]error{
		"mesh": {
			&client.MeshAuthError{}, &client.MeshGatewayError{}, &client.MeshSecretLeakError{}, &client.NoAnswerError{Err: cause},
			&client.NotInInboxError{}, &client.NotInRegistryError{}, &client.RowError{Err: cause}, &client.ValueError{},
		},
		"discovery": {&discovery.BillError{Err: cause}, &discovery.Failure{Err: cause}},
		"prices":    {&prices.UnpricedError{}},
		"calls":     {&calls.LineError{}},
		"meter":     {&meter.BudgetError{}},
	} {
		for _, err := range all {
			begins[reflect.TypeOf(err).Elem().Name()] = name
			assert.Regexp(t, "^"+name+": ", err.Error())
		}
	}
	for dir, name := range errorNames {
		for _, file := range shippedSources(t, dir) {
			for _, decl := range file.Decls {
				if method, ok := decl.(*ast.FuncDecl); ok && method.Name.Name == "Error" && method.Recv != nil && exported(method) {
					assert.Equal(t, name, begins[receiver(method)], receiver(method))
				}
			}
		}
	}
}

// TestErrorsBeginWithTheirPackage checks the texts of exported errors, and of those that exported functions make without such a type.
func TestErrorsBeginWithTheirPackage(t *testing.T) {
	t.Parallel()
	for dir, name := range errorNames {
		if dir == "client" {
			continue // its errors have one of the types, which wraps the others
		}
		begins, found := regexp.MustCompile("^"+name+"(: |$)|^%w"), 0
		for path, file := range shippedSources(t, dir) {
			check := func(text string) { assert.Regexp(t, begins, text, path); found++ }
			eachCall(file, "argument", "New", check)
			for _, decl := range file.Decls {
				if exported(decl) {
					eachCall(decl, "errors", "New", check)
					eachCall(decl, "fmt", "Errorf", check)
				}
			}
		}
		assert.Positive(t, found, dir)
	}
}

// TestOnlyTheClientWritesAValueErrorAsALiteral: a literal has no name of a package, and its text begins with "mesh".
func TestOnlyTheClientWritesAValueErrorAsALiteral(t *testing.T) {
	t.Parallel()
	for dir := range errorNames {
		for path, file := range shippedSources(t, dir) {
			ast.Inspect(file, func(n ast.Node) bool {
				if literal, ok := n.(*ast.CompositeLit); ok && dir != "client" {
					assert.NotEqual(t, "ValueError", nameOf(literal.Type), path)
				}
				return true
			})
		}
	}
}

// TestFieldsOfValueErrorsAreGoNames checks that a program can compare ValueError.Field with the name of an argument, of a field or,
// for a value that New did not make, of a type.
func TestFieldsOfValueErrorsAreGoNames(t *testing.T) {
	t.Parallel()
	for dir := range errorNames {
		if dir == "discovery/focus" {
			continue // the fields are those of records and bills, which other packages define
		}
		names, fields := map[string]bool{}, map[string]string{}
		for path, file := range shippedSources(t, dir) {
			eachCall(file, "", "invalid", func(field string) { fields[field] = path })
			ast.Inspect(file, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.Field:
					for _, name := range n.Names {
						names[name.Name] = true
					}
				case *ast.TypeSpec:
					names[n.Name.Name] = true
				case *ast.KeyValueExpr:
					if value, ok := text(n.Value); ok && strings.HasSuffix(nameOf(n.Key), "Field") {
						fields[value] = path
					}
				}
				return true
			})
		}
		assert.NotEmpty(t, fields, dir)
		for field, path := range fields {
			last := field[strings.LastIndex(field, ".")+1:]
			assert.True(t, names[last], "%s: %q is not the name of an argument, a field or a type", path, field)
		}
	}
}

// shippedSources parses the files of a package without its tests.
func shippedSources(t *testing.T, dir string) map[string]*ast.File {
	t.Helper()
	paths, err := filepath.Glob(dir + "/*.go")
	require.NoError(t, err)
	files := map[string]*ast.File{}
	for _, path := range slices.DeleteFunc(paths, func(path string) bool { return strings.HasSuffix(path, "_test.go") }) {
		files[filepath.ToSlash(path)], err = parser.ParseFile(token.NewFileSet(), path, nil, 0)
		require.NoError(t, err)
	}
	return files
}

// exported reports whether a declaration is of an exported function, of an exported method of an exported type, or of exported variables.
func exported(decl ast.Decl) bool {
	switch decl := decl.(type) {
	case *ast.FuncDecl:
		return decl.Name.IsExported() && (decl.Recv == nil || ast.IsExported(receiver(decl)))
	case *ast.GenDecl:
		value, ok := decl.Specs[0].(*ast.ValueSpec)
		return ok && value.Names[0].IsExported()
	}
	return false
}

// receiver returns the name of the type of a method.
func receiver(method *ast.FuncDecl) string { return nameOf(method.Recv.List[0].Type) }

// eachCall yields the first arguments of the calls of a function of a package, if they are literals.
func eachCall(n ast.Node, pkg, name string, yield func(string)) {
	ast.Inspect(n, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || len(call.Args) == 0 || nameOf(call.Fun) != name {
			return true
		}
		of := ""
		if selector, ok := call.Fun.(*ast.SelectorExpr); ok {
			of = nameOf(selector.X)
		}
		if value, ok := text(call.Args[0]); ok && of == pkg {
			yield(value)
		}
		return true
	})
}

// text returns the value of a literal.
func text(x ast.Expr) (string, bool) {
	literal, ok := x.(*ast.BasicLit)
	if !ok {
		return "", false
	}
	value, err := strconv.Unquote(literal.Value)
	return value, err == nil
}

// nameOf returns the last name of an expression, without a pointer and type arguments.
func nameOf(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.Ident:
		return x.Name
	case *ast.SelectorExpr:
		return x.Sel.Name
	case *ast.StarExpr:
		return nameOf(x.X)
	case *ast.IndexExpr:
		return nameOf(x.X)
	}
	return ""
}
