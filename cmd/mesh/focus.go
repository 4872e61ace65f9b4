package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/callsfiles"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/costs"
	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/focus"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// maxLineErrors is the number of errors of lines that are printed; the others are counted, as calls.Sum does.
const maxLineErrors = 100

func (f usageFlags) check(format string) error {
	switch {
	case format == "focus" && (f.reprice || f.html != "" || f.byGiven):
		return usagef("-o focus has rows of its own; it cannot be used with --by, --reprice or --html")
	case (format == "focus" || format == "csv") && len(f.budgets) > 0:
		return usagef("--budget is not for -o %s", format)
	case format != "focus" && f.account != "":
		return usagef("--account is only for -o focus")
	}
	return nil
}

// usageFocus writes calls as rows of FOCUS.
func (a *app) usageFocus(prices *prices.List, opts calls.SumOptions, account string, in *callsfiles.Files) error {
	rows := focus.NewCalls(prices, account)
	var unread []error
	read, omitted, more := 0, 0, 0
	for r, err := range calls.ReadParts(1, opts.OnRead, in.Paths...)[0] {
		switch {
		case err != nil && len(unread) < maxLineErrors:
			unread = append(unread, err)
		case err != nil:
			more++
		case r.Time.Before(opts.From) || (!opts.To.IsZero() && !r.Time.Before(opts.To)) || !r.HasLabels(opts.MatchLabels):
		default:
			read++
			if rows.Add(r) != nil {
				omitted++
			}
		}
	}
	if more > 0 {
		unread = append(unread, fmt.Errorf("%d more lines cannot be read", more))
	}
	err := wrongUse(in.Rename(errors.Join(unread...)))
	if err != nil && read == 0 {
		return err
	}
	a.progress.Stop()
	if err := rows.WriteCSV(a.out); err != nil {
		return err
	}
	return a.omitted(omitted, err)
}

// omitted reports the calls without a row. The error of lines that cannot be read goes first.
func (a *app) omitted(n int, unread error) error {
	if n == 0 {
		return unread
	}
	fmt.Fprintf(a.errs, "mesh: unpriced calls, which have no row: %d (mesh usage --by unpriced has the reasons)\n", n)
	return cmp.Or(unread, errFound)
}

func (f costFlags) check(format string, counted *float64) error {
	switch {
	case f.match != nil && f.usage == "":
		return usagef("--label selects calls of --usage, which is missing; a bill has no labels")
	case format == "focus" && (counted != nil || f.usage != "" || f.html != ""):
		return usagef("-o focus is the bill alone; it cannot be used with --counted, --usage or --html")
	case format != "focus" && f.account != "":
		return usagef("--account is only for -o focus")
	case f.limited && counted == nil && f.usage == "":
		return usagef("--max-drift limits the difference from --usage or --counted, and neither is given")
	case counted != nil && !(*counted >= 0): // NaN too
		return usagef("--counted must not be negative")
	}
	return nil
}

// costFocus writes a bill as rows of FOCUS, by line item.
func (a *app) costFocus(p models.Provider, r costs.Reconciliation, account string) error {
	a.progress.Stop()
	switch r := r.(type) {
	case *discovery.ReconciliationReport[discovery.CostBucket]:
		return focus.WriteBill(a.out, p, account, r.Buckets)
	case *discovery.ReconciliationReport[discovery.TeamCostBucket]:
		return focus.WriteBill(a.out, p, cmp.Or(account, os.Getenv("XAI_TEAM_ID")), r.Buckets)
	}
	return nil
}
