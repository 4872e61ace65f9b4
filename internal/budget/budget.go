// Package budget has what package meter and package report have in common: the text of a budget, and what a call costs it.
package budget

import (
	"strings"

	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
	"github.com/mesh-gateway/mesh-go/internal/argument"
	"github.com/mesh-gateway/mesh-go/internal/decimal"
)

// Budget is a limit in US dollars for a period.
type Budget struct {
	// USD is the limit, a plain decimal.
	USD prices.USD
	// Per is "day" or "month" in UTC, or "" for a budget that never begins again.
	Per string
	// Label is the name of a label, each value of which has a budget of its own; "" for one budget.
	Label string
}

// reason has the form of a budget for errors.
const reason = `must be USD[/day|/month[/label:NAME]], such as "5", "5/day", "100/month" or "2/day/label:user"`

// Parse parses a budget such as "5", "5/day", "100/month" or "2/day/label:user". The error is an *argument.ValueError of the package pkg.
func Parse(pkg, text string) (Budget, error) {
	usd, rest, periodical := strings.Cut(text, "/")
	per, label, labelled := strings.Cut(rest, "/")
	name, found := strings.CutPrefix(label, "label:")
	_, amount := decimal.ParsePlain(usd)
	if !amount || (periodical && per != "day" && per != "month") || (labelled && (!found || name == "")) {
		return Budget{}, argument.New(pkg, "Budget", text, reason)
	}
	return Budget{USD: prices.USD(usd), Per: per, Label: name}, nil
}

// Expense returns what a call costs a budget: its USD, or the larger of what it costs at least and of perCall, and in addition its UpstreamUSD.
// If only charges count, a call of a subscription costs nothing.
func Expense(r *calls.Record, perCall decimal.Decimal, chargesOnly bool) decimal.Decimal {
	if chargesOnly && r.Subscribed() {
		return decimal.Decimal{}
	}
	usd, known := decimal.ParsePlain(r.USD)
	if !known {
		if usd, _ = decimal.ParsePlain(r.BoundUSD); usd.Cmp(perCall) < 0 {
			usd = perCall
		}
	}
	upstream, _ := decimal.ParsePlain(r.UpstreamUSD)
	return usd.Add(upstream)
}
