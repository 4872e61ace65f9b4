package usage

import (
	"cmp"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/dates"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/report"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/table"
	"github.com/mesh-gateway/mesh-go/discovery/meter"
	"github.com/mesh-gateway/mesh-go/internal/money"
)

// printLine reads each file once, and only files that can have calls in its periods: a
// status bar calls it often. Read errors become a note.
func (o *Options) printLine(now time.Time) error {
	now = now.UTC()
	today, _ := dates.Day("0d", now.In(cmp.Or(o.zone, time.UTC)))
	begin := o.lineBegin(today, now)
	if o.reader != nil {
		o.reader.Since = begin
	}
	var unread error
	r, err := report.Read(report.Options{
		From: today, To: today.AddDate(0, 0, 1), Now: now, Location: o.zone, MatchLabels: o.Match, Prices: o.selected.Prices,
		Budgets: o.budgets, ChargesOnly: o.chargesOnly, Subscription: o.subscription, Decode: o.selected.Decode, Join: o.selected.Join, OnRead: o.selected.OnRead,
		OnError: func(err error) { unread = cmp.Or(unread, o.said.Rest(errors.Join(err))) },
	}, o.in.Since(begin)...)
	if err != nil {
		return err
	}
	for _, c := range r.Source.Copies {
		o.selected.OnCopies(c)
	}
	o.noteUnread(unread)
	o.Progress.Stop()
	_, err = fmt.Fprintln(o.Out, output.Line(statusLine(r)))
	o.tellShort()
	return err
}

// lineBegin returns the first moment whose calls count today or in a budget, or zero.
func (o *Options) lineBegin(today, now time.Time) time.Time {
	day := now.Truncate(24 * time.Hour) // budgets are in UTC
	begins := []time.Time{today}
	for _, text := range o.budgets {
		switch b, _ := meter.ParseBudget(text); b.Per {
		case meter.PeriodDay:
			begins = append(begins, day)
		case meter.PeriodMonth:
			begins = append(begins, day.AddDate(0, 0, 1-day.Day()))
		default:
			return time.Time{}
		}
	}
	return slices.MinFunc(begins, time.Time.Compare)
}

func (o *Options) noteUnread(err error) {
	if err = o.in.Rename(err); err != nil {
		first, _, _ := strings.Cut(err.Error(), "\n")
		o.Note("not counted: " + output.Line(strings.TrimPrefix(first, "calls: ")))
	}
}

// statusLine looks like "today 3.12 USD, 214 calls, 5/day: 62 %".
func statusLine(r *report.Report) string {
	usd, atLeast := r.Total.USD, ""
	if r.Total.BoundUSD != "0" {
		usd, atLeast = usd.Add(r.Total.BoundUSD), "at least "
	}
	parts := []string{"today " + atLeast + money.USD(usd) + " USD", table.Calls(r.Total.Calls)}
	if r.Total.Unpriced > 0 {
		parts = append(parts, fmt.Sprintf("%d unpriced", r.Total.Unpriced))
	}
	for _, b := range r.Budgets {
		part := b.Text + ": " + percentOf(money.Exact(b.SpentUSD), money.Exact(b.LimitUSD)) + " %"
		if b.Value != "" && b.SpentUSD != "0" {
			part += " (" + b.Value + ")"
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, ", ")
}

// percentOf rounds down, which keeps 100 for reached limits, but only nothing is 0. A
// limit of 0 is reached.
func percentOf(spent, limit *big.Rat) string {
	const percent = 100
	if limit.Sign() == 0 {
		return fmt.Sprint(percent)
	}
	part := new(big.Rat).Quo(spent, limit)
	part.Mul(part, big.NewRat(percent, 1))
	if part.Sign() > 0 && part.Cmp(big.NewRat(1, 1)) < 0 {
		return "<1"
	}
	return new(big.Int).Quo(part.Num(), part.Denom()).String()
}
