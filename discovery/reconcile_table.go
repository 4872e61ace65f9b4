package discovery

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
)

func (b CostBucket) begin() int64 { return b.StartTime }

func (b CostBucket) end() int64 { return b.EndTime }

func (b CostBucket) row() reportRow {
	return reportRow{label: rowLabel(time.Unix(b.StartTime, 0).UTC()), usd: b.TotalUSD}
}

func (b TeamCostBucket) begin() int64 {
	t, _ := time.Parse(time.RFC3339, b.StartTime)
	return t.Unix()
}

func (b TeamCostBucket) end() int64 {
	t, _ := time.Parse(time.RFC3339, b.EndTime)
	return t.Unix()
}

func (b TeamCostBucket) row() reportRow {
	label := b.StartTime
	if t, err := time.Parse(time.RFC3339, b.StartTime); err == nil {
		label = rowLabel(t)
	}
	return reportRow{label: label, usd: b.TotalUSD}
}

// rowLabel formats the start of a bucket without the offset, which is that of the whole report, and without the time at
// midnight.
func rowLabel(t time.Time) string { return strings.TrimSuffix(t.Format(time.DateTime), " 00:00:00") }

// Table writes the report as a text table: a row for each bucket, then the billed and the attributed amount and the drift.
// With a ledger ([ReconciliationReport.WithLedger]) the rows are UTC days, with the billed and the counted amount side by side.
// Amounts are rounded to a millionth of a dollar. A report that is not complete shows only the attributed amount. The error
// is that of w.
func (r *ReconciliationReport[B]) Table(w io.Writer) error {
	var out bytes.Buffer
	table := tabwriter.NewWriter(&out, 0, 0, 2, ' ', tabwriter.AlignRight)
	row := func(cells ...string) { _, _ = fmt.Fprintf(table, "%s\t\n", strings.Join(cells, "\t")) }
	rows := r.rows()
	if compared(rows) {
		row(string(r.Provider), "billed", "counted")
	} else {
		row(string(r.Provider), "USD")
	}
	if r.Complete {
		for i := range rows {
			row(rows[i].cells()...)
		}
	}
	row("billed", formatUSD(r.actual()))
	row("attributed", formatUSD(r.AttributedUSD))
	row("drift", formatSigned(r.DriftUSD, 6))
	row("drift %", formatSigned(r.DriftPct, 2))
	_ = table.Flush() // into memory
	for _, note := range r.notes() {
		_, _ = fmt.Fprintln(&out, note)
	}
	_, err := w.Write(out.Bytes())
	return err
}

// actual returns what was billed, or nil when that is not known.
func (r *ReconciliationReport[B]) actual() *float64 {
	if !r.Complete {
		return nil
	}
	return &r.ActualUSD
}

// maxListedDays is how many missing days a note lists.
const maxListedDays = 5

// notes returns what the amounts alone do not show.
func (r *ReconciliationReport[B]) notes() []string {
	var notes []string
	if !r.Complete {
		notes = append(notes, "not complete: the provider could not be asked, so what it billed is not known")
	}
	if n := len(r.MissingDays); n > maxListedDays {
		notes = append(notes, fmt.Sprintf("missing in the answer: %s and %d more days", strings.Join(r.MissingDays[:maxListedDays], ", "), n-maxListedDays))
	} else if n > 0 {
		notes = append(notes, "missing in the answer: "+strings.Join(r.MissingDays, ", "))
	}
	if note := r.countedNote(); note != "" {
		notes = append(notes, note)
	}
	if !r.Settled {
		notes = append(notes, "not settled: the window reaches into today or beyond, so what is billed can still grow")
	}
	return notes
}

// formatUSD formats an amount, or "-" for nil.
func formatUSD(f *float64) string {
	if f == nil {
		return "-"
	}
	return strings.TrimPrefix(formatSigned(f, 6), "+")
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
