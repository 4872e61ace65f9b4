package main

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// site is one comparison of an error with nil.
type site struct {
	pkg        string
	file       string // the full path
	start, end int    // the comparison, in bytes of the file
	op         token.Token
	place      string // file:line:column, from the directory of the module
	line       string // the source line
}

// sites finds the sites of all targets whose place contains only, in the order of the source.
func (m *module) sites(only string) ([]site, error) {
	var all []site
	for _, path := range m.targets {
		found, err := m.sitesIn(m.all[path])
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return slices.DeleteFunc(all, func(s site) bool { return !strings.Contains(s.place, only) }), nil
}

func (m *module) sitesIn(p *goPackage) ([]site, error) {
	fset := token.NewFileSet()
	texts, files, err := parse(fset, p)
	if err != nil {
		return nil, err
	}
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
	config := types.Config{Importer: importer.ForCompiler(fset, "gc", m.export)}
	if _, err := config.Check(p.ImportPath, fset, files, info); err != nil {
		return nil, err
	}
	var found []site
	for i, file := range files {
		if ast.IsGenerated(file) {
			continue
		}
		for node := range ast.Preorder(file) {
			if expr, ok := node.(*ast.BinaryExpr); ok && comparesErrorWithNil(expr, info) {
				found = append(found, m.siteAt(p, texts[i], expr.Op, fset.Position(expr.Pos()), fset.Position(expr.End())))
			}
		}
	}
	return found, nil
}

func parse(fset *token.FileSet, p *goPackage) (texts []string, files []*ast.File, err error) {
	for _, name := range p.GoFiles {
		path := filepath.Join(p.Dir, name)
		text, err := os.ReadFile(path) //nolint:gosec // go list named it
		if err != nil {
			return nil, nil, err
		}
		file, err := parser.ParseFile(fset, path, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, nil, err
		}
		texts, files = append(texts, string(text)), append(files, file)
	}
	return texts, files, nil
}

func (m *module) siteAt(p *goPackage, text string, op token.Token, start, end token.Position) site {
	short := strings.TrimPrefix(start.Filename, p.Module.Dir+string(filepath.Separator))
	return site{
		pkg: p.ImportPath, file: start.Filename, start: start.Offset, end: end.Offset, op: op,
		place: fmt.Sprintf("%s:%d:%d", filepath.ToSlash(short), start.Line, start.Column),
		line:  strings.TrimSpace(strings.Split(text, "\n")[start.Line-1]),
	}
}

var errorInterface = types.Universe.Lookup("error").Type().Underlying().(*types.Interface)

// comparesErrorWithNil takes error itself and every other type that implements it, such as a *ValueError.
func comparesErrorWithNil(expr *ast.BinaryExpr, info *types.Info) bool {
	if expr.Op != token.EQL && expr.Op != token.NEQ {
		return false
	}
	x, y := info.Types[expr.X], info.Types[expr.Y]
	if x.IsNil() {
		x, y = y, x
	}
	return y.IsNil() && types.Implements(x.Type, errorInterface)
}
