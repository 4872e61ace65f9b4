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

// countCalls adds up the calls of --usage in the days of the bill. The files may have calls of other providers, too, and lines that cannot
// be read, whose error is unread.
func (o *Options) countCalls(in *callsfiles.Files, failures *app.Failures) (groups []calls.Group, unread, err error) {
	list, _, err := o.PriceList()
	if err != nil {
		return nil, nil, err
	}
	rows, err := calls.Sum(calls.Options{
		From: o.from, To: o.to, MatchLabels: o.Match, By: [][]string{{"day", "model", "provider", "platform", "billing", "unpriced"}}, Prices: list,
		OnRead: o.ReadingCalls("reading calls", in), OnCopies: in.OnCopies(o.Warn),
	}, in.Paths...)
	unread = exit.WrongUse(in.Rename(err))
	if unread != nil && len(rows[0]) == 0 {
		return nil, nil, exit.Usagef("--usage: %w", unread)
	}
	for _, row := range rows[0] {
		provider, platform, reason := row.By[2], row.By[3], row.By[5]
		if provider == string(o.provider) && platform == "" && reason != "" {
			failures.Add(errors.New("the cost is not known: " + costs.Cause(reason)))
		}
	}
	return rows[0], unread, nil
}

// write prints the bill beside what was counted, the verdict first, and writes the page of both.
func (o *Options) write(b bill, c *bills.Comparison, in *callsfiles.Files) error {
	var shown any = b
	if o.usage != "" {
		shown = compared{b, c}
	}
	err := o.Print(shown, func(out io.Writer) error {
		if o.usage != "" || o.counted != nil {
			for _, sentence := range c.Sentences() {
				fmt.Fprintln(out, output.Mark(out, output.Wrap(output.Line(sentence), "", output.Width(out))))
			}
		}
		return b.Table(out)
	})
	if err != nil {
		return err
	}
	if o.Match != nil {
		o.Note(fmt.Sprintf("only calls %s were counted; the bill has no labels and is whole", output.Line(table.Labels(o.Match))))
	}
	return o.writePage(in, c)
}

// writePage writes the page of the calls and the bills; without --html it does nothing.
func (o *Options) writePage(in *callsfiles.Files, all ...*bills.Comparison) error {
	if o.html == "" {
		return nil
	}
	list, _, err := o.PriceList()
	if err != nil {
		return err
	}
	return page.Write(o.App, o.html, report.Options{From: o.from, To: o.to, MatchLabels: o.Match, Prices: list, Bills: all}, in)
}

// writeUnbilled writes the page of the calls alone, when the bill could not be read. unread is the error of their lines.
func (o *Options) writeUnbilled(in *callsfiles.Files, unread error) error {
	if unread != nil {
		o.Warn(unread)
	}
	if o.html == "" || o.usage == "" {
		return nil
	}
	o.Warn(fmt.Errorf("the bill could not be read: %s has the calls alone", o.html))
	return o.writePage(in)
}

// compared is a bill whose JSON has the comparison, too.
type compared struct {
	bill
	comparison *bills.Comparison
}

// MarshalJSON adds the member "comparison" to the object of the bill.
func (c compared) MarshalJSON() ([]byte, error) {
	bill, err := json.Marshal(c.bill)
	if err != nil {
		return nil, err
	}
	comparison, err := json.Marshal(c.comparison)
	return slices.Concat(bytes.TrimSuffix(bill, []byte("}")), []byte(`,"comparison":`), comparison, []byte("}")), err
}
