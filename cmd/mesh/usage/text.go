package usage

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/app"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/callsfiles"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/costs"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
	"github.com/mesh-gateway/mesh-go/discovery/report"
	"github.com/mesh-gateway/mesh-go/internal/money"
	"github.com/mesh-gateway/mesh-go/internal/table"
)

// usageText prints the report for a terminal: by model, or by the names of --by.
func usageText(a *app.App, r *report.Report, sums *costs.Report, opts calls.SumOptions, f *Options, in *callsfiles.Files) error {
	a.Progress.Stop()
	width := output.Width(a.Out)
	if a.Wide {
		width = 0
	}
	if (f.byGiven || f.all) && len(f.by) > 0 && sums.Calls > 0 {
		return usageBy(a, r, sums, opts, f, in, width)
	}
	var text bytes.Buffer
	if err := r.WriteText(&text, width); err != nil {
		return err
	}
	blank := 0 // the sentences are behind the table, whose names are not marked
	for line := range strings.Lines(text.String()) {
		switch {
		case line == "\n":
			blank++
		case strings.HasPrefix(line, "MODEL "):
			line = output.Heading(a.Out, strings.TrimSuffix(line, "\n")) + "\n"
		case blank > 1:
			line = output.Mark(a.Out, line)
		}
		if _, err := io.WriteString(a.Out, line); err != nil {
			return err
		}
	}
	return nil
}

// usageBy prints what the calls of sums cost by the names of --by. r is their report.
func usageBy(a *app.App, r *report.Report, sums *costs.Report, opts calls.SumOptions, f *Options, in *callsfiles.Files, width int) error {
	rows := table.Costs{All: f.all || isTime(f.by[0]), Change: r.Change != nil && r.Total.Comparable && !slices.ContainsFunc(f.by, isTime)}
	for _, name := range f.by {
		rows.Keys = append(rows.Keys, strings.ToUpper(strings.ReplaceAll(strings.TrimPrefix(name, "label:"), "_", " ")))
	}
	title := sums.Period
	var before []calls.Group
	if rows.Change {
		opts.By, opts.From, opts.To = [][]string{f.by}, r.Previous.From, r.Previous.To
		opts.OnRead = a.ReadingCalls("reading calls for the change", in)
		groups, _ := calls.Sum(opts, in.Paths...) // lines that cannot be read were reported
		before = groups[0]
		title += ", change against the " + table.Length(r.Previous.From, r.Previous.To) + " before"
	}
	a.Progress.Stop()
	rows.Rows = costRows(f.by, sums.Rows, before)
	t := &r.Total
	rows.Total = table.CostRow{
		Keys: append([]string{"total"}, make([]string, len(f.by)-1)...), Calls: t.Calls, Unpriced: t.Unpriced, USD: t.USD, PreviousUSD: t.Previous.USD,
		Input: t.Input, Cached: t.Cached, Output: t.Output,
	}
	fmt.Fprintln(a.Out, table.Paragraph(title, width))
	if f.Match != nil {
		fmt.Fprintln(a.Out, table.Paragraph(table.Line("Only calls "+table.Labels(f.Match)), width))
	}
	fmt.Fprintln(a.Out)
	if err := rows.Write(a.Out, width, func(line string) string { return output.Heading(a.Out, line) }); err != nil {
		return err
	}
	var notes strings.Builder
	if err := r.WriteNotes(&notes, width); err != nil || notes.Len() == 0 {
		return err
	}
	_, err := fmt.Fprint(a.Out, "\n"+output.Mark(a.Out, notes.String()))
	return err
}

// isTime reports whether a name of --by is a time, whose rows are in their order and have nothing before to compare with.
func isTime(name string) bool { return name == "day" || name == "week" || name == "month" }

// costRows returns the rows of a table by names, the highest cost first; times are in their order. Groups that have calls in the time
// before only have a row, too.
func costRows(by []string, now, before []calls.Group) []table.CostRow {
	var rows []table.CostRow
	places := map[string]int{}
	at := func(g *calls.Group) *table.CostRow {
		key := fmt.Sprintf("%q", g.By)
		place, known := places[key]
		if !known {
			place = len(rows)
			places[key] = place
			rows = append(rows, table.CostRow{Keys: keyNames(by, g.By), USD: "0", PreviousUSD: "0"})
		}
		return &rows[place]
	}
	for i := range now {
		setCosts(at(&now[i]), &now[i])
	}
	for i := range before {
		at(&before[i]).PreviousUSD = before[i].USD
	}
	if !isTime(by[0]) {
		slices.SortStableFunc(rows, func(a, b table.CostRow) int { return money.Exact(b.USD).Cmp(money.Exact(a.USD)) })
	}
	return rows
}

// setCosts sets the sums of a row.
func setCosts(row *table.CostRow, g *calls.Group) {
	row.Calls, row.Unpriced, row.USD = g.Calls, g.Unpriced, g.USD
	row.Cached, row.Input, row.Output = 0, 0, 0
	for _, u := range []*prices.Usage{&g.Usage, &g.SubscriptionUsage} {
		cached := u.CacheRead + u.AudioCacheRead + u.ImageCacheRead
		row.Cached += cached
		row.Input += u.Input + u.ToolInput + u.AudioInput + u.ImageInput + u.CacheWrite5m + u.CacheWrite1h + cached
		row.Output += u.Output + u.AudioOutput + u.ImageOutput
	}
}

// keyNames returns the keys of a row. A call without a label has none to show.
func keyNames(by, values []string) []string {
	names := slices.Clone(values)
	for i, value := range values {
		if label, labelled := strings.CutPrefix(by[i], "label:"); value == "" && labelled {
			names[i] = "(no " + label + ")"
		} else if value == "" {
			names[i] = output.Unknown
		}
	}
	return names
}
