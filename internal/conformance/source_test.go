package conformance_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// sourceFolders are the packages that docs/conformance.md may name, and those that aliases in them lead to.
var sourceFolders = map[string]string{
	"mesh": ".", "client": "client", "gatewaytest": "client/gatewaytest", "discovery": "discovery", "discoverytest": "discovery/discoverytest",
	"scan": "scan", "specs": "specs", "gateway": "gen/gateway",
	"api": "internal/api", "call": "internal/call", "contract": "internal/contract", "secret": "internal/secret", "testserver": "internal/testserver", "wire": "internal/wire",
}

// sourceIndex is what the packages declare, read from their source.
type sourceIndex struct {
	code    map[string]bool   // "client.MeshClient.Fetch"; the value says whether it is a function or a method
	aliases map[string]string // "client.MeshPeer" is "gateway.MeshPeer"
	tests   map[string]bool   // "client: TestAliases"
}

func readSource(t *testing.T) *sourceIndex {
	t.Helper()
	s := &sourceIndex{code: make(map[string]bool), aliases: make(map[string]string), tests: make(map[string]bool)}
	for name, folder := range sourceFolders {
		files, err := filepath.Glob(filepath.Join("..", "..", folder, "*.go"))
		require.NoError(t, err)
		require.NotEmpty(t, files, folder)
		for _, file := range files {
			parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
			require.NoError(t, err)
			if strings.HasSuffix(file, "_test.go") {
				s.addTests(name, parsed)
				continue
			}
			s.addCode(name, parsed)
		}
	}
	return s
}

// hasCode tells whether an exported name exists; a member is looked for behind an alias as well.
func (s *sourceIndex) hasCode(name string) bool {
	if _, ok := s.code[name]; ok {
		return true
	}
	if dot := strings.LastIndexByte(name, '.'); dot > 0 {
		if target, ok := s.aliases[name[:dot]]; ok {
			return s.hasCode(target + name[dot:])
		}
	}
	return false
}

func (s *sourceIndex) hasTest(name string) bool { return s.tests[name] }

// exportedFunctions lists the functions and methods that users of these packages can call.
func (s *sourceIndex) exportedFunctions(packages ...string) (names []string) {
	for _, name := range slices.Sorted(maps.Keys(s.code)) {
		pkg, _, _ := strings.Cut(name, ".")
		if s.code[name] && slices.Contains(packages, pkg) {
			names = append(names, name)
		}
	}
	return names
}

func (s *sourceIndex) addTests(pkg string, file *ast.File) {
	for _, decl := range file.Decls {
		f, ok := decl.(*ast.FuncDecl)
		if !ok || f.Recv != nil || f.Name.Name == "TestMain" {
			continue
		}
		for _, kind := range []string{"Test", "Fuzz", "Benchmark", "Example"} {
			if strings.HasPrefix(f.Name.Name, kind) {
				s.tests[pkg+": "+f.Name.Name] = true
			}
		}
	}
}

func (s *sourceIndex) addCode(pkg string, file *ast.File) {
	for _, decl := range file.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			s.add(true, pkg, receiver(decl), decl.Name.Name)
		case *ast.GenDecl:
			for _, spec := range decl.Specs {
				s.addSpec(pkg, file, spec)
			}
		}
	}
}

// add takes in a name if all of it is exported. The type is empty for what is declared outside of one.
func (s *sourceIndex) add(function bool, pkg, typeName, name string) {
	if !ast.IsExported(name) || typeName != "" && !ast.IsExported(typeName) {
		return
	}
	if typeName != "" {
		name = typeName + "." + name
	}
	s.code[pkg+"."+name] = function
}

func (s *sourceIndex) addSpec(pkg string, file *ast.File, spec ast.Spec) {
	switch spec := spec.(type) {
	case *ast.ValueSpec:
		for _, name := range spec.Names {
			s.add(false, pkg, "", name.Name)
		}
	case *ast.TypeSpec:
		s.add(false, pkg, "", spec.Name.Name)
		switch typ := spec.Type.(type) {
		case *ast.StructType:
			for _, field := range typ.Fields.List {
				for _, name := range fieldNames(field) {
					s.add(false, pkg, spec.Name.Name, name)
				}
			}
		case *ast.SelectorExpr:
			if spec.Assign.IsValid() {
				s.aliases[pkg+"."+spec.Name.Name] = importName(file, typ.X) + "." + typ.Sel.Name
			}
		}
	}
}

// receiver returns the name of a method's type, without star and type parameters; "" for a function.
func receiver(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return ""
	}
	return typeName(f.Recv.List[0].Type)
}

func typeName(expr ast.Expr) string {
	switch expr := expr.(type) {
	case *ast.StarExpr:
		return typeName(expr.X)
	case *ast.IndexExpr:
		return typeName(expr.X)
	case *ast.SelectorExpr:
		return expr.Sel.Name
	case *ast.Ident:
		return expr.Name
	}
	return ""
}

// fieldNames returns the names of a field; an embedded one has that of its type.
func fieldNames(field *ast.Field) (names []string) {
	if len(field.Names) == 0 {
		return []string{typeName(field.Type)}
	}
	for _, name := range field.Names {
		names = append(names, name.Name)
	}
	return names
}

// importName returns the last part of the path under which a file imports what it calls x.
func importName(file *ast.File, x ast.Expr) string {
	for _, spec := range file.Imports {
		importPath, _ := strconv.Unquote(spec.Path.Value)
		if name := path.Base(importPath); typeName(x) == name || spec.Name != nil && typeName(x) == spec.Name.Name {
			return name
		}
	}
	return typeName(x)
}
