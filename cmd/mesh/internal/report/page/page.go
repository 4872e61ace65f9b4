// Package page draws a report as a page: one HTML file without scripts that requests nothing.
//
//	r, err := report.Read(report.Options{Budgets: []string{"750/month"}}, "calls")
//	if err == nil {
//		err = page.Write(file, r)
//	}
package page

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // for the page
	"encoding/base64"
	"html/template"
	"io"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/report"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/table"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/internal/argument"
)

//go:embed page.html
var pageHTML string

//go:embed page.css
var pageCSS string

// Write writes a report as a page. Amounts are rounded for display, half to even, and each is in the page with all its digits. Names are
// escaped, and shown without control characters and marks of the writing direction.
func Write(w io.Writer, r *report.Report) error {
	if r == nil {
		return argument.New("page", "r", "", "must not be nil")
	}
	page, err := pageTemplate()
	if err != nil {
		return err
	}
	var out bytes.Buffer // an error leaves no half of a page
	if err := page.Execute(&out, newPage(r)); err != nil {
		return err
	}
	_, err = w.Write(out.Bytes())
	return err
}

// pageTemplate returns the template of the page. Its styles are one element, whose hash is in the policy of the page: a style that a name
// brought in would not apply. It is parsed for each page, which takes milliseconds: a global one would be in every program that imports the
// package.
func pageTemplate() (*template.Template, error) {
	sum := sha256.Sum256([]byte(pageCSS))
	return template.New("page").Funcs(template.FuncMap{
		"css":     func() template.CSS { return template.CSS(pageCSS) }, //nolint:gosec // it is ours
		"cssHash": func() string { return base64.StdEncoding.EncodeToString(sum[:]) },
		"usd":     dollars, "delta": delta, "small": smallDollars, "count": table.Count, "tokens": tokens, "percent": percent, "signed": signedPercent, "seconds": seconds,
		"date": dateText, "day": shortDate, "instant": table.Instant, "plural": table.Number, "line": line, "name": nameParts, "provider": func(p models.Provider) string { return line(table.Provider(string(p))) },
		"platform": platformName, "status": statusText, "saving": sameChange, "nocost": noCost, "models": unpricedModels, "first": first,
		"percentWidth": percentWidth,
		"less":         func(a, b int) int { return a - b },
	}).Parse(pageHTML)
}
