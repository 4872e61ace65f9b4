package usage

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/app"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/callsfiles"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/exit"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/focus"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// maxLineErrors is the number of errors of lines that are printed; the others are counted, as calls.Sum does.
const maxLineErrors = 100

func (f Options) check(format string) error {
	switch {
	case format == "focus" && (f.reprice || f.html != "" || f.byGiven):
		return exit.Usagef("-o focus has rows of its own; it cannot be used with --by, --reprice or --html")
	case (format == "focus" || format == "csv") && len(f.budgets) > 0:
		return exit.Usagef("--budget is not for -o %s", format)
	case format != "focus" && f.account != "":
		return exit.Usagef("--account is only for -o focus")
	}
	return nil
}

// usageFocus writes calls as rows of FOCUS.
func usageFocus(a *app.App, prices *prices.List, opts calls.SumOptions, account string, in *callsfiles.Files) error {
	rows := focus.NewCalls(prices, account)
	var unread []error
	read, omitted, more := 0, 0, 0
	for r, err := range calls.ReadCalls(1, opts.OnRead, opts.OnCopies, in.Paths...)[0] {
		switch {
		case err != nil && len(unread) < maxLineErrors:
			unread = append(unread, err)
		case err != nil:
			more++
		case r.Time.Before(opts.From) || (!opts.To.IsZero() && !r.Time.Before(opts.To)) || !r.HasLabels(opts.MatchLabels):
		default:
			read++
			if opts.Subscription && r.Session {
				r.Billing = "subscription"
			}
			if rows.Add(r) != nil {
				omitted++
			}
		}
	}
	if more > 0 {
		unread = append(unread, fmt.Errorf("%d more lines cannot be read", more))
	}
	err := exit.WrongUse(in.Rename(errors.Join(unread...)))
	if err != nil && read == 0 {
		return err
	}
	a.Progress.Stop()
	if err := rows.WriteCSV(a.Out); err != nil {
		return err
	}
	return reportOmitted(a, omitted, err)
}

// reportOmitted reports the calls without a row. The error of lines that cannot be read goes first.
func reportOmitted(a *app.App, n int, unread error) error {
	if n == 0 {
		return unread
	}
	fmt.Fprintf(a.Errs, "mesh: unpriced calls, which have no row: %d (mesh usage --by unpriced has the reasons)\n", n)
	return cmp.Or(unread, exit.ErrFound)
}
