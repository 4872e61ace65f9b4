// Package redacted checks that errors never show a secret, however a program prints them.
package redacted

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"log/slog"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Check fails if err, or an error that it wraps, contains the secret. call names the call
// that returned err.
func Check(t *testing.T, err error, secret string, call ...string) {
	t.Helper()
	for _, e := range Tree(err) {
		assert.NotContains(t, Text(e), secret, "%T of %s", e, call)
	}
}

// Text returns an error in every form that a program may print.
func Text(err error) string {
	var out strings.Builder
	forms := []any{err}
	if v := reflect.ValueOf(err); v.Kind() == reflect.Pointer && v.Elem().Kind() == reflect.Struct {
		forms = append(forms, v.Elem().Interface()) // not an error, so its fields are printed
	}
	for _, form := range forms {
		fmt.Fprintf(&out, "%v\n%+v\n%#v\n%q\n%s\n", form, form, form, form, form)
		text, _ := json.Marshal(form) // fails for net errors, whose fields have no JSON form
		out.Write(text)
		for _, logger := range []*slog.Logger{slog.New(slog.NewJSONHandler(&out, nil)), slog.New(slog.NewTextHandler(&out, nil))} {
			logger.Error("failed", "error", form)
		}
		writeFields(&out, reflect.ValueOf(form), 0)
	}
	return out.String()
}

// writeFields writes strings behind exported fields: fmt doesn't follow pointers.
func writeFields(out *strings.Builder, v reflect.Value, depth int) {
	if depth > 10 {
		return
	}
	switch v.Kind() {
	case reflect.String:
		fmt.Fprintln(out, v.String())
	case reflect.Pointer, reflect.Interface:
		writeFields(out, v.Elem(), depth+1)
	case reflect.Slice:
		for i := range v.Len() {
			writeFields(out, v.Index(i), depth+1)
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			writeFields(out, key, depth+1)
			writeFields(out, v.MapIndex(key), depth+1)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				writeFields(out, v.Field(i), depth+1)
			}
		}
	default: // has no strings
	}
}

// Tree returns err and all errors that it wraps.
func Tree(err error) []error {
	if err == nil {
		return nil
	}
	all := []error{err}
	if several, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range several.Unwrap() {
			all = append(all, Tree(e)...)
		}
		return all
	}
	return append(all, Tree(errors.Unwrap(err))...)
}

// Coverage records the error types that were checked.
type Coverage map[string]bool

// Check is [Check] and records the types.
func (c Coverage) Check(t *testing.T, err error, secret string, call ...string) {
	t.Helper()
	Check(t, err, secret, call...)
	for _, e := range Tree(err) {
		name := strings.TrimPrefix(reflect.TypeOf(e).String(), "*")
		c[name[strings.LastIndex(name, ".")+1:]] = true
	}
}

// CheckTypes fails if one of the package's exported error types was never checked.
func (c Coverage) CheckTypes(t *testing.T, folder string) {
	t.Helper()
	isCode := func(info fs.FileInfo) bool { return !strings.HasSuffix(info.Name(), "_test.go") }
	packages, err := parser.ParseDir(token.NewFileSet(), folder, isCode, 0) //nolint:staticcheck // build tags do not matter here
	require.NoError(t, err)
	types := 0
	for _, p := range packages {
		ast.Inspect(p, func(n ast.Node) bool {
			if name := errorType(n); ast.IsExported(name) {
				types++
				assert.True(t, c[name], "no call in the test returns a %s", name)
			}
			return true
		})
	}
	assert.NotZero(t, types)
}

// errorType returns the type for which a node declares Error, or "". ValueError is
// declared as an alias.
func errorType(n ast.Node) string {
	switch n := n.(type) {
	case *ast.FuncDecl:
		if n.Name.Name != "Error" || n.Recv == nil {
			return ""
		}
		receiver := n.Recv.List[0].Type
		if star, ok := receiver.(*ast.StarExpr); ok {
			receiver = star.X
		}
		return receiver.(*ast.Ident).Name
	case *ast.TypeSpec:
		if n.Assign.IsValid() && strings.HasSuffix(n.Name.Name, "Error") {
			return n.Name.Name
		}
	}
	return ""
}
