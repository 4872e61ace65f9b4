package page_test

import (
	"math/big"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/report"
	"github.com/mesh-gateway/mesh-go/discovery/bills"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/internal/test/whole"
)

var amountText = regexp.MustCompile(`>([−+]?)(?:&lt;)?\$([\d.,]+)</data>`)

// withCosts returns made-up calls, none unpriced, so that periods can be compared.
func withCosts(n int) []calls.Record {
	return slices.DeleteFunc(someRecords(n, 60), func(r calls.Record) bool { return r.Unpriced != "" })
}

// shownUSD returns the amounts shown in part; "<$0.01" is 0.
func shownUSD(t *testing.T, part string) (all []*big.Rat) {
	t.Helper()
	for _, found := range amountText.FindAllStringSubmatch(part, -1) {
		usd, ok := new(big.Rat).SetString(strings.ReplaceAll(found[2], ",", ""))
		require.True(t, ok, found[0])
		switch {
		case strings.Contains(found[0], "lt;"):
			usd.SetInt64(0)
		case found[1] == "−":
			usd.Neg(usd)
		}
		all = append(all, usd)
	}
	return all
}

// between returns the text from first to the next last.
func between(t *testing.T, page, first, last string) string {
	t.Helper()
	_, rest, found := strings.Cut(page, first)
	require.True(t, found, first)
	part, _, found := strings.Cut(rest, last)
	require.True(t, found, last)
	return part
}

func sumOf(all []*big.Rat) string {
	sum := new(big.Rat)
	for _, usd := range all {
		sum.Add(sum, usd)
	}
	return sum.FloatString(2)
}

// Every table adds up as shown, and differences match the numbers shown.
func TestPageAddsUp(t *testing.T) {
	t.Parallel()
	narrow := regexp.MustCompile(`<tr class="nr.*?</tr>`)
	for n := 2000; n < 2000+whole.Cases(10, 2); n++ {
		page := strings.ReplaceAll(html(t, build(t, report.Options{}, withCosts(n)...)), "&#43;", "+")
		hero := shownUSD(t, between(t, page, `<p class="big">`, `</div>`))
		total, change, previous := hero[0], hero[1], hero[2]
		assert.Equal(t, change.FloatString(2), new(big.Rat).Sub(total, previous).FloatString(2))

		models := between(t, page, `<h2 id="h-mod">`, `<details`)
		rows, foot, _ := strings.Cut(narrow.ReplaceAllString(models, ""), "<tfoot>")
		assert.Equal(t, total.FloatString(2), sumOf(shownUSD(t, rows)))
		assert.Equal(t, total.FloatString(2), sumOf(shownUSD(t, foot)))
		all := between(t, page, `<caption class="vh">All models`, `</table>`)
		assert.Equal(t, total.FloatString(2), sumOf(shownUSD(t, all)))

		rest := between(t, page, `<h2 id="h-ch">`, `</section>`)
		for strings.Contains(rest, "<tbody>") {
			_, rest, _ = strings.Cut(rest, "<tbody>")
			assert.Equal(t, change.FloatString(2), sumOf(shownUSD(t, rest[:strings.Index(rest, "</tbody>")])))
		}
		rest = between(t, page, `<h2 id="h-lab">`, `</section>`)
		for strings.Contains(rest, "<tbody>") {
			_, rest, _ = strings.Cut(rest, "<tbody>")
			body, _, _ := strings.Cut(rest, "</tbody>")
			assert.Equal(t, total.FloatString(2), sumOf(shownUSD(t, narrow.ReplaceAllString(body, ""))))
		}
	}
}

// The same amount looks the same in the tables for models, caching and all models.
func TestPageShowsAnAmountAlike(t *testing.T) {
	t.Parallel()
	data := regexp.MustCompile(`<data value="([^"]*)">([^<]*)</data>`)
	for n := 2000; n < 2000+whole.Cases(10, 2); n++ {
		page := strings.ReplaceAll(html(t, build(t, report.Options{}, withCosts(n)...)), "&#43;", "+")
		shown := map[string]string{}
		for _, found := range data.FindAllStringSubmatch(page[:strings.Index(page, `<h2 id="h-top">`)], -1) {
			exact, text := found[1], strings.TrimPrefix(found[2], "+")
			if before, known := shown[exact]; known {
				assert.Equal(t, before, text, exact)
			}
			shown[exact] = text
		}
	}
}

// A difference just below a cent is rounded to as many places as its two amounts.
func TestBillNearlyACentAddsUp(t *testing.T) {
	t.Parallel()
	credit := bills.Item{Day: "2026-11-20", Name: "credit", USD: "-5"}
	c := compared(t, "10.1150000001", 0, billed("gpt-5.2", "15.125"), credit)
	page := strings.ReplaceAll(html(t, build(t, report.Options{Bills: []*bills.Comparison{c}})), "&#43;", "+")
	row := shownUSD(t, between(t, page, `<tfoot><tr><th scope="row">All</th>`, "</tfoot>"))
	require.Len(t, row, 3)
	assert.Equal(t, row[2].FloatString(6), row[0].Sub(row[0], row[1]).FloatString(6))
}

// Every row has the billed and counted amounts and their difference, and every column
// adds up.
func TestBillAddsUp(t *testing.T) {
	t.Parallel()
	page := strings.ReplaceAll(html(t, demo(t)), "&#43;", "+")
	rows := strings.SplitAfter(between(t, page, `the largest difference first`, `</table>`), "</tr>")
	sums := []*big.Rat{{}, {}, {}}
	for _, row := range rows {
		usd := shownUSD(t, row)
		if len(usd) == 0 {
			continue
		}
		require.Len(t, usd, 3, row)
		assert.Equal(t, usd[2].FloatString(2), new(big.Rat).Sub(usd[0], usd[1]).FloatString(2), row)
		for i := range sums {
			if strings.Contains(row, "<tfoot>") {
				assert.Equal(t, usd[i].FloatString(2), sums[i].FloatString(2))
			}
			sums[i].Add(sums[i], usd[i])
		}
	}
}

// The section's last table has all models. The sentence above has its sum.
func TestSavingsOfCachesAddUp(t *testing.T) {
	t.Parallel()
	for n := 2000; n < 2000+whole.Cases(10, 2); n++ {
		page := html(t, build(t, report.Options{}, withCosts(n)...))
		section := between(t, page, `<section aria-labelledby="h-cache">`, "</section>")
		var saved []*big.Rat
		for row := range strings.SplitSeq(section[strings.LastIndex(section, "<tbody>"):], "</tr>") {
			if shown := shownUSD(t, row); len(shown) == 3 { // cost, without caches, saved
				assert.Equal(t, shown[1].FloatString(2), sumOf([]*big.Rat{shown[0], shown[2]}), row)
				saved = append(saved, shown[2])
			}
		}
		require.Greater(t, len(saved), 3)
		assert.Equal(t, shownUSD(t, between(t, section, "It saved", "</strong>"))[0].FloatString(2), sumOf(saved))
	}
}
