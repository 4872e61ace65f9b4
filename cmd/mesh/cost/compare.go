package cost

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/app"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/callsfiles"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/costs"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/exit"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/page"
	"github.com/mesh-gateway/mesh-go/discovery/bills"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/report"
	"github.com/mesh-gateway/mesh-go/internal/table"
)

// countCalls adds the calls of --usage to a bill. The files may have calls of other providers, too, and lines that cannot be
// read, whose error is unread.
func countCalls(a *app.App, in *callsfiles.Files, q *costs.BillQuery, match map[string]string, failures *app.Failures) (unread, err error) {
	list, _, err := a.PriceList()
	if err != nil {
		return nil, err
	}
	rows, err := calls.Sum(calls.SumOptions{
		From: q.From, To: q.To, MatchLabels: match, By: costs.CallsBy, Prices: list,
		OnRead: a.ReadingCalls("reading calls", in),
	}, in.Paths...)
	unread = exit.WrongUse(in.Rename(err))
	if unread != nil && len(rows[0]) == 0 {
		return nil, exit.Usagef("--usage: %w", unread)
	}
	for _, reason := range q.Count(rows[0]) {
		failures.Add(errors.New("the cost is not known: " + costs.Cause(reason)))
	}
	return unread, nil
}

// writeCost prints a bill beside what was counted, the verdict first, and writes the page of both.
func writeCost(a *app.App, q *costs.BillQuery, r costs.Reconciliation, c *bills.Comparison, f Options, in *callsfiles.Files) error {
	var shown any = r
	if q.Calls != nil {
		shown = compared{r, c}
	}
	err := a.Print(shown, func(out io.Writer) error {
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
	if f.Match != nil {
		fmt.Fprintf(a.Errs, "mesh: only calls %s were counted; the bill has no labels and is whole\n", output.Line(table.Labels(f.Match)))
	}
	return writeBillPage(a, q, f, in, c)
}

// writeBillPage writes the page of the calls and the bills; without --html it does nothing.
func writeBillPage(a *app.App, q *costs.BillQuery, f Options, in *callsfiles.Files, all ...*bills.Comparison) error {
	if f.html == "" {
		return nil
	}
	list, _, err := a.PriceList()
	if err != nil {
		return err
	}
	var names []string
	if f.usage != "" {
		names = []string{f.usage}
	}
	return page.Write(a, f.html, report.Options{From: q.From, To: q.To, MatchLabels: f.Match, Prices: list, Bills: all}, in, names)
}

// writeUnbilled writes the page of the calls alone, when the bill could not be read.
func writeUnbilled(a *app.App, q *costs.BillQuery, f Options, in *callsfiles.Files) error {
	if f.html == "" || f.usage == "" {
		return nil
	}
	a.Warn(fmt.Errorf("the bill could not be read: %s has the calls alone", f.html))
	return writeBillPage(a, q, f, in)
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
func checkDrift(a *app.App, c *bills.Comparison) error {
	if c.Within {
		return nil
	}
	fmt.Fprintln(a.Errs, "mesh: "+c.Sentences()[0])
	return exit.ErrFound
}
