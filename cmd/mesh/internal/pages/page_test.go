package pages_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/pages"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
)

// page returns the page of some lines.
func page(t *testing.T, lines ...string) string {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, pages.UsagePage(calls.SumOptions{}, write(t, lines...)).Write(&out))
	return out.String()
}

func lineOn(day, model, more string) string {
	return fmt.Sprintf(`{"provider":"openai","model":%q,"time":"%sT12:00:00Z","usage":{"input_tokens":5000,"output_tokens":100,"total_tokens":5100}%s}`, model, day, more)
}

func TestPage(t *testing.T) {
	t.Parallel()
	text := page(t,
		lineOn("2026-11-20", "a", `,"usd":"1234.5678"`), lineOn("2026-11-22", "b", `,"usd":"0.0000001","labels":{"team":"blue"}`), lineOn("2026-11-22", "c", `,"usd":null,"unpriced":"closed early"`), "x",
	)
	for _, want := range []string{
		"2026-11-20 to 2026-11-22 (UTC)", "1,234.5678001 USD", "3 calls, unpriced: 1", "1 of 3 calls are unpriced: their cost is not known and in no sum.", "<li><bdi>1: closed early</bdi></li>",
		"Some lines cannot be read: ", ":4: a line must be",
		`aria-label="Cost by day in USD, from 2026-11-20 to 2026-11-22. The highest is 1,234.57 USD, 2026-11-20."`, "<title>2026-11-20 calls: 1,234.57 USD</title>",
		"<span>2026-11-20 to 2026-11-22</span><span></span>", "<p class=\"soft\">3 calls,",
		"<bdi>a, openai</bdi>", `<td data-name="USD">1,234.57</td>`, `<td data-name="USD">&lt; 0.000001</td>`, `<td data-name="Unpriced" class="some">1</td><td data-name="USD">not known</td>`,
		"<h2>Cost by team</h2>", "<bdi>blue</bdi>", "<bdi>(without)</bdi>",
	} {
		assert.Contains(t, text, want)
	}
	assert.NotContains(t, text, "<script")
	assert.NotContains(t, text, "http://")
	assert.NotContains(t, text, "https://")
	assert.Less(t, strings.Index(text, "<bdi>a, openai"), strings.Index(text, "<bdi>b, openai"), "the most expensive model is first")
	assert.Equal(t, 2, strings.Count(text, `<rect class="bar"`))
}

func TestPageOfNothing(t *testing.T) {
	t.Parallel()
	text := page(t)
	assert.Contains(t, text, "No calls")
	assert.NotContains(t, text, "<svg")
	assert.NotContains(t, text, `class="warn"`)
}

func TestPageOfUnknownCosts(t *testing.T) {
	t.Parallel()
	text := page(t, lineOn("2026-11-20", "", `,"usd":null`))
	assert.Contains(t, text, "<bdi>(without), openai</bdi>")
	assert.Contains(t, text, `<p class="total">not known</p>`)
	assert.Contains(t, text, `from 2026-11-20 to 2026-11-20. No amount is more than 0.">`)
	assert.NotContains(t, text, "<rect")
}

// TestPageHasMarkupInNoName checks that the elements are those of the page of harmless names.
func TestPageHasMarkupInNoName(t *testing.T) {
	t.Parallel()
	elements := func(name string) (all string) {
		text := page(t, lineOn("2026-11-20", name, fmt.Sprintf(`,"usd":"1","labels":{%q:%q}`, name, name)), lineOn("2026-11-20", name, fmt.Sprintf(`,"usd":null,"unpriced":%q`, name)))
		d := xml.NewDecoder(strings.NewReader(text))
		d.Strict, d.AutoClose, d.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
		for {
			token, err := d.Token()
			if errors.Is(err, io.EOF) {
				return all
			}
			require.NoError(t, err)
			if element, ok := token.(xml.StartElement); ok {
				all += element.Name.Local
				for _, attribute := range element.Attr {
					all += " " + attribute.Name.Local
				}
				all += "\n"
			}
		}
	}
	want := elements("plain")
	assert.Contains(t, want, "rect class x y width height\n")
	for _, name := range []string{`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `' onload='x`, `</title></style><b>`, `{{.}}`, `]]>-->`, "\u202e\u2066"} {
		assert.Equal(t, want, elements(name), name)
	}
}

func TestPageHasTheFirstRowsAndTheRest(t *testing.T) {
	t.Parallel()
	var lines []string
	for i := range 150 {
		lines = append(lines, lineOn("2026-11-20", fmt.Sprintf("m%03d", i), fmt.Sprintf(`,"usd":"%d"`, i)))
	}
	text := page(t, lines...)
	assert.Contains(t, text, "m050, openai")
	assert.NotContains(t, text, "m049, openai")
	assert.Contains(t, text, `<bdi>50 more</bdi></th><td data-name="Calls">50</td>`)
	assert.Contains(t, text, `<td data-name="USD">1,225.00</td>`)
}

// TestPageHasTheFirstLabels checks that the labels do not depend on the order of a map, and that a page names what it leaves out.
func TestPageHasTheFirstLabels(t *testing.T) {
	t.Parallel()
	var labels []string
	for i := range 30 {
		labels = append(labels, fmt.Sprintf(`"l%02d":"v"`, i))
	}
	file := write(t, lineOn("2026-11-20", "a", `,"usd":"1","labels":{`+strings.Join(labels, ",")+`}`), lineOn("2026-11-21", "a", `,"usd":"1","labels":{"a":"v"}`))
	var out strings.Builder
	require.NoError(t, pages.UsagePage(calls.SumOptions{}, file).Write(&out))
	assert.Contains(t, out.String(), "more than 10 labels")
	for i := range 9 {
		assert.Contains(t, out.String(), fmt.Sprintf("<h2>Cost by l%02d</h2>", i))
	}
	assert.Equal(t, 11, strings.Count(out.String(), "<h2>Cost by ")-1, "the model, and ten labels")
	out.Reset()
	day := time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)
	require.NoError(t, pages.UsagePage(calls.SumOptions{From: day}, file).Write(&out))
	assert.NotContains(t, out.String(), "Cost by l", "labels of calls before the window")
	assert.NotContains(t, out.String(), "more than 10 labels")
	assert.Contains(t, out.String(), "<h2>Cost by a</h2>")
}

func TestChartOfALongTimeIsByMonth(t *testing.T) {
	t.Parallel()
	text := page(t, lineOn("2026-01-20", "a", `,"usd":"1"`), lineOn("2026-01-21", "a", `,"usd":"2"`), lineOn("2026-11-20", "a", `,"usd":"1"`))
	assert.Contains(t, text, "<title>2026-01 calls: 3.00 USD</title>")
	assert.Contains(t, text, `viewBox="0 0 14 100"`)
	text = page(t, lineOn("0001-01-02", "a", `,"usd":"1"`), lineOn("2026-11-20", "a", `,"usd":"1"`), lineOn("9999-11-20", "a", `,"usd":"1"`))
	assert.Equal(t, 3, strings.Count(text, `<rect class="bar"`))
	assert.Less(t, len(text), 20_000, "years without calls take no memory")
}
