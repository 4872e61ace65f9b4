package usage

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/exit"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/table"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/meter"
	"github.com/mesh-gateway/mesh-go/internal/money"
)

// printLine prints the calls of today, in UTC, and which part of the budgets is spent. It reads only the files of the periods: a status
// bar calls it often.
func (o *Options) printLine(now time.Time) error {
	now = now.UTC()
	today, opts := now.Format(time.DateOnly), o.selected
	opts.From, opts.By = now.Truncate(24*time.Hour), [][]string{{"day"}}
	begins := map[meter.Period]time.Time{meter.PeriodDay: opts.From, meter.PeriodMonth: opts.From.AddDate(0, 0, 1-now.Day()), meter.PeriodTotal: {}}
	budgets := make([]meter.Budget, len(o.budgets))
	for i, text := range o.budgets {
		b, err := meter.ParseBudget(text)
		if err != nil {
			return err
		}
		budgets[i] = b
		if begin := begins[b.Per]; begin.Before(opts.From) {
			opts.From = begin
		}
		by := []string{calls.ByDay, calls.ByBilling}
		if b.Label != "" {
			by = append(by, calls.ByLabel(b.Label))
		}
		opts.By = append(opts.By, by)
	}
	if o.reader != nil {
		o.reader.Since = opts.From
	}
	sums, err := calls.Sum(opts, o.in.Since(opts.From)...)
	err = o.said.Rest(err)
	unread := exit.WrongUse(o.in.Rename(err))
	if unread != nil && len(sums[0]) == 0 {
		return unread
	}
	parts := todayParts(sums[0], today)
	for i, b := range budgets {
		groups := slices.DeleteFunc(sums[i+1], func(g calls.Group) bool {
			day := g.Value(calls.ByDay)
			return day < begins[b.Per].Format(time.DateOnly) || day > today || o.chargesOnly && g.Value(calls.ByBilling) == calls.Subscription
		})
		parts = append(parts, o.budgets[i]+": "+spentPart(b, groups))
	}
	o.Progress.Stop()
	if _, err := fmt.Fprintln(o.Out, output.Line(strings.Join(parts, ", "))); err != nil {
		return err
	}
	o.tellShort()
	return unread
}

// todayParts returns the cost and the number of the calls of today.
func todayParts(days []calls.Group, today string) []string {
	g := calls.Group{USD: "0"}
	if i := slices.IndexFunc(days, func(g calls.Group) bool { return g.Value(calls.ByDay) == today }); i >= 0 {
		g = days[i]
	}
	parts := []string{"today " + money.USD(g.USD) + " USD", table.Calls(g.Calls)}
	if g.Unpriced > 0 {
		parts = append(parts, fmt.Sprintf("%d unpriced", g.Unpriced))
	}
	return parts
}

// spentPart returns which part of a budget the calls of its period spent: those of the value that spent most, if it has a label.
func spentPart(b meter.Budget, groups []calls.Group) string {
	spent, most, value := map[string]*big.Rat{}, new(big.Rat), ""
	for _, g := range groups {
		name := g.Value(calls.ByLabel(b.Label))
		if spent[name] == nil {
			spent[name] = new(big.Rat)
		}
		if spent[name].Add(spent[name], money.Exact(g.ExpenseUSD())).Cmp(most) > 0 {
			most, value = spent[name], name
		}
	}
	text := percentOf(most, money.Exact(b.USD)) + " %"
	if value != "" {
		text += " (" + value + ")"
	}
	return text
}

// percentOf returns the part of a limit that is spent, rounded down so that 100 is a limit that is reached. Nothing is left of a limit of 0.
func percentOf(spent, limit *big.Rat) string {
	const percent = 100
	if limit.Sign() == 0 {
		return fmt.Sprint(percent)
	}
	part := new(big.Rat).Quo(spent, limit)
	part.Mul(part, big.NewRat(percent, 1))
	return new(big.Int).Quo(part.Num(), part.Denom()).String()
}
