package pages

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
)

// The largest numbers of rows of a table, of labels of a page, and of reasons for an unknown cost, above the chart.
const (
	maxRows    = 100
	maxLabels  = 10
	maxReasons = 10
)

// withoutName is the name of a row whose calls have no value, such as no model.
const withoutName = "(without)"

// UsagePage returns the page of calls files: the cost by day, and tables by day, by model and by each label. It
// names the first line that cannot be read.
func UsagePage(opts calls.SumOptions, paths ...string) *Page {
	names, more := labels(opts, paths)
	opts.By = [][]string{{"day", "provider", "model", unpriced}}
	for _, label := range names {
		opts.By = append(opts.By, []string{"label:" + label})
	}
	all, err := calls.Sum(opts, paths...)
	page := newUsagePage(all[0], err)
	if more {
		page.Details = append(page.Details, fmt.Sprintf("The calls have more than %d labels, of which the first have a table; mesh usage --by label:NAME adds up the others", maxLabels))
	}
	for i, label := range names {
		page.Tables = append(page.Tables, newTable("Cost by "+label, label, all[i+1]))
	}
	return page
}

// newUsagePage returns the page without the labels.
func newUsagePage(rows []calls.Group, err error) *Page {
	var total calls.Group
	for _, sum := range group(rows) {
		total = sum
	}
	byDay := group(rows, 0)
	page := &Page{
		Title: "Cost of model calls", Total: totalOf(&total), Window: "No calls",
		Details: []string{fmt.Sprintf("%s calls, unpriced: %s", thousands(int64(total.Calls)), thousands(int64(total.Unpriced)))},
	}
	if len(byDay) > 0 {
		page.Window = byDay[0].By[0] + " to " + byDay[len(byDay)-1].By[0] + " (UTC)"
	}
	page.Warning = warning(&total, reasons(rows, 3), err)
	page.Chart = newChart(dayAmounts(byDay))
	models := newTable("Cost by model", "Model", group(rows, 2, 1))
	slices.Reverse(byDay)
	days := PageTable{Title: "By day", Names: columnNames("Day")}
	days.fill(byDay)
	page.Tables = []PageTable{models, days}
	return page
}

// dayAmounts returns what newChart takes.
func dayAmounts(byDay []calls.Group) (days []string, amounts map[string][]*big.Rat, key []Key) {
	amounts = make(map[string][]*big.Rat)
	for _, row := range byDay {
		days = append(days, row.By[0])
		amounts[row.By[0]] = []*big.Rat{amount(row.USD)}
	}
	return days, amounts, []Key{{"bar", "calls"}}
}

// warning returns what is not in the sums, or nil.
func warning(total *calls.Group, why []Reason, err error) *Warning {
	if total.Unpriced == 0 && err == nil {
		return nil
	}
	w := &Warning{Text: fmt.Sprintf("%s of %s calls are unpriced: their cost is not known and in no sum.", thousands(int64(total.Unpriced)), thousands(int64(total.Calls)))}
	if total.AtLeastUSD != total.USD {
		w.Text += " What is known of it is in the amounts with \"at least\"."
	}
	for i, reason := range why {
		if i == maxReasons {
			w.Items = append(w.Items, fmt.Sprintf("%d more reasons (mesh usage prints all)", len(why)-i))
			break
		}
		w.Items = append(w.Items, thousands(int64(reason.Calls))+": "+Cause(reason.Text))
	}
	if err != nil {
		w.Items = append(w.Items, "Some lines cannot be read: "+strings.SplitN(output.Error(err), "\n", 2)[0])
	}
	return w
}

// labels returns the first names of the labels that the selected calls have, and whether there are more.
func labels(opts calls.SumOptions, paths []string) (names []string, more bool) {
	for r, err := range calls.Read(paths...) {
		if err != nil || !selected(opts, r.Time) { // the first sum has reported the error
			continue
		}
		for name := range r.Labels {
			place, found := slices.BinarySearch(names, name)
			if name == "" || found {
				continue
			}
			if names = slices.Insert(names, place, name); len(names) > maxLabels {
				names, more = names[:maxLabels], true
			}
		}
	}
	return names, more
}

