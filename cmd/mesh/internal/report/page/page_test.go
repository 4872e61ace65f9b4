package page_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/report"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/report/page"
	"github.com/mesh-gateway/mesh-go/discovery/bills"
	"github.com/mesh-gateway/mesh-go/discovery/models"
)

func html(t *testing.T, r *report.Report) string {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, page.Write(&out, r))
	return out.String()
}

// element is an HTML element. Its text includes inner elements.
type element struct {
	name  string
	attrs map[string]string
	text  string
}

func parse(t *testing.T, page string) (all []*element) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(page))
	d.Strict, d.AutoClose, d.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	var open []*element
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			assert.Empty(t, open, "every element is closed")
			return all
		}
		require.NoError(t, err)
		switch token := token.(type) {
		case xml.StartElement:
			e := &element{name: token.Name.Local, attrs: map[string]string{}}
			for _, a := range token.Attr {
				e.attrs[a.Name.Local] = a.Value
			}
			all, open = append(all, e), append(open, e)
		case xml.EndElement:
			require.NotEmpty(t, open)
			require.Equal(t, open[len(open)-1].name, token.Name.Local)
			open = open[:len(open)-1]
		case xml.CharData:
			for _, outer := range open[max(0, len(open)-3):] { // a heading and its inner elements
				outer.text += string(token)
			}
		}
	}
}

func byName(all []*element, name string) (some []*element) {
	for _, e := range all {
		if e.name == name {
			some = append(some, e)
		}
	}
	return some
}

func texts(all []*element) (some []string) {
	for _, e := range all {
		some = append(some, strings.TrimSpace(e.text))
	}
	return some
}

// checkPage checks a page's structure and returns its elements.
func checkPage(t *testing.T, page string) []*element {
	t.Helper()
	all := parse(t, page)
	for _, name := range []string{"html", "head", "main", "h1", "header", "footer", "style"} {
		assert.Equal(t, 1, len(byName(all, name)), name) //nolint:testifylint // a failure must not print the page
	}
	for _, name := range []string{"script", "img", "iframe", "object", "form", "input", "base", "embed"} {
		assert.Empty(t, byName(all, name), name)
	}
	assert.Contains(t, page, `content="default-src 'none'; style-src 'sha256-`)
	for _, e := range all {
		assert.NotContains(t, e.attrs, "style", "the policy blocks inline styles")
		for name, value := range e.attrs {
			assert.False(t, strings.HasPrefix(name, "on"), name)
			if name == "href" || name == "src" {
				assert.Regexp(t, `^(#[a-z0-9-]+|data:,)$`, value, "nothing outside the page")
			}
		}
	}
	checkHeadings(t, all)
	checkTables(t, all)
	checkReferences(t, all)
	return all
}

// checkHeadings checks that no heading level is skipped.
func checkHeadings(t *testing.T, all []*element) {
	t.Helper()
	level := 0
	for _, e := range all {
		if len(e.name) == 2 && e.name[0] == 'h' && e.name[1] >= '1' && e.name[1] <= '6' {
			next := int(e.name[1] - '0')
			assert.LessOrEqual(t, next, level+1, e.text)
			level = next
			assert.NotEmpty(t, strings.TrimSpace(e.text))
		}
	}
}

// checkTables checks that every table has a caption and headers, and that rows are as
// long as the header.
func checkTables(t *testing.T, all []*element) {
	t.Helper()
	cells, want := 0, 0
	for i, e := range all {
		switch e.name {
		case "table":
			assert.Equal(t, "caption", all[i+1].name, "every table has a caption")
			want = 0
		case "tr":
			if want == 0 {
				want = cells
			}
			cells = 0
		case "th", "td":
			cells++
			if e.name == "th" {
				assert.Contains(t, []string{"col", "row"}, e.attrs["scope"])
			}
		case "svg":
			assert.True(t, e.attrs["aria-hidden"] == "true" || e.attrs["role"] == "img" && e.attrs["aria-label"] != "", "a picture has a text or is next to its number")
		}
	}
}

// checkReferences checks that ids are unique and references lead to one.
func checkReferences(t *testing.T, all []*element) {
	t.Helper()
	ids := map[string]bool{}
	for _, e := range all {
		if id := e.attrs["id"]; id != "" {
			assert.False(t, ids[id], id)
			ids[id] = true
		}
	}
	for _, e := range all {
		for _, ref := range []string{strings.TrimPrefix(e.attrs["href"], "#"), e.attrs["aria-labelledby"]} {
			assert.True(t, ref == "" || ref == "data:," || ids[ref], ref)
		}
	}
}

// demo returns a report on 90 days with 40 models, labels, retries, failures, budgets and
// a bill.
func demo(t *testing.T) *report.Report {
	t.Helper()
	records := someRecords(2000, 90)
	random := rand.New(rand.NewPCG(1, 2))
	for i := range records {
		if random.IntN(3) == 0 {
			records[i].Provider, records[i].Platform, records[i].Model = models.Anthropic, "bedrock", fmt.Sprintf("us.anthropic.claude-example-%02d-20250929-v1:0", random.IntN(31))
		}
		records[i].Labels["team"] = []string{"platform", "search", "support", "growth"}[random.IntN(4)]
	}
	return build(t, report.Options{
		From: day("2026-08-24"), To: day("2026-11-22"), Budgets: []string{"750/month", "2/day/label:user"},
		Bills: []*bills.Comparison{compared(t, "100", 0, billed("gpt-5.2", "130"))},
	}, records...)
}
