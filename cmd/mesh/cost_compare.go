package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/callsfiles"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/costs"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/report"
	"github.com/mesh-gateway/mesh-go/internal/costtable"
)

// countCalls adds the calls of --usage to the ledger of a bill. The files may have calls of other providers, too, and lines that cannot be
// read, whose error is unread.
func (a *app) countCalls(in *callsfiles.Files, q *costs.BillQuery, match map[string]string, failures *failureList) (unread, err error) {
	list, _, err := a.priceList()
	if err != nil {
		return nil, err
	}
	rows, err := calls.Sum(calls.SumOptions{
		From: q.From, To: q.To, MatchLabels: match, By: [][]string{{"day", "provider", "model", "unpriced", "platform"}}, Prices: list,
		OnRead: a.readingCalls("reading calls", in),
	}, in.Paths...)
	unread = wrongUse(in.Rename(err))
	if unread != nil && len(rows[0]) == 0 {
		return nil, usagef("--usage: %w", unread)
	}
	for _, reason := range q.Count(rows[0]) {
		failures.add(errors.New("the cost is not known: " + costs.Cause(reason)))
	}
	return unread, nil
}

// writeCost prints a bill beside what was counted, and writes the page of both.
func (a *app) writeCost(q *costs.BillQuery, r costs.Reconciliation, f costFlags, in *callsfiles.Files) error {
	var shown any = r
	if q.Ledger != nil {
		shown = compared{r}
	}
	if err := a.print(shown, r.Table); err != nil {
		return err
	}
	if q.Ledger != nil && a.format == "text" {
		comparison := r.Compare()
		_, known := r.Within(f.maxDrift)
		fmt.Fprintln(a.out, output.Mark(a.out, costs.BillSummary(&comparison, known || comparison.Total.Unpriced > 0)))
	}
	if f.match != nil {
		fmt.Fprintf(a.errs, "mesh: only calls %s were counted; the bill has no labels and is whole\n", output.Line(costtable.Labels(f.match)))
	}
	if f.html == "" {
		return nil
	}
	list, _, err := a.priceList()
	if err != nil {
		return err
	}
	bill := r.Bill()
	if q.Ledger != nil {
		bill.Verdict, bill.LimitPercent = q.Verdict(r, f.maxDrift), f.maxDrift
	}
	var names []string
	if f.usage != "" {
		names = []string{f.usage}
	}
	return a.writePage(f.html, report.Options{From: q.From, To: q.To, MatchLabels: f.match, Prices: list, Bills: []report.Bill{bill}}, in, names)
}

// writeUnbilled writes the page of the calls alone, when the bill could not be read.
func (a *app) writeUnbilled(q *costs.BillQuery, f costFlags, in *callsfiles.Files) error {
	if f.html == "" || f.usage == "" {
		return nil
	}
	list, _, err := a.priceList()
	if err != nil {
		return err
	}
	a.warn(fmt.Errorf("the bill could not be read: %s has the calls alone", f.html))
	return a.writePage(f.html, report.Options{From: q.From, To: q.To, MatchLabels: f.match, Prices: list}, in, []string{f.usage})
}

// compared is a report whose JSON has the comparison of its days and models, too.
type compared struct{ costs.Reconciliation }

// MarshalJSON adds the member "comparison" to the object of the report.
func (c compared) MarshalJSON() ([]byte, error) {
	report, err := json.Marshal(c.Reconciliation)
	if err != nil {
		return nil, err
	}
	comparison, err := json.Marshal(c.Compare())
	return slices.Concat(bytes.TrimSuffix(report, []byte("}")), []byte(`,"comparison":`), comparison, []byte("}")), err
}

// checkDrift compares the drift of a report with the limit.
func (a *app) checkDrift(q *costs.BillQuery, r costs.Reconciliation, limit float64) error {
	total := r.Compare().Total
	between, unpriced := q.Range(&total)
	if unpriced {
		fmt.Fprintf(a.errs, "mesh: the drift is %s, if an unpriced call costs at most what the dearest others do\n", between)
	}
	switch verdict := q.Verdict(r, limit); {
	case verdict == report.VerdictWithin:
		return nil
	case verdict == report.VerdictOver:
		fmt.Fprintf(a.errs, "mesh: the drift is more than %s %%\n", output.Decimal(limit))
	case unpriced:
		fmt.Fprintf(a.errs, "mesh: whether that is more than %s %% is not known\n", output.Decimal(limit))
	default:
		fmt.Fprintln(a.errs, "mesh: the drift is not known: nothing was counted, or the cost of a call is not known")
	}
	return errFound
}
