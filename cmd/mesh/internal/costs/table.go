package costs

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
	"github.com/mesh-gateway/mesh-go/internal/money"
	"github.com/mesh-gateway/mesh-go/internal/table"
)

// kind is a kind of token, with the name of its field in JSON.
type kind struct {
	name string
	of   func(*prices.Usage) *int64
}

// kinds are the kinds of tokens.
var kinds = []kind{
	{"input", func(u *prices.Usage) *int64 { return &u.Input }},
	{"tool_input", func(u *prices.Usage) *int64 { return &u.ToolInput }},
	{"cache_read", func(u *prices.Usage) *int64 { return &u.CacheRead }},
	{"cache_write_5m", func(u *prices.Usage) *int64 { return &u.CacheWrite5m }},
	{"cache_write_1h", func(u *prices.Usage) *int64 { return &u.CacheWrite1h }},
	{"output", func(u *prices.Usage) *int64 { return &u.Output }},
	{"audio_input", func(u *prices.Usage) *int64 { return &u.AudioInput }},
	{"audio_cache_read", func(u *prices.Usage) *int64 { return &u.AudioCacheRead }},
	{"audio_output", func(u *prices.Usage) *int64 { return &u.AudioOutput }},
	{"image_input", func(u *prices.Usage) *int64 { return &u.ImageInput }},
	{"image_cache_read", func(u *prices.Usage) *int64 { return &u.ImageCacheRead }},
	{"image_output", func(u *prices.Usage) *int64 { return &u.ImageOutput }},
}

// count returns the tokens of a kind, those of a subscription included.
func (k kind) count(row *calls.Group) int64 {
	return *k.of(&row.Usage) + *k.of(&row.SubscriptionUsage)
}

// used returns the kinds that a row has, and always input and output.
func used(rows []calls.Group) []kind {
	return slices.DeleteFunc(slices.Clone(kinds), func(k kind) bool {
		return k.name != "input" && k.name != "output" &&
			!slices.ContainsFunc(rows, func(r calls.Group) bool { return k.count(&r) != 0 })
	})
}

// Cause returns why a cost is not known, for a reader who does not know package discovery.
func Cause(unpriced string) string {
	const option = "stream_options.include_usage"
	text := strings.TrimPrefix(unpriced, prices.ErrUnpriced.Error()+": ")
	return strings.Replace(text, option+" requests", option+" or mesh meter --stream-usage requests", 1)
}

// Table writes the report for people.
func (r *Report) Table(out io.Writer) error {
	err := r.sums(out)
	for _, reason := range r.Reasons {
		if err == nil {
			_, err = fmt.Fprintf(out, "  %d: %s\n", reason.Calls, output.Line(Cause(reason.Text)))
		}
	}
	if err == nil && r.Period != "" {
		_, err = fmt.Fprintln(out, "period:", r.Period)
	}
	for _, b := range r.Budgets {
		if err == nil {
			of := ""
			if r.Part && b.Per == "" {
				of = " (of all calls)"
			}
			_, err = fmt.Fprintf(out, "budget: %s, spent: %s, left: %s%s\n", BudgetText(b.LimitUSD, b.Per, b.Label, b.Value), b.SpentUSD, b.LeftUSD, of)
		}
	}
	if err == nil && r.OldPrices != "" {
		_, err = fmt.Fprintln(out, "prices:", r.OldPrices)
	}
	return err
}

// BudgetText returns a budget, of a value of its label, for people.
func BudgetText(usd, per, label, value string) string {
	text := usd + " USD"
	if per != "" {
		text += "/" + per
	}
	if label != "" {
		text += fmt.Sprintf(" of %s %q", label, value)
	}
	return text
}

