// Package report shows billed amounts beside counted ones, as a text table. It knows no provider: it takes rows and sums, and
// writes them.
package report

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"text/tabwriter"
)

// Report is what is shown. A nil amount is not known.
type Report struct {
	// Name is the heading of the amounts.
	Name string
	// Billed, Attributed and Drift are in US dollars, DriftPct is in percent. Rows are shown only if Billed is known.
	Billed, Attributed, Drift, DriftPct *float64
	Rows                                []Row
	// Notes are lines about what the amounts alone do not show.
	Notes []string
}

// Row is one part of the time that a report covers.
type Row struct {
	Label string
	USD   float64
	// Counted is what was counted locally, nil in a report without such amounts. Unpriced is how many calls it lacks.
	Counted  *float64
	Unpriced int
}

// Table writes a row for each part of the time, then the sums and the notes. The error is of w.
func (r *Report) Table(w io.Writer) error {
	var out bytes.Buffer
	table := tabwriter.NewWriter(&out, 0, 0, 2, ' ', tabwriter.AlignRight)
	row := func(cells ...string) { _, _ = fmt.Fprintf(table, "%s\t\n", strings.Join(cells, "\t")) }
	if len(r.Rows) > 0 && r.Rows[0].Counted != nil {
		row(r.Name, "billed", "counted")
	} else {
		row(r.Name, "USD")
	}
	for i := range r.shown() {
		row(r.Rows[i].cells()...)
	}
	places := placesOf(r.Billed, r.Attributed, r.Drift)
	row("billed", formatUSD(r.Billed, places))
	row("counted", formatUSD(r.Attributed, places))
	row("drift", formatSigned(r.Drift, places))
	row("drift %", formatSigned(r.DriftPct, 2))
	_ = table.Flush() // into memory
	for _, note := range r.Notes {
		_, _ = fmt.Fprintln(&out, note)
	}
	_, err := w.Write(out.Bytes())
	return err
}

// shown returns the rows, or nil if what was billed is not known.
func (r *Report) shown() []Row {
	if r.Billed == nil {
		return nil
	}
	return r.Rows
}

// cells returns a row of the table.
func (row *Row) cells() []string {
	if row.Counted == nil {
		return []string{row.Label, formatUSD(&row.USD, placesOf(&row.USD))}
	}
	difference := row.USD - *row.Counted
	places := placesOf(&row.USD, row.Counted, &difference)
	counted := formatUSD(row.Counted, places)
	if row.Unpriced > 0 {
		counted += fmt.Sprintf(" + %d unpriced", row.Unpriced)
	}
	return []string{row.Label, formatUSD(&row.USD, places), counted}
}

// placesOf returns two decimal places, or six if one of the amounts is below a cent.
func placesOf(amounts ...*float64) int {
	const cent, rounding = 0.01, 1e-9
	for _, usd := range amounts {
		if usd != nil && math.Abs(*usd) > rounding && math.Abs(*usd) < cent-rounding {
			return 6
		}
	}
	return 2
}

// formatUSD formats an amount, or "-" for nil.
func formatUSD(f *float64, places int) string {
	return strings.TrimPrefix(formatSigned(f, places), "+")
}

// formatSigned formats an amount with its sign, or "-" for nil. An amount that rounds to 0 has no sign.
func formatSigned(f *float64, places int) string {
	if f == nil {
		return "-"
	}
	text := strconv.FormatFloat(*f, 'f', places, 64)
	switch {
	case strings.Trim(text, "-0.") == "":
		return strings.TrimPrefix(text, "-")
	case *f > 0:
		return "+" + text
	}
	return text
}
