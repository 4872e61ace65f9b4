package page_test

import (
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/report"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/report/page"
	"github.com/mesh-gateway/mesh-go/discovery/bills"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

func TestPage(t *testing.T) {
	t.Parallel()
	r := demo(t)
	page := html(t, r)
	all := checkPage(t, page)
	assert.Equal(t, []string{
		"Summary", "Cost per day", "Bill of OpenAI", "What to do", "Models", "Labels and providers", "Caching", "Errors and latency", "Models in use that retire",
		"Most expensive", "Not in the total", "How the numbers are made",
	}, texts(byName(all, "h2")))
	assert.GreaterOrEqual(t, len(r.Models), 40)
	assert.Less(t, len(page), 150_000)
	assert.Contains(t, page, `<data value="`+r.Total.USD+`">`, "the exact value is in the page")
	figure := byName(all, "figure")
	require.Len(t, figure, 2, "a chart by model and one by project")
	for _, d := range r.Days.Rows {
		assert.Contains(t, page, `<data value="`+d.USD+`">`, "the chart's table has every day")
	}
	for i, e := range byName(all, "details") {
		assert.NotContains(t, e.attrs, "open", i)
	}
}

func TestPageHasAChartByLabel(t *testing.T) {
	t.Parallel()
	var records []calls.Record
	for i, team := range []string{"search", "<b>ops", ""} {
		for ago := range 3 {
			r := priced(at(1+ago), prices.USD(fmt.Sprint(3-i)))
			r.Labels = map[string]string{"team": team}
			records = append(records, r)
		}
	}
	page := html(t, build(t, report.Options{}, records...))
	checkPage(t, page)
	assert.Contains(t, page, `<figcaption>By <bdi>team</bdi></figcaption>`)
	_, figure, _ := strings.Cut(page, `<figcaption>By <bdi>team`)
	legend := between(t, figure, `<ul class="lg">`, "</ul>")
	assert.Equal(t, []string{"other or none", "&lt;b&gt;ops", "search"}, shownNames(legend))
	assert.Contains(t, between(t, page, `<h2 id="h-lab">`, "</section>"), "(no team)")
	assert.NotRegexp(t, `>others<|without (it|this label)`, page)
	assert.Equal(t, "18.00", sumOf(shownUSD(t, legend)))
	assert.Contains(t, between(t, figure, `<g id="bars1">`, "</g>"), `class="s6"`)
	records = append(records, priced(at(1), "1"))
	for i := range records {
		records[i].Labels = map[string]string{"team": "search"}
	}
	assert.NotContains(t, html(t, build(t, report.Options{}, records...)), "By <bdi>team</bdi></figcaption>")
}

func shownNames(legend string) (names []string) {
	for _, found := range regexp.MustCompile(`<bdi>(.*?)</bdi>`).FindAllStringSubmatch(legend, -1) {
		names = append(names, strings.ReplaceAll(found[1], "<wbr>", ""))
	}
	return names
}

func BenchmarkWrite(b *testing.B) {
	r, err := report.Build(sequence(someRecords(6000, 90)), report.Options{From: day("2026-08-24"), To: day("2026-11-22"), Now: now})
	require.NoError(b, err)
	for b.Loop() {
		require.NoError(b, page.Write(io.Discard, r))
	}
}

func TestPageOfTheDefaultPeriodHasTheChange(t *testing.T) {
	t.Parallel()
	r := build(t, report.Options{}, someRecords(3000, 90)...)
	all := checkPage(t, html(t, r))
	assert.Contains(t, texts(byName(all, "h2")), "Where the change came from")
	captions := texts(byName(all, "caption"))
	for _, want := range []string{"By model", "By user", "By project"} {
		assert.Contains(t, captions, want)
	}
	for _, m := range r.Change.Models.Rows {
		assert.Contains(t, html(t, r), `<data value="`+m.ChangeUSD+`">`)
	}
}

func TestPageOfNoCalls(t *testing.T) {
	t.Parallel()
	r := build(t, report.Options{})
	r.Source.Paths = []string{"calls"}
	page := html(t, r)
	all := checkPage(t, page)
	assert.Equal(t, []string{"No calls in this time", "How the numbers are made"}, texts(byName(all, "h2")))
	assert.Contains(t, page, "No call was read.")
	assert.Contains(t, page, "<code>calls</code>")
	assert.Empty(t, byName(all, "table"))

	page = html(t, build(t, report.Options{From: day("2020-01-01"), To: day("2020-02-01")}, priced(at(2), "1"), priced(at(1), "1")))
	checkPage(t, page)
	assert.Contains(t, page, "2 calls were read, from 20 Nov 2026, 12:00 to 21 Nov 2026, 12:00")
	assert.Contains(t, page, "1 Jan – 31 Jan 2020")
	page = html(t, build(t, report.Options{}, priced(time.Date(2999, 1, 1, 0, 0, 0, 0, time.UTC), "1")))
	assert.Contains(t, page, "1 call is later than today: a clock may be wrong.")
}

func TestPageOfOneCall(t *testing.T) {
	t.Parallel()
	page := html(t, build(t, report.Options{}, priced(at(0), "0.000123456")))
	all := checkPage(t, page)
	assert.Contains(t, page, `<data value="0.000123456">$0.0001</data>`)
	assert.Contains(t, page, "1 day, today included, UTC · 1 call · 1 model of 1 provider")
	assert.NotContains(t, texts(byName(all, "h2")), "Cost per day")
	assert.NotContains(t, texts(byName(all, "h2")), "Models")
	assert.Contains(t, page, "There are no calls before, to compare with.")
}

func TestPageOfUnpricedCalls(t *testing.T) {
	t.Parallel()
	one := priced(at(2), "")
	one.Unpriced, one.BoundUSD, one.Stream = "the response was closed before its final counts", "0.5", true
	other := priced(at(1), "")
	other.Unpriced, other.Model = "why", "other"
	page := html(t, build(t, report.Options{}, one, other))
	all := checkPage(t, page)
	assert.Contains(t, page, "<title>not known for models")
	assert.Contains(t, page, "0.0 %")
	assert.Contains(t, page, `1 call cost <strong>at least <data value="0.5">$0.50</data></strong> more`)
	assert.Contains(t, texts(byName(all, "h2")), "Not in the total")
	assert.Contains(t, page, `<td>not known</td>`, "an unknown cost is not $0.00")
}

func TestPageOfPeriodsThatAreNotComparable(t *testing.T) {
	t.Parallel()
	unpriced := priced(at(2), "")
	unpriced.Unpriced = "why"
	r := build(t, report.Options{}, append(repeat(10, priced(at(40), "1")), priced(at(2), "9"), unpriced, priced(at(60), "1"))...)
	require.NotNil(t, r.Change)
	require.False(t, r.Total.Comparable)
	page := html(t, r)
	checkPage(t, page)
	assert.Contains(t, page, "Not comparable with 27 Sep – 24 Oct 2026: 50.0 % of the calls have a cost, then it was 100.0 %.")
	assert.NotContains(t, page, "Where the change came from")
}

func TestPageOfUnusualCalls(t *testing.T) {
	t.Parallel()
	for name, records := range map[string][]calls.Record{
		"1970":     {priced(time.Unix(0, 0), "1"), priced(at(2), "1"), priced(at(33), "1")},
		"year 1":   {priced(time.Date(1, 1, 1, 0, 0, 0, 1, time.UTC), "1"), priced(time.Date(9999, 12, 31, 23, 0, 0, 0, time.UTC), "1")},
		"large":    append(repeat(3, priced(at(2), "999999999999999999999999999999")), priced(at(1), "1"), priced(at(3), "0.0000000000000000000001")),
		"free":     repeat(200, priced(at(2), "0")),
		"no model": {of(priced(at(2), "1"), "")},
	} {
		for _, o := range []report.Options{{}, {From: day("1970-01-01")}, {From: day("0001-01-01"), To: day("9999-12-31")}, {Now: time.Unix(100, 0)}} {
			page := html(t, build(t, o, records...))
			checkPage(t, page)
			assert.Less(t, len(page), 100_000, name)
			assert.NotContains(t, page, "NaN")
			assert.NotContains(t, page, "Inf")
			assert.NotContains(t, page, "%!")
		}
	}
}

func TestPageOfManyValuesIsFolded(t *testing.T) {
	t.Parallel()
	var records []calls.Record
	for i := range 1500 {
		records = append(records, labelled(of(priced(at(1+i%80), prices.USD(fmt.Sprint(i))), fmt.Sprintf("m%04d", i%300)), "user", fmt.Sprintf("u%04d", i)))
	}
	r := build(t, report.Options{From: day("2026-08-24"), To: day("2026-11-22")}, records...)
	page := html(t, r)
	all := checkPage(t, page)
	rows, table := map[string]int{}, ""
	for _, e := range all {
		switch e.name {
		case "caption":
			table = e.text
		case "tr":
			rows[table]++
		}
	}
	assert.Equal(t, 1+10+2+1, rows["Models with the highest cost"], "a head, ten rows, two rows for others (a window shows one), and the total")
	assert.Equal(t, 1+200+1, rows["All models"])
	assert.Equal(t, 1+200+1, rows["All of user"])
	assert.Contains(t, page, "100 others")
	assert.Contains(t, page, "1,300 others")
}

func TestChartOfALongTimeIsByMonth(t *testing.T) {
	t.Parallel()
	var records []calls.Record
	for i := range 400 {
		records = append(records, priced(at(i), "0.1"))
	}
	page := html(t, build(t, report.Options{From: day("2025-01-01"), To: day("2026-11-22")}, records...))
	all := checkPage(t, page)
	assert.Contains(t, texts(byName(all, "h2")), "Cost per month")
	assert.Contains(t, page, `<th scope="row">May 2026</th><td><data value="3.1">$3.10</data></td>`)
}

func TestPageOfABill(t *testing.T) {
	t.Parallel()
	o := report.Options{From: day("2026-11-20"), To: day("2026-11-22")}
	credit := bills.Item{Day: "2026-11-21", Name: "Credit <b>", Kind: bills.KindOther, USD: "-0.5"}
	o.Bills = []*bills.Comparison{compared(t, "", 0, billed("gpt-5.2", "1.015"), credit)}
	page := html(t, build(t, o))
	all := checkPage(t, page)
	assert.Contains(t, page, "<title>Bill of OpenAI, 20 Nov – 21 Nov 2026</title>")
	assert.Contains(t, page, "There are no calls to compare with the bill.")
	assert.Contains(t, page, `<data value="1.015">$1.02</data>`, "half a cent is rounded to even")
	assert.Contains(t, page, `<data value="-0.5">−$0.50</data>`)
	assert.NotContains(t, page, "ounted", "nothing was counted")
	assert.Equal(t, []string{"No calls in this time", "Bill of OpenAI", "How the numbers are made"}, texts(byName(all, "h2")))

	within := compared(t, "1", 0, billed("gpt-5.2", "1.015"))
	o.Bills = []*bills.Comparison{within, within}
	page = html(t, build(t, o, priced(at(2), "1")))
	checkPage(t, page)
	for i, sentence := range within.Sentences() {
		shown := []string{sentence, "Billed $1.02, counted $1.00; +$0.02: another price.", "2026-11-20 gpt-5.2"}[i]
		if i < 2 {
			assert.Equal(t, 2, strings.Count(strings.ReplaceAll(page, "&#43;", "+"), shown), "each bill has it once: %s", shown)
		}
	}
	o.Bills = []*bills.Comparison{compared(t, "1", 0.55, billed("gpt-5.2", "1.015"), credit)}
	r := build(t, o, priced(at(2), "1"))
	page = html(t, r)
	checkPage(t, page)
	assert.Contains(t, page, "<small>for fees and credits</small>")
	assert.Contains(t, page, "No model: &#34;Credit &lt;b&gt;&#34;.")
	assert.Equal(t, []report.Advice{{Code: report.CodeBill, Text: "Look at the bill of OpenAI: −0.48 USD: −0.50 for fees and credits, +0.02 another price. Compare the fees and credits with your contract."}}, r.Advice)
	assert.Contains(t, strings.ReplaceAll(page, "&#43;", "+"), "Look at the bill of OpenAI: −$0.48: −$0.50 for fees and credits, +$0.02 another price.")
	assert.NotContains(t, page, " USD")
}

func TestPageOfLinesThatCannotBeRead(t *testing.T) {
	t.Parallel()
	r := build(t, report.Options{}, priced(at(2), "1"), priced(at(2), "x"))
	r.Errors.First[0] = "<b>\u202e\x00.jsonl:1"
	page := html(t, r)
	checkPage(t, page)
	assert.Contains(t, page, "1 line or file could not be read, and is in no number.")
	assert.Contains(t, page, "<bdi>&lt;b&gt;\ufffd\ufffd.jsonl:1</bdi>")
}

// Reports not made by Build: the zero value, and one with parts missing.
func TestPageOfOtherPrograms(t *testing.T) {
	t.Parallel()
	checkPage(t, html(t, &report.Report{}))
	r := demo(t)
	r.Days.Models, r.Change, r.Month.Forecast = r.Days.Models[:2], nil, nil
	for i := range r.Days.Rows {
		r.Days.Rows[i].Models = r.Days.Rows[i].Models[:i%3]
		r.Days.Rows[i].Day = "x"
	}
	r.Total.USD, r.Models[0].USD = "1e999999999", "x"
	checkPage(t, html(t, r))
	var invalid *report.ValueError
	require.ErrorAs(t, page.Write(io.Discard, nil), &invalid)
}

func TestPageStatesWhyTheForecastHasNoRange(t *testing.T) {
	t.Parallel()
	var weeks []calls.Record
	for ago := range 40 {
		weeks = append(weeks, priced(at(ago), "0.5"))
	}
	page := html(t, build(t, report.Options{}, weeks...))
	assert.Contains(t, page, `<strong>About <data value="15">$15.00</data></strong> by the end of the month <em class="est">estimate</em>`)
	assert.Contains(t, page, "The forecast has no range: when costs grow or change, the errors of earlier forecasts do not bound the next one")
}

// The page names the selection, so that some calls don't look like all.
func TestPageOfSelectedLabels(t *testing.T) {
	t.Parallel()
	page := html(t, build(t, report.Options{MatchLabels: map[string]string{"project": "p2\x1b<b>", "team": ""}}, someRecords(100, 60)...))
	checkPage(t, page)
	assert.Contains(t, page, "only calls <bdi>with project=p2\ufffd&lt;b&gt;, without team</bdi>")
	assert.NotContains(t, html(t, build(t, report.Options{}, someRecords(100, 60)...)), "nly calls")
}

func TestPageNamesASumThatIsNotAll(t *testing.T) {
	t.Parallel()
	assert.Contains(t, html(t, build(t, report.Options{}, priced(at(2), "1"))), `<h3>Spend</h3><p class="big"><data value="1">$1.00</data>`)
	unpriced := priced(at(2), "")
	unpriced.Unpriced = "closed"
	text := html(t, build(t, report.Options{}, priced(at(2), "1"), unpriced))
	assert.Contains(t, text, `<h3>At least</h3><p class="big"><data value="1">$1.00</data>`)
	assert.Contains(t, text, "<title>at least $1.00 for models")
}

func TestPageTitle(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	require.NoError(t, page.WriteTitled(&out, build(t, report.Options{}, priced(at(2), "1")), "Costs of <Acme>"))
	checkPage(t, out.String())
	assert.Contains(t, out.String(), "<title>Costs of &lt;Acme&gt;</title>")
	assert.Contains(t, out.String(), `<p class="brand">Costs of &lt;Acme&gt;</p>`)
}

// The dearest calls show enough digits to differ, and labels that lead to their origin.
func TestMostExpensiveCallsDiffer(t *testing.T) {
	t.Parallel()
	records := repeat(100, priced(at(2), "0.01"))
	for i := range 10 {
		records = append(records, labelled(priced(at(3), prices.USD(strings.TrimSuffix(fmt.Sprintf("0.0987%d", i), "0"))), "team", "search"))
	}
	page := html(t, build(t, report.Options{}, records...))
	assert.Contains(t, page, `<data value="0.09879">$0.09879</data>`)
	assert.Contains(t, page, `<data value="0.0987">$0.09870</data>`)
	assert.Contains(t, page, "team=search")
}

// The chart comes first. Its axis has cents if a step is below a dollar. Commands are
// folded.
func TestPageBeginsWithTheChart(t *testing.T) {
	t.Parallel()
	page := html(t, demo(t))
	chart := strings.Index(page, `id="h-day"`)
	for _, later := range []string{`id="h-bill0"`, `id="h-do"`, `id="h-mod"`} {
		assert.Less(t, chart, strings.Index(page, later), later)
	}
	assert.Contains(t, page, "<details><summary>Command</summary><code>mesh ")
	for _, tick := range texts(byName(parse(t, html(t, build(t, report.Options{}, priced(at(1), "0.4"), priced(at(2), "1.1"), priced(at(3), "1")))), "text")) {
		if strings.HasPrefix(tick, "$") {
			assert.Regexp(t, `^\$(0|\d+\.\d\d)$`, tick)
		}
	}
}
