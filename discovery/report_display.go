package discovery

import (
	"fmt"
	"io"
	"strings"

	"github.com/mesh-gateway/mesh-go/discovery/internal/report"
)

// Table writes the report as a text table: a row for each bucket, then the billed amount, the attributed amount as "counted", and the drift.
// With calls ([ReconciliationReport.WithCalls]) the rows are UTC days, with the billed and the counted amount side by side. If the bill is
// grouped by line item or description, a note names the items that calls cannot have, such as storage. Amounts are in cents, or in
// millionths of a dollar if they or their difference are below a cent. A report that is not complete shows only the attributed amount. An
// error of w is returned.
func (r *ReconciliationReport[B]) Table(w io.Writer) error { return r.display().Table(w) }

// display returns the report as it is shown.
func (r *ReconciliationReport[B]) display() *report.Report {
	return &report.Report{
		Name: string(r.Provider), Billed: r.actual(), Attributed: finiteOrNil(r.AttributedUSD),
		Drift: finiteOrNil(r.DriftUSD), DriftPct: finiteOrNil(r.DriftPct), Rows: r.rows(), Notes: r.notes(),
	}
}

// actual returns what was billed, or nil when that is not known.
func (r *ReconciliationReport[B]) actual() *float64 {
	if !r.Complete || !r.finiteBill() {
		return nil
	}
	return &r.ActualUSD
}

// maxListed is how many missing days or line items a note lists.
const maxListed = 5

// notes returns what the amounts alone do not show.
func (r *ReconciliationReport[B]) notes() []string {
	var notes []string
	if !r.Complete {
		notes = append(notes, "not complete: the bill could not be read, so the billed amount is not known")
	}
	if !r.finiteBill() {
		notes = append(notes, "not known: the bill has an amount that is not finite")
	}
	if n := len(r.MissingDays); n > maxListed {
		notes = append(notes, fmt.Sprintf("missing in the bill: %s and %d more", strings.Join(r.MissingDays[:maxListed], ", "), n-maxListed))
	} else if n > 0 {
		notes = append(notes, "missing in the bill: "+strings.Join(r.MissingDays, ", "))
	}
	if note := r.countedNote(); note != "" {
		notes = append(notes, note)
	}
	if r.AttributedUSD != nil && r.finiteBill() {
		if note := r.lineItemNote(); note != "" {
			notes = append(notes, note)
		}
	}
	if !r.Settled {
		notes = append(notes, "not settled: the window reaches into today or beyond, so what is billed can still grow")
	}
	return notes
}
