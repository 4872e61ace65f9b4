package costs

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/table"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
	"github.com/mesh-gateway/mesh-go/internal/money"
)

// column is a count or sum; it follows the names.
type column struct {
	name string
	cell func(*calls.Group) string
}

var (
	numCalls = column{"calls", func(g *calls.Group) string { return strconv.Itoa(g.Calls) }}
	unpriced = column{"unpriced", func(g *calls.Group) string { return strconv.Itoa(g.Unpriced) }}
)

// used has a column per count in [prices.Usage], named as in JSON, and one for tool
// requests. Counts include subscriptions.
func used() (columns []column) {
	usage := reflect.TypeFor[prices.Usage]()
	for i := range usage.NumField() {
		if field := usage.Field(i); field.Type.Kind() == reflect.Int64 {
			columns = append(columns, column{field.Tag.Get("json"), func(g *calls.Group) string {
				return strconv.FormatInt(reflect.ValueOf(g.Usage).Field(i).Int()+reflect.ValueOf(g.SubscriptionUsage).Field(i).Int(), 10)
			}})
		}
	}
	return append(columns, column{"requests", requests})
}

// requests formats tool requests as "grounding=2 web_search=1".
func requests(g *calls.Group) string {
	uses := maps.Clone(g.Usage.ToolUses)
	if uses == nil {
		uses = map[string]int64{}
	}
	for tool, n := range g.SubscriptionUsage.ToolUses {
		uses[tool] += n
	}
	var all []string
	for _, tool := range slices.Sorted(maps.Keys(uses)) {
		all = append(all, fmt.Sprintf("%s=%d", tool, uses[tool]))
	}
	return strings.Join(all, " ")
}

// Cause rewords an unpriced reason for readers who don't know package discovery.
func Cause(unpriced string) string {
	const option = "stream_options.include_usage"
	text := strings.TrimPrefix(unpriced, prices.ErrUnpriced.Error()+": ")
	return strings.Replace(text, option+" requests", option+" or mesh meter --stream-usage requests", 1)
}

// Title formats a column name as a table header.
func Title(name string) string {
	return strings.ToUpper(strings.ReplaceAll(strings.TrimPrefix(name, calls.ByLabel("")), "_", " "))
}

// BudgetText formats a budget, for one label value if label is set.
func BudgetText(usd prices.USD, per, label, value string) string {
	text := string(usd) + " USD"
	if per != "" {
		text += "/" + per
	}
	if label != "" {
		text += fmt.Sprintf(" of %s %q", label, value)
	}
	return text
}

// Table writes text for people.
func (r *Sums) Table(out io.Writer) error {
	if err := r.write(out); err != nil {
		return err
	}
	var text strings.Builder
	for _, reason := range r.Reasons {
		fmt.Fprintf(&text, "  %d: %s\n", reason.Calls, output.Line(Cause(reason.Text)))
	}
	if r.Period != "" {
		fmt.Fprintln(&text, "period:", r.Period)
	}
	for _, b := range r.Budgets {
		of := ""
		if r.Part && b.Per == "" {
			of = " (all calls)"
		}
		fmt.Fprintf(&text, "budget: %s, spent: %s, left: %s%s\n", BudgetText(b.LimitUSD, b.Per, b.Label, b.Value), b.SpentUSD, b.LeftUSD, of)
	}
	if r.OldPrices != "" {
		fmt.Fprintln(&text, "prices:", r.OldPrices)
	}
	for _, promotion := range r.Promotions {
		fmt.Fprintln(&text, "prices:", promotion)
	}
	_, err := io.WriteString(out, text.String())
	return err
}

// write writes the rows and the total. It omits empty columns, except for input and
// output.
func (r *Sums) write(out io.Writer) error {
	counts := slices.DeleteFunc(used(), func(c column) bool {
		return c.name != "input" && c.name != "output" && !slices.ContainsFunc(r.Rows, func(g calls.Group) bool { return strings.Trim(c.cell(&g), "0") != "" })
	})
	names, rows := r.cells(slices.Concat([]column{numCalls}, counts, []column{unpriced, {"usd", shown}}))
	columns := make([]table.Column, len(names))
	for i, name := range names { // a narrow terminal drops tokens before unpriced, and never cuts names
		columns[i] = table.Plain(Title(name), i)
		switch {
		case i < len(r.By):
			columns[i] = table.Key(Title(name))
		case name == "calls", name == "usd":
			columns[i].Drop = 0
		}
	}
	for _, row := range rows {
		for i := range r.By {
			row[i] = cmp.Or(row[i], output.Unknown)
		}
	}
	if err := output.Table(out, columns, rows); err != nil {
		return err
	}
	total := r.USD + " USD"
	switch {
	case r.AtLeastUSD != r.USD, r.incomplete && r.Unpriced < r.Calls:
		total = atLeast + r.AtLeastUSD + " USD"
	case r.Calls > 0 && r.Unpriced == r.Calls:
		total = "unknown"
	}
	text := fmt.Sprintf("total %s; calls: %d, unpriced: %d\n", total, r.Calls, r.Unpriced)
	if money.Exact(r.Subscription).Sign() > 0 {
		text += fmt.Sprintf("included: %s USD at list price, covered by a subscription\n", r.Subscription)
	}
	if money.Exact(r.UpstreamUSD).Sign() > 0 {
		text += fmt.Sprintf("not included: %s USD billed by providers behind OpenRouter\n", r.UpstreamUSD)
	}
	_, err := io.WriteString(out, text)
	return err
}

// cells returns every column's name, and the rows.
func (r *Sums) cells(columns []column) (names []string, rows [][]string) {
	names = slices.Clone(r.By)
	for _, c := range columns {
		names = append(names, c.name)
	}
	for _, g := range r.Rows {
		row := slices.Clone(g.Values)
		for _, c := range columns {
			row = append(row, c.cell(&g))
		}
		rows = append(rows, row)
	}
	return names, rows
}

// atLeast marks a sum that includes lower bounds.
const atLeast = "at least "

// shown formats a group's cost for people; known and bound format it for CSV.
func shown(g *calls.Group) string {
	if g.AtLeastUSD != g.USD {
		return atLeast + string(g.AtLeastUSD)
	}
	return cmp.Or(known(g), output.Unknown)
}

// known returns "" if every call is unpriced.
func known(g *calls.Group) string {
	if g.Unpriced == g.Calls {
		return ""
	}
	return string(g.USD)
}

// bound returns the known cost including lower bounds.
func bound(g *calls.Group) string {
	if g.AtLeastUSD != g.USD {
		return string(g.AtLeastUSD)
	}
	return known(g)
}

// CSV writes the rows with every column. usd sums known costs; at_least_usd adds lower
// bounds for unpriced calls. A column is empty if nothing is known.
func (r *Sums) CSV(out io.Writer) error {
	names, rows := r.cells(slices.Concat([]column{numCalls, unpriced}, used(), []column{{"usd", known}, {"at_least_usd", bound}}))
	for i, by := range r.By { // a label has its own name, unless another column has it
		if label, labelled := strings.CutPrefix(by, calls.ByLabel("")); labelled && !slices.Contains(names, label) {
			names[i] = label
		}
	}
	return output.CSV(out, slices.Insert(rows, 0, names))
}
