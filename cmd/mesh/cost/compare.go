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
func (o *Options) countCalls(in *callsfiles.Files, q *costs.BillQuery, failures *app.Failures) (unread, err error) {
	list, _, err := o.PriceList()
	if err != nil {
		return nil, err
	}
	rows, err := calls.Sum(calls.SumOptions{
		From: q.From, To: q.To, MatchLabels: o.Match, By: costs.CallsBy, Prices: list,
		OnRead: o.ReadingCalls("reading calls", in), OnCopies: in.OnCopies(o.Warn),
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
func (o *Options) writeCost(q *costs.BillQuery, r costs.Reconciliation, c *bills.Comparison, in *callsfiles.Files) error {
	var shown any = r
	if q.Calls != nil {
		shown = compared{r, c}
	}
	err := o.Print(shown, func(out io.Writer) error {
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
	if o.Match != nil {
		fmt.Fprintf(o.Errs, "mesh: only calls %s were counted; the bill has no labels and is whole\n", output.Line(table.Labels(o.Match)))
	}
	return o.writeBillPage(q, in, c)
}

// writeBillPage writes the page of the calls and the bills; without --html it does nothing.
func (o *Options) writeBillPage(q *costs.BillQuery, in *callsfiles.Files, all ...*bills.Comparison) error {
	if o.html == "" {
		return nil
	}
	list, _, err := o.PriceList()
	if err != nil {
		return err
	}
	var names []string
	if o.usage != "" {
		names = []string{o.usage}
	}
	return page.Write(o.App, o.html, report.Options{From: q.From, To: q.To, MatchLabels: o.Match, Prices: list, Bills: all}, in, names)
}

// writeUnbilled writes the page of the calls alone, when the bill could not be read.
func (o *Options) writeUnbilled(q *costs.BillQuery, in *callsfiles.Files) error {
	if o.html == "" || o.usage == "" {
		return nil
	}
	o.Warn(fmt.Errorf("the bill could not be read: %s has the calls alone", o.html))
	return o.writeBillPage(q, in)
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
func (o *Options) checkDrift(c *bills.Comparison) error {
	if c.Within {
		return nil
	}
	fmt.Fprintln(o.Errs, "mesh: "+c.Sentences()[0])
	return exit.ErrFound
}
