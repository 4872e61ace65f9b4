package page_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/report"
	"github.com/mesh-gateway/mesh-go/discovery/bills"
)

// hostile returns a report that has name everywhere.
func hostile(t *testing.T, name string) *report.Report {
	t.Helper()
	records := append(repeat(60, priced(at(2), "1")), repeat(60, priced(at(40), "0.5"))...)
	for i := range records {
		r := &records[i]
		r.ID, r.Model, r.Platform = name, name, name
		r.Labels = map[string]string{name: name, "thread": name, "user": name}
		switch i % 4 {
		case 1:
			r.USD, r.Unpriced = "", name
		case 2:
			r.Model, r.Provider = "o4-mini", "openai"
			r.Labels = map[string]string{"project": "a" + name, "user": "b" + name}
			r.Time = r.Time.AddDate(0, 0, -i%5)
		}
	}
	r := build(t, report.Options{
		Budgets: []string{"1/month", "1/day/label:user"}, Bills: []*bills.Comparison{compared(t, "1", 0, billed(name, "3"))},
	}, records...)
	r.Source.Paths, r.Errors = []string{name}, report.Errors{Count: 1, First: []string{name}}
	r.Advice = append(r.Advice, report.Advice{Code: "label", Text: "Look at " + name + ". " + name, Command: name})
	return r
}

// skeleton lists a page's elements with attribute counts and classes, but without text.
func skeleton(t *testing.T, page string) string {
	t.Helper()
	var all strings.Builder
	for _, e := range checkPage(t, page) {
		if e.name == "wbr" { // a long name may break in more places
			continue
		}
		fmt.Fprintf(&all, "%s %d %s\n", e.name, len(e.attrs), e.attrs["class"])
	}
	return all.String()
}

// hostileNames would be markup, or change what a reader sees.
var hostileNames = []string{
	`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `' onload='x`, `</title></style></table><b>`, `{{.}}`, `]]>-->`, "\u202e\u2066evil", "a\x00\x1b[31m\nb",
	"javascript:alert(1)", "&lt;&amp;", "\u2028", "\xff\xfe", "é. x", strings.Repeat("x", 1000),
}

func TestHostileNamesAreTexts(t *testing.T) {
	t.Parallel()
	want := skeleton(t, html(t, hostile(t, "plain")))
	for _, name := range hostileNames {
		checkHostile(t, want, name)
	}
}

var controls = regexp.MustCompile("[\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069\u2028\u2029]")

func checkHostile(t *testing.T, want, name string) {
	t.Helper()
	page := html(t, hostile(t, name))
	assert.Equal(t, want, skeleton(t, page), "%q", name)
	assert.Empty(t, controls.FindString(strings.ReplaceAll(page, "\n", "")), "%q", name)
}

func FuzzNamesInThePage(f *testing.F) {
	for _, name := range hostileNames {
		f.Add(name)
	}
	f.Add("p") // an element that the page has
	var plain []string
	f.Fuzz(func(t *testing.T, name string) {
		if plain == nil {
			plain = elementNames(t, html(t, hostile(t, "plain")))
		}
		page := html(t, hostile(t, name))
		assert.Subset(t, plain, elementNames(t, page))
		assert.Empty(t, controls.FindString(strings.ReplaceAll(page, "\n", "")))
	})
}

// elementNames returns the kinds of elements in a page. A name may add or remove rows,
// but must not add a kind.
func elementNames(t *testing.T, page string) []string {
	t.Helper()
	kinds := map[string]bool{"wbr": true}
	for _, e := range checkPage(t, page) {
		kinds[e.name] = true
	}
	return slices.Sorted(maps.Keys(kinds))
}
