package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

var (
	modelID   = regexp.MustCompile(`^[a-z0-9]+(?:[-.][a-z0-9]+)+$|^o\d$`)
	geminiID  = regexp.MustCompile(`^(?:gemini|gemma|imagen|veo)-[a-z0-9.-]*\d[a-z0-9.-]*$`)
	isoDate   = regexp.MustCompile(`(?i)(?:shutdown date:|end-of-life on)\s+(20\d\d-\d\d-\d\d)`)
	wordyDate = regexp.MustCompile(`(?i)end-of-life on\s+([A-Z][a-z]+ \d{1,2}(?:st|nd|rd|th)?,? 20\d\d)`)
	ordinal   = regexp.MustCompile(`(\d)(?:st|nd|rd|th)`)
)

// readSDK returns model ids, shutdown dates, and the billing paths found in a Go SDK.
func readSDK(dir string, s sdk) (ids map[string]bool, dates map[string]string, paths map[string]bool, err error) {
	ids, dates, paths = make(map[string]bool), make(map[string]string), make(map[string]bool)
	err = filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.Contains(path, "/examples/") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if spec, ok := n.(*ast.ValueSpec); ok && s.constants && err == nil {
				err = readConstant(spec, ids, dates)
			}
			text, ok := literal(n)
			if ok && !s.constants && geminiID.MatchString(text) {
				ids[text] = true
			}
			if ok && slices.Contains(s.bills, text) {
				paths[text] = true
			}
			return true
		})
		return err
	})
	return ids, dates, paths, err
}

// readConstant ignores constants whose type isn't a model.
func readConstant(spec *ast.ValueSpec, ids map[string]bool, dates map[string]string) error {
	name, ok := spec.Type.(*ast.Ident)
	if !ok || !strings.HasSuffix(name.Name, "Model") || len(spec.Values) != 1 {
		return nil
	}
	id, ok := literal(spec.Values[0])
	if !ok || !modelID.MatchString(id) {
		return nil
	}
	ids[id] = true
	return addDate(dates, id, shutdownDate(spec.Doc.Text()))
}

// addDate ignores an empty date.
func addDate(dates map[string]string, id, date string) error {
	switch before := dates[id]; {
	case date == "":
		return nil
	case before != "" && before != date:
		return fmt.Errorf("%s has the shutdown dates %s and %s", id, before, date)
	}
	dates[id] = date
	return nil
}

func literal(n ast.Node) (string, bool) {
	lit, ok := n.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return "", false
	}
	text, err := strconv.Unquote(lit.Value)
	return text, err == nil
}

// shutdownDate returns the date in a deprecation comment as YYYY-MM-DD, or "".
func shutdownDate(doc string) string {
	doc = strings.Join(strings.Fields(doc), " ")
	if m := isoDate.FindStringSubmatch(doc); m != nil {
		return m[1]
	}
	if m := wordyDate.FindStringSubmatch(doc); m != nil {
		text := strings.ReplaceAll(ordinal.ReplaceAllString(m[1], "$1"), ",", "")
		if date, err := time.Parse("January 2 2006", text); err == nil {
			return date.Format(time.DateOnly)
		}
	}
	return ""
}
