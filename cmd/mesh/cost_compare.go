package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/callsfiles"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/costs"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
	"github.com/mesh-gateway/mesh-go/discovery/bills"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/report"
	"github.com/mesh-gateway/mesh-go/internal/costtable"
)

// countCalls adds the calls of --usage to a bill. The files may have calls of other providers, too, and lines that cannot be
// read, whose error is unread.
func (a *app) countCalls(in *callsfiles.Files, q *costs.BillQuery, match map[string]string, failures *failureList) (unread, err error) {
	list, _, err := a.priceList()
	if err != nil {
		return nil, err
	}
	rows, err := calls.Sum(calls.SumOptions{
		From: q.From, To: q.To, MatchLabels: match, By: costs.CallsBy, Prices: list,
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

// writeCost prints a bill beside what was counted, the verdict first, and writes the page of both.
func (a *app) writeCost(q *costs.BillQuery, r costs.Reconciliation, c *bills.Comparison, f costFlags, in *callsfiles.Files) error {
	var shown any = r
	if q.Calls != nil {
		shown = compared{r, c}
	}
	err := a.print(shown, func(out io.Writer) error {
		if q.Calls != nil || q.Counted != nil {
			for _, sentence := range c.Sentences() {
				fmt.Fprintln(out, output.Mark(out, output.Wrap(output.Line(sentence), "", output.Width(out))))
			}
		}
		return r.Table(out)
	})
	if err != nil {
		return err
	}
	if f.match != nil {
		fmt.Fprintf(a.errs, "mesh: only calls %s were counted; the bill has no labels and is whole\n", output.Line(costtable.Labels(f.match)))
	}
	return a.writeBillPage(q, f, in, c)
}

// writeBillPage writes the page of the calls and the bills; without --html it does nothing.
func (a *app) writeBillPage(q *costs.BillQuery, f costFlags, in *callsfiles.Files, all ...*bills.Comparison) error {
	if f.html == "" {
		return nil
	}
	list, _, err := a.priceList()
	if err != nil {
		return err
	}
	var names []string
	if f.usage != "" {
		names = []string{f.usage}
	}
	return a.writePage(f.html, report.Options{From: q.From, To: q.To, MatchLabels: f.match, Prices: list, Bills: all}, in, names)
}

// writeUnbilled writes the page of the calls alone, when the bill could not be read.
func (a *app) writeUnbilled(q *costs.BillQuery, f costFlags, in *callsfiles.Files) error {
	if f.html == "" || f.usage == "" {
		return nil
	}
	a.warn(fmt.Errorf("the bill could not be read: %s has the calls alone", f.html))
	return a.writeBillPage(q, f, in)
}

// compared is a report whose JSON has the comparison, too.
type compared struct {
	costs.Reconciliation
	comparison *bills.Comparison
}

// MarshalJSON adds the member "comparison" to the object of the report.
func (c compared) MarshalJSON() ([]byte, error) {
	report, err := json.Marshal(c.Reconciliation)
	if err != nil {
		return nil, err
	}
	comparison, err := json.Marshal(c.comparison)
	return slices.Concat(bytes.TrimSuffix(report, []byte("}")), []byte(`,"comparison":`), comparison, []byte("}")), err
}

// checkDrift reports a difference that is not within the limit.
func (a *app) checkDrift(c *bills.Comparison) error {
	if c.Within {
		return nil
	}
	fmt.Fprintln(a.errs, "mesh: "+c.Sentences()[0])
	return errFound
}
