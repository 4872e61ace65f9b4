package usage

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/app"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/callsfiles"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/exit"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/meter"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
	"github.com/mesh-gateway/mesh-go/internal/money"
	"github.com/mesh-gateway/mesh-go/internal/table"
)

// lineBudget is a budget of mesh usage --line.
type lineBudget struct {
	meter.Budget
	text string
	from string // the first day of its period; "" for all days
}

// usageLine prints the calls of today, in UTC, and which part of the budgets is spent. It reads only the files of the periods: a status
// bar calls it often.
func usageLine(a *app.App, f *Options, list *prices.List, in *callsfiles.Files, now time.Time) error {
	today := now.UTC().Format(time.DateOnly)
	opts := calls.SumOptions{Prices: list, MatchLabels: f.Match, Subscription: f.subscription, From: now.UTC().Truncate(24 * time.Hour), By: [][]string{{"day"}}, OnCopies: in.OnCopies(a.Warn)}
	budgets := make([]lineBudget, len(f.budgets))
	for i, text := range f.budgets {
		b, err := meter.ParseBudget(text)
		if err != nil {
			return err
		}
		budgets[i] = lineBudget{b, text, today}
		switch b.Per {
		case meter.PeriodDay: // from today
		case meter.PeriodMonth:
			budgets[i].from = today[:len("2006-01-")] + "01"
		case meter.PeriodTotal:
			budgets[i].from = ""
		}
		begin, _ := time.Parse(time.DateOnly, budgets[i].from) // zero for all days
		if begin.Before(opts.From) {
			opts.From = begin
		}
		by := []string{"day", "billing"}
		if b.Label != "" {
			by = append(by, "label:"+b.Label)
		}
		opts.By = append(opts.By, by)
	}
	sums, err := calls.Sum(opts, in.Since(opts.From)...)
	unread := exit.WrongUse(in.Rename(err))
	if unread != nil && !slices.ContainsFunc(sums, func(groups []calls.Group) bool { return len(groups) > 0 }) {
		return unread
	}
	parts := todayParts(sums[0], today)
	for i := range budgets {
		parts = append(parts, budgets[i].part(sums[i+1], today, f.chargesOnly))
	}
	a.Progress.Stop()
	if _, err := fmt.Fprintln(a.Out, output.Line(strings.Join(parts, ", "))); err != nil {
		return err
	}
	return unread
}

// todayParts returns the cost and the number of the calls of today.
func todayParts(days []calls.Group, today string) []string {
	g := calls.Group{USD: "0"}
	if i := slices.IndexFunc(days, func(g calls.Group) bool { return g.By[0] == today }); i >= 0 {
		g = days[i]
	}
	parts := []string{"today " + money.USD(g.USD) + " USD", table.Calls(g.Calls)}
	if g.Unpriced > 0 {
		parts = append(parts, fmt.Sprintf("%d unpriced", g.Unpriced))
	}
	return parts
}

// part returns which part of a budget is spent: by the value that spent most, if it has a label.
func (b *lineBudget) part(groups []calls.Group, today string, chargesOnly bool) string {
	spent, most, value := map[string]*big.Rat{}, new(big.Rat), ""
	for _, g := range groups {
		if g.By[0] < b.from || g.By[0] > today || chargesOnly && g.By[1] == "subscription" {
			continue
		}
		name := ""
		if b.Label != "" {
			name = g.By[2]
		}
		if spent[name] == nil {
			spent[name] = new(big.Rat)
		}
		if spent[name].Add(spent[name], money.Exact(g.ExpenseUSD())).Cmp(most) > 0 {
			most, value = spent[name], name
		}
	}
	text := b.text + ": " + percentOf(most, money.Exact(b.USD)) + " %"
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