// sums writes the rows and the total.
func (r *Report) sums(out io.Writer) error {
	columns := used(r.Rows)
	tools := slices.ContainsFunc(r.Rows, func(row calls.Group) bool { return row.Usage.Requests != nil || row.SubscriptionUsage.Requests != nil })
	header := append([]string{}, r.By...)
	header = append(header, "calls")
	for _, k := range columns {
		header = append(header, k.name)
	}
	if tools {
		header = append(header, "requests")
	}
	header = append(header, "unpriced", "usd")
	for i := range header {
		header[i] = strings.ToUpper(strings.ReplaceAll(strings.TrimPrefix(header[i], "label:"), "_", " "))
	}
	var rows [][]string
	for i := range r.Rows {
		rows = append(rows, r.cells(&r.Rows[i], columns, tools))
	}
	if err := output.Table(out, r.columns(header), rows); err != nil {
		return err
	}
	total := r.USD + " USD"
	switch {
	case r.AtLeastUSD != r.USD, r.incomplete && r.Unpriced < r.Calls:
		total = atLeast + r.AtLeastUSD + " USD"
	case r.Calls > 0 && r.Unpriced == r.Calls:
		total = notKnown
	}
	_, err := fmt.Fprintf(out, "total %s; calls: %d, unpriced: %d\n", total, r.Calls, r.Unpriced)
	if err == nil && money.Exact(r.Subscription).Sign() > 0 {
		_, err = fmt.Fprintf(out, "of it %s USD: the list price of calls of a subscription, which are not charged\n", r.Subscription)
	}
	if err == nil && money.Exact(r.UpstreamUSD).Sign() > 0 {
		_, err = fmt.Fprintf(out, "besides it %s USD: billed by the providers behind OpenRouter\n", r.UpstreamUSD)
	}
	return err
}

// columns returns the columns with these titles. What the calls are grouped by is never cut. The tokens are left out before the unpriced
// calls, and the cost stays.
func (r *Report) columns(titles []string) []table.Column {
	columns := make([]table.Column, len(titles))
	for i, title := range titles {
		switch {
		case i < len(r.By):
			columns[i] = table.Key(title)
		case title == "CALLS", title == "USD":
			columns[i] = table.Plain(title, 0)
		default:
			columns[i] = table.Plain(title, i)
		}
	}
	return columns
}

func (r *Report) cells(row *calls.Group, columns []kind, tools bool) []string {
	var cells []string
	for _, value := range row.By {
		if value == "" {
			value = output.Unknown
		}
		cells = append(cells, value)
	}
	cells = append(cells, strconv.Itoa(row.Calls))
	for _, k := range columns {
		cells = append(cells, strconv.FormatInt(k.count(row), 10))
	}
	if tools {
		cells = append(cells, requests(row))
	}
	return append(cells, strconv.Itoa(row.Unpriced), shown(row))
}

// notKnown is shown in place of an amount.
const notKnown = "not known"

// atLeast is before a sum that has lower bounds of unpriced calls.
const atLeast = "at least "

// shown returns the cost of a row, or what it is at least.
func shown(row *calls.Group) string {
	if row.AtLeastUSD != row.USD {
		return atLeast + row.AtLeastUSD
	}
	return cmp.Or(known(row), output.Unknown)
}

// known returns the cost of a row, or "" if no call has a known cost.
func known(row *calls.Group) string {
	if row.Unpriced == row.Calls {
		return ""
	}
	return row.USD
}

// requests returns the uses of tools, as in "grounding=2 web_search=1".
func requests(row *calls.Group) string {
	uses := map[string]int64{}
	for _, u := range []prices.Usage{row.Usage, row.SubscriptionUsage} {
		for tool, n := range u.Requests {
			uses[tool] += n
		}
	}
	var all []string
	for _, tool := range slices.Sorted(maps.Keys(uses)) {
		all = append(all, fmt.Sprintf("%s=%d", tool, uses[tool]))
	}
	return strings.Join(all, " ")
}

// bound returns what the calls of a row cost at least, or "" if nothing is known.
func bound(row *calls.Group) string {
	if row.AtLeastUSD != row.USD {
		return row.AtLeastUSD
	}
	return known(row)
}

// CSV writes the rows with all columns. usd is the sum of the known costs, and at_least_usd that sum with the lower bounds of unpriced
// calls. They are empty without any.
func (r *Report) CSV(out io.Writer) error {
	header := append([]string{}, r.By...)
	header = append(header, "calls", "unpriced")
	for _, k := range kinds {
		header = append(header, k.name)
	}
	rows := [][]string{append(header, "requests", "usd", "at_least_usd")}
	for i := range r.Rows {
		row := &r.Rows[i]
		cells := append([]string{}, row.By...)
		cells = append(cells, strconv.Itoa(row.Calls), strconv.Itoa(row.Unpriced))
		for _, k := range kinds {
			cells = append(cells, strconv.FormatInt(k.count(row), 10))
		}
		rows = append(rows, append(cells, requests(row), known(row), bound(row)))
	}
	return output.CSV(out, rows)
}
