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

func (b CostBucket) line() reportLine {
	return reportLine{begin: time.Unix(b.StartTime, 0).UTC().Format(time.RFC3339), usd: b.TotalUSD}.short()
}

func (b TeamCostBucket) line() reportLine {
	return reportLine{begin: b.StartTime, usd: b.TotalUSD}.short()
}

// short leaves the time of the day away at midnight, and the offset, which is that of the whole report.
func (l reportLine) short() reportLine {
	if t, err := time.Parse(time.RFC3339, l.begin); err == nil {
		l.begin = strings.TrimSuffix(t.Format(time.DateTime), " 00:00:00")
	}
	return l
}

// Table writes the report as a table for people to read: a line for each bucket, then what was billed, what was attributed
// and the drift. Amounts are rounded to a millionth of a dollar. A report that is not complete shows no amount at all but
// the attributed one. The error is that of w.
func (r *ReconciliationReport[B]) Table(w io.Writer) error {
	var out bytes.Buffer
	table := tabwriter.NewWriter(&out, 0, 0, 2, ' ', tabwriter.AlignRight)
	row := func(name, usd string) { _, _ = fmt.Fprintf(table, "%s\t%s\t\n", name, usd) }
	row(string(r.Provider), "USD")
	if r.Complete {
		for _, bucket := range r.Buckets {
			line := bucket.line()
			row(line.begin, dollars(&line.usd))
		}
	}
	row("billed", dollars(r.actual()))
	row("attributed", dollars(r.AttributedUSD))
	row("drift", signed(r.DriftUSD, 6))
	row("drift %", signed(r.DriftPct, 2))
	_ = table.Flush() // into memory
	for _, note := range r.notes() {
		_, _ = fmt.Fprintln(&out, note)
	}
	_, err := w.Write(out.Bytes())
	return err
}

// actual is what was billed, nil when that is not known.
func (r *ReconciliationReport[B]) actual() *float64 {
	if !r.Complete {
		return nil
	}
	return &r.ActualUSD
}

// notes are what the amounts alone would not tell.
func (r *ReconciliationReport[B]) notes() []string {
	var notes []string
	if !r.Complete {
		notes = append(notes, "not complete: the provider could not be asked, so what it billed is not known")
	}
	if !r.Settled {
		notes = append(notes, "not settled: the window reaches into today or beyond, so what is billed can still grow")
	}
	return notes
}

func dollars(f *float64) string {
	if f == nil {
		return "-"
	}
	return strings.TrimPrefix(signed(f, 6), "+")
}

// signed is an amount with its sign, "-" for one that is not known. What is rounded to nothing has no sign.
func signed(f *float64, places int) string {
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