func selected(opts calls.SumOptions, at time.Time) bool {
	return (opts.From.IsZero() || !at.Before(opts.From)) && (opts.To.IsZero() || at.Before(opts.To))
}

func columnNames(first string) []string {
	return []string{first, "Calls", "Input", "Cache read", "Output", "Unpriced", "USD"}
}

// newTable returns a table with the most expensive rows first.
func newTable(title, name string, rows []calls.Group) PageTable {
	t := PageTable{Title: title, Names: columnNames(name)}
	slices.SortStableFunc(rows, func(a, b calls.Group) int {
		return cmp.Or(amount(b.AtLeastUSD).Cmp(amount(a.AtLeastUSD)), cmp.Compare(b.Calls, a.Calls))
	})
	t.fill(rows)
	return t
}

// fill adds the first rows, and the others as one.
func (t *PageTable) fill(rows []calls.Group) {
	for i := range rows[:min(len(rows), maxRows)] {
		names := slices.Clone(rows[i].By)
		names[0] = cmp.Or(names[0], withoutName)
		t.Rows = append(t.Rows, pageRow(strings.Join(names, ", "), &rows[i]))
	}
	if len(rows) > maxRows {
		rest := group(rows[maxRows:])
		t.Rows = append(t.Rows, pageRow(fmt.Sprintf("%d more", len(rows)-maxRows), &rest[0]))
	}
}

func pageRow(name string, row *calls.Group) PageRow {
	u := &row.Usage
	return PageRow{Name: name, Cells: []Cell{
		{Text: thousands(int64(row.Calls))},
		{Text: thousands(count(u.Input, u.ToolInput, u.CacheWrite5m, u.CacheWrite1h, u.AudioInput, u.ImageInput))},
		{Text: thousands(count(u.CacheRead, u.AudioCacheRead, u.ImageCacheRead))},
		{Text: thousands(count(u.Output, u.AudioOutput, u.ImageOutput))},
		{Text: thousands(int64(row.Unpriced)), Some: row.Unpriced > 0},
		{Text: moneyOf(row)},
	}}
}

// notKnown is shown in place of an amount.
const notKnown = "not known"

// totalOf returns all digits of the cost of a row.
func totalOf(row *calls.Group) string {
	if row.AtLeastUSD != row.USD {
		return atLeast + exact(row.AtLeastUSD) + " USD"
	}
	if row.Calls > 0 && known(row) == "" {
		return notKnown
	}
	return exact(cmp.Or(row.USD, "0")) + " USD"
}

// moneyOf rounds a known cost, and no lower bound: it must not be above the cost.
func moneyOf(row *calls.Group) string {
	if row.AtLeastUSD != row.USD {
		return atLeast + exact(row.AtLeastUSD)
	}
	if known(row) == "" {
		return notKnown
	}
	return money(amount(row.USD))
}

// money returns an amount with two decimal places, or up to six if it is small.
func money(usd *big.Rat) string {
	if usd.Cmp(big.NewRat(1, 1)) >= 0 {
		whole, cents, _ := strings.Cut(usd.FloatString(2), ".")
		return group3(whole) + "." + cents
	}
	text := strings.TrimRight(strings.TrimRight(usd.FloatString(6), "0"), ".")
	if text == "0" && usd.Sign() > 0 {
		return "< 0.000001"
	}
	return text
}

// exact returns all digits of an amount, which may have a sign.
func exact(usd string) string {
	digits := strings.TrimLeft(usd, "+-")
	whole, _, _ := strings.Cut(digits, ".")
	return strings.Replace(usd, whole, group3(whole), 1)
}

func thousands(n int64) string { return group3(strconv.FormatInt(n, 10)) }

// group3 returns digits with a comma before each three.
func group3(digits string) string {
	for i := len(digits) - 3; i > 0 && digits[i-1] != '-'; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}
