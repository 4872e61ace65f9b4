package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/scanner"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
)

// checkTypes compiles the generated code. It reports every repeated name, or else the
// first declaration that doesn't compile, with its places in the document.
func checkTypes(parts []part, code string) error {
	var repeated, broken []error
	lines := strings.SplitAfter(code, "\n")
	report := func(line int, message string) {
		name := ""
		if of := declaration.FindAllStringSubmatch(strings.Join(lines[:line], ""), -1); of != nil {
			name = of[len(of)-1][1]
		}
		if field, _, ok := strings.Cut(message, " redeclared"); ok {
			repeated = append(repeated, taken(origins(parts, name), field))
		}
		broken = append(broken, fmt.Errorf("%s: the generated code does not compile (%s, in %q); change it in an overlay, or give it an x-go-type",
			origins(parts, name), message, strings.TrimSpace(lines[line-1])))
	}
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "", code, parser.SkipObjectResolution)
	var syntax scanner.ErrorList
	if errors.As(err, &syntax) {
		report(syntax[0].Pos.Line, syntax[0].Msg)
		return broken[0]
	}
	config := types.Config{Importer: packages, Error: func(err error) {
		if problem := (types.Error{}); errors.As(err, &problem) {
			report(files.Position(problem.Pos).Line, problem.Msg)
		}
	}}
	_, _ = config.Check("", files, []*ast.File{file}, nil)
	if repeated == nil && broken != nil { // more errors often follow from the first
		return broken[0]
	}
	return errors.Join(repeated...)
}

// packages imports types that the go command has in its cache.
var packages = importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) {
	file, err := exec.Command("go", "list", "-export", "-f", "{{.Export}}", path).Output() //nolint:gosec // the user names the document
	if err != nil {
		return nil, err
	}
	return os.Open(strings.TrimSpace(string(file)))
})

// declaration matches the start of a declaration and captures its name. For a method
// that's the receiver type, except for methods of Client.
var declaration = regexp.MustCompile(`(?m)^(?:func \(\w+ \*?(?:Client\) )?|func |type |// Defines values for )(\w+)`)

// origins returns the places of the parts named name, or whose name is its longest
// prefix.
func origins(parts []part, name string) string {
	longest, places := 0, []string{"the document"}
	for _, p := range parts {
		n := len(p.TypeName)
		if n < longest || n == 0 || !strings.HasPrefix(name, p.TypeName) && !strings.HasPrefix(name, "New"+p.TypeName+"Request") {
			continue
		}
		if n > longest {
			longest, places = n, nil
		}
		places = append(places, p.place)
	}
	return strings.Join(slices.Compact(places), " and ")
}

func taken(places, name string) error {
	return fmt.Errorf("%s: the Go name %s is taken; choose another operationId, or an x-go-name for a schema, property or parameter", places, name)
}
