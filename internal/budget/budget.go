// Package budget parses budgets and computes what a call costs a budget, for package
// meter and the cost report.
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
	// Per is "day" or "month" in UTC, or "" if the budget never resets.
	Per string
	// Label names a label whose values each have their own budget. "" means a single
	// budget.
	Label string
}

const reason = `must be USD[/day|/month[/label:NAME]], such as "5", "5/day", "100/month" or "2/day/label:user"`

// Parse parses a budget such as "5", "5/day", "100/month" or "2/day/label:user". Its
// error is an *argument.ValueError from package pkg.
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

// Expense returns the amount that a call takes from a budget: its USD plus its
// UpstreamUSD. If USD is unknown, Expense uses its lower bound, but at least perCall. If
// only charges count, a subscription call costs nothing.
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
