package usage

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/dates"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/table"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/meter"
	"github.com/mesh-gateway/mesh-go/internal/money"
)

// printLine reads only files that can have calls in its periods: a status bar calls it
// often. Read errors become a note.
func (o *Options) printLine(now time.Time) error {
	today := now.UTC()
	if o.zone != nil {
		today = now.In(o.zone)
	}
	opts := o.selected
	opts.From, _ = dates.DayIn("0d", today)
	opts.To = opts.From.AddDate(0, 0, 1)
	opts.By = [][]string{nil}
	if o.reader != nil {
		o.reader.Since = opts.From
	}
	sums, err := calls.Sum(opts, o.in.Since(opts.From)...)
	parts := todayParts(sums[0])
	spent, more := o.spentParts(now.UTC())
	o.noteUnread(o.said.Rest(err), o.said.Rest(more))
	o.Progress.Stop()
	_, err = fmt.Fprintln(o.Out, output.Line(strings.Join(append(parts, spent...), ", ")))
	o.tellShort()
	return err
}

func (o *Options) noteUnread(errs ...error) {
	for _, err := range errs {
		if err = o.in.Rename(err); err != nil {
			first, _, _ := strings.Cut(err.Error(), "\n")
			o.Note("not counted: " + output.Line(strings.TrimPrefix(first, "calls: ")))
			return
		}
	}
}

// spentParts uses UTC days and months, whatever the zone.
func (o *Options) spentParts(now time.Time) (parts []string, err error) {
	today := now.Truncate(24 * time.Hour)
	begins := map[meter.Period]time.Time{meter.PeriodDay: today, meter.PeriodMonth: today.AddDate(0, 0, 1-now.Day()), meter.PeriodTotal: {}}
	for _, text := range o.budgets {
		b, invalid := meter.ParseBudget(text)
		if invalid != nil {
			return nil, invalid
		}
		opts := o.selected
		opts.From, opts.To, opts.OnCopies = begins[b.Per], time.Time{}, func(calls.Copies) {}
		if b.Per != meter.PeriodTotal {
			opts.To = today.AddDate(0, 0, 1)
		}
		by := []string{calls.ByBilling}
		if b.Label != "" {
			by = append(by, calls.ByLabel(b.Label))
		}
		opts.By = [][]string{by}
		if o.reader != nil {
			o.reader.Since = opts.From
		}
		sums, unread := calls.Sum(opts, o.in.Since(opts.From)...)
		err = cmp.Or(err, unread)
		groups := slices.DeleteFunc(sums[0], func(g calls.Group) bool {
			return o.chargesOnly && g.Value(calls.ByBilling) == calls.Subscription
		})
		parts = append(parts, text+": "+spentPart(b, groups))
	}
	return parts, err
}

// todayParts expects at most one group.
func todayParts(today []calls.Group) []string {
	g := calls.Group{USD: "0"}
	if len(today) > 0 {
		g = today[0]
	}
	parts := []string{"today " + money.USD(g.USD) + " USD", table.Calls(g.Calls)}
	if g.Unpriced > 0 {
		parts = append(parts, fmt.Sprintf("%d unpriced", g.Unpriced))
	}
	return parts
}

// spentPart shows a labelled budget for the value that spent most.
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

// percentOf rounds down, which keeps 100 for reached limits. A limit of 0 is reached.
func percentOf(spent, limit *big.Rat) string {
	const percent = 100
	if limit.Sign() == 0 {
		return fmt.Sprint(percent)
	}
	part := new(big.Rat).Quo(spent, limit)
	part.Mul(part, big.NewRat(percent, 1))
	return new(big.Int).Quo(part.Num(), part.Denom()).String()
}
