package main

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Each line that is a site says so.
const comparisons = `package p

import "errors"

type failure struct{ Err error }

func (*failure) Error() string { return "" }

type plain struct{ next *plain }

func act() error { return nil }

func _(err error, f *failure, p *plain, m map[string]int, a any, g func() error) bool {
	if err != nil { // site
	}
	if nil == err { // site
	}
	if f != nil && p != nil { // site
	}
	if act() != nil || len(m) > 0 { // site
	}
	switch {
	case f.Err == nil: // site
	case m == nil, a == nil, g == nil, p.next == nil:
	case errors.Is(err, f), err == errors.ErrUnsupported:
	}
	for cause := err; (cause) != nil; cause = errors.Unwrap(cause) { // site
	}
	return errors.Join(err, f) == nil // site
}
`

func TestWhatASiteIs(t *testing.T) {
	t.Parallel()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", comparisons, parser.ParseComments)
	require.NoError(t, err)
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
	_, err = (&types.Config{Importer: importer.Default()}).Check("p", fset, []*ast.File{file}, info)
	require.NoError(t, err)
	var got, want []int
	for node := range ast.Preorder(file) {
		if expr, ok := node.(*ast.BinaryExpr); ok && comparesErrorWithNil(expr, info) {
			got = append(got, fset.Position(expr.Pos()).Line)
		}
	}
	for _, group := range file.Comments {
		want = append(want, fset.Position(group.Pos()).Line)
	}
	assert.Equal(t, want, got)
	assert.Len(t, got, 7)
}

func TestAMutatedFile(t *testing.T) {
	t.Parallel()
	text := "a := f(x != nil) == nil\n"
	sites := []site{{start: 5, end: 23, op: token.EQL, place: "p:1"}, {start: 7, end: 15, op: token.NEQ, place: "p:2"}}
	assert.Equal(t, "a := "+
		`(((f((((x != nil) != (mutantThatIsOn == "inverted p:2")) && mutantThatIsOn != "ignored p:2")) == nil)`+
		` != (mutantThatIsOn == "inverted p:1")) || mutantThatIsOn == "ignored p:1")`+"\n", mutated(text, sites))
}
