package main

import (
	"bytes"
	"fmt"
	"io"
	"math/big"
	"slices"
	"strings"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/callsfiles"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/report"
	"github.com/mesh-gateway/mesh-go/internal/costtable"
	"github.com/mesh-gateway/mesh-go/internal/texttable"
)

// usageText prints the report for a terminal: by model, or by the names of --by.
func (a *app) usageText(r *report.Report, opts calls.SumOptions, f *usageFlags, in *callsfiles.Files) error {
	a.progress.Stop()
	width := output.Width(a.out)
	if a.wide {
		width = 0
	}
	if (f.byGiven || f.all) && len(f.by) > 0 && r.Total.Calls > 0 {
		return a.usageBy(r, opts, f, in, width)
	}
	var text bytes.Buffer
	if err := r.WriteText(&text, width); err != nil {
		return err
	}
	for line := range strings.Lines(text.String()) {
		if strings.HasPrefix(line, "MODEL ") {
			line = output.Heading(a.out, strings.TrimSuffix(line, "\n")) + "\n"
		}
		if _, err := io.WriteString(a.out, line); err != nil {
			return err
		}
	}
	return nil
}

// usageBy prints what calls of the period of a report cost by the names of --by.
func (a *app) usageBy(r *report.Report, opts calls.SumOptions, f *usageFlags, in *callsfiles.Files, width int) error {
	table := costtable.Table{All: f.all || f.by[0] == "day", Change: r.Change != nil && r.Total.Comparable && !slices.Contains(f.by, "day")}
	for _, name := range f.by {
		table.Keys = append(table.Keys, strings.ToUpper(strings.ReplaceAll(strings.TrimPrefix(name, "label:"), "_", " ")))
	}
	// Lines that cannot be read were reported.
	opts.By = [][]string{f.by}
	opts.From, opts.To = r.Period.From, r.Period.To
	now, _ := calls.Sum(opts, in.Paths...)
	var before [][]calls.Group
	if table.Change {
		opts.From, opts.To = r.Previous.From, r.Previous.To
		before, _ = calls.Sum(opts, in.Paths...)
	}
	table.Rows = costRows(f.by, now, before)
	table.Total = costtable.Row{
		Keys: append([]string{"total"}, make([]string, len(f.by)-1)...), Calls: r.Total.Calls, Unpriced: r.Total.Unpriced, USD: r.Total.USD, PreviousUSD: r.Total.Previous.USD,
		Input: r.Total.Input, Cached: r.Total.Cached, Output: r.Total.Output,
	}
	period := costtable.Period(r.Period.From, r.Period.To, r.Period.Days)
	if table.Change {
		period += ", change against the " + costtable.Days(r.Previous.Days) + " before"
	}
	fmt.Fprintln(a.out, texttable.Paragraph(period, width)+"\n")
	if err := table.Write(a.out, width, func(line string) string { return output.Heading(a.out, line) }); err != nil {
		return err
	}
	if len(r.Advice) > 0 {
		fmt.Fprintln(a.out, "\n"+texttable.Paragraph("Next: "+texttable.Line(r.Advice[0].Text), width))
		if command := r.Advice[0].Command; command != "" {
			fmt.Fprintln(a.out, texttable.Paragraph("  "+texttable.Line(command), width))
		}
	}
	return nil
}

// costRows returns the rows of a table by names, the highest cost first; days are in their order. Groups that have calls in the time
// before only have a row, too.
func costRows(by []string, now, before [][]calls.Group) []costtable.Row {
	var rows []costtable.Row
	places := map[string]int{}
	at := func(g *calls.Group) *costtable.Row {
		key := fmt.Sprintf("%q", g.By)
		place, known := places[key]
		if !known {
			place = len(rows)
			places[key] = place
			rows = append(rows, costtable.Row{Keys: keyNames(by, g.By), USD: "0", PreviousUSD: "0"})
		}
		return &rows[place]
	}
	for _, groups := range now {
		for i := range groups {
			row, u := at(&groups[i]), &groups[i].Usage
			row.Calls, row.Unpriced, row.USD = groups[i].Calls, groups[i].Unpriced, groups[i].USD
			row.Cached = u.CacheRead + u.AudioCacheRead + u.ImageCacheRead
			row.Input = u.Input + u.ToolInput + u.AudioInput + u.ImageInput + u.CacheWrite5m + u.CacheWrite1h + row.Cached
			row.Output = u.Output + u.AudioOutput + u.ImageOutput
		}
	}
	for _, groups := range before {
		for i := range groups {
			at(&groups[i]).PreviousUSD = groups[i].USD
		}
	}
	if by[0] != "day" {
		slices.SortStableFunc(rows, func(a, b costtable.Row) int { return exact(b.USD).Cmp(exact(a.USD)) })
	}
	return rows
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

func exact(usd string) *big.Rat {
	amount, ok := new(big.Rat).SetString(usd)
	if !ok {
		return new(big.Rat)
	}
	return amount
}
