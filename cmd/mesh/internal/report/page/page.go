// Package page formats a report as one HTML file, without scripts or requests.
//
//	r, err := report.Read(report.Options{Budgets: []string{"750/month"}}, "calls")
//	if err == nil {
//		err = page.Write(file, r)
//	}
package page

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/report"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/table"
	"github.com/mesh-gateway/mesh-go/discovery/bills"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
	"github.com/mesh-gateway/mesh-go/internal/argument"
	"github.com/mesh-gateway/mesh-go/internal/money"
)

//go:embed page.html
var pageHTML string

//go:embed page.css
var pageCSS string

// Write writes r as an HTML page. Amounts are rounded half to even for display; all
// digits are in the page, too. Names are escaped, and control characters and marks for
// the writing direction are replaced.
func Write(w io.Writer, r *report.Report) error { return WriteTitled(w, r, "") }

// WriteTitled is like [Write], with a page title; "" means the default one.
func WriteTitled(w io.Writer, r *report.Report, title string) error {
	if r == nil {
		return argument.New("page", "r", "", "must not be nil")
	}
	p := newPage(r)
	p.title = title
	page, err := p.template()
	if err != nil {
		return err
	}
	var out bytes.Buffer // an error leaves no partial page
	if err := page.Execute(&out, p); err != nil {
		return err
	}
	_, err = w.Write(out.Bytes())
	return err
}

// template parses the page for each call, which takes milliseconds: a global template
// would burden every program that imports the package. The page's security policy has the
// hash of its only style element, so styles smuggled in by a name don't apply.
func (p *page) template() (*template.Template, error) {
	sum := sha256.Sum256([]byte(pageCSS))
	return template.New("page").Funcs(template.FuncMap{
		"css":     func() template.CSS { return template.CSS(pageCSS) }, //nolint:gosec // it is ours
		"cssHash": func() string { return base64.StdEncoding.EncodeToString(sum[:]) },
		"usd":     p.usd, "monthusd": p.monthUSD, "delta": p.delta, "small": smallDollars, "count": table.Count, "tokens": tokens, "percent": percent, "signed": signedPercent, "seconds": seconds,
		"date": dateText, "day": shortDate, "instant": table.Instant, "plural": table.Number, "line": line, "sentence": sentence, "cause": causeOf, "name": nameParts, "provider": func(p models.Provider) string { return line(table.Provider(string(p))) },
		"platform": platformName, "saving": sameChange, "nocost": noCost, "models": unpricedModels, "unlabelled": unlabelled, "first": first,
		"percentWidth": percentWidth,
		"less":         func(a, b int) int { return a - b },
	}).Parse(pageHTML)
}

// MonthName formats the month as "November 2026".
func (p *page) MonthName() string { return dateAs(p.Month.Month, "2006-01", "January 2006") }

// OldPrices warns if the price table is more than 14 days old, or returns "".
func (p *page) OldPrices() string { return table.OldPrices(p.Source.PricesAsOf, p.Source.Now) }

// monthUSD uses as many digits as the month's largest amount.
func (p *page) monthUSD(usd prices.USD) string {
	most := p.Month.USD
	if b := p.MonthBudget(); b != nil {
		most = b.LimitUSD
	} else if p.Month.Forecast != nil {
		most = p.Month.Forecast.USD
	}
	return rounded(money.NewSheet(money.Places(money.Exact(most))), usd, "")
}

// budgetBar has positions in percent, for a bar about the month's budget.
type budgetBar struct {
	Spent, Expected, Limit string
	Text                   string
}

// MonthBudget returns the first monthly budget without a label, or nil.
func (p *page) MonthBudget() *report.Budget {
	for i := range p.Budgets {
		if p.Budgets[i].Per == "month" && p.Budgets[i].Label == "" {
			return &p.Budgets[i]
		}
	}
	return nil
}

// OtherBudgets returns all budgets except MonthBudget.
func (p *page) OtherBudgets() (all []*report.Budget) {
	first := p.MonthBudget()
	for i := range p.Budgets {
		if b := &p.Budgets[i]; b != first {
			all = append(all, b)
		}
	}
	return all
}

// MonthBar returns nil if there is neither a forecast nor a budget.
func (p *page) MonthBar() *budgetBar {
	budget, forecast := p.MonthBudget(), p.Month.Forecast
	if budget == nil && forecast == nil {
		return nil
	}
	spent, expected, limit := p.Month.USD, prices.USD(""), prices.USD("")
	usd := p.monthUSD
	text := "Bar: " + usd(spent) + " spent"
	if forecast != nil {
		expected = forecast.USD
		text += "; forecast " + usd(expected)
	}
	if budget != nil {
		limit = budget.LimitUSD
		text += "; budget " + usd(limit)
	}
	scale := 98 / max(number(spent), number(expected), number(limit), 1e-12)
	place := func(usd prices.USD) string {
		if usd == "" {
			return ""
		}
		return coordinate(number(usd) * scale)
	}
	return &budgetBar{coordinate(number(spent) * scale), place(expected), place(limit), text}
}

// Exceeded reports whether the budget is overspent.
func (*page) Exceeded(b *report.Budget) bool { return number(b.LeftUSD) < 0 }

// BudgetText says what's left of a budget, or by how much it is exceeded.
func (p *page) BudgetText(b *report.Budget) string {
	sheet := b.Sheet()
	budget := "the budget of " + rounded(sheet, b.LimitUSD, "")
	if b.Per != "" {
		budget += " a " + b.Per
	}
	budget += table.Since(b.Per, p.Source.First)
	switch {
	case b.Label != "" && b.Value == "":
		budget += " for each " + b.Label
	case b.Label != "":
		budget += " for " + b.Label + " " + b.Value
	}
	if p.Exceeded(b) {
		return line(strings.TrimPrefix(rounded(sheet, b.LeftUSD, ""), "−") + " more than " + budget + " was spent.")
	}
	return line(rounded(sheet, b.LeftUSD, "") + " of " + budget + " is left.")
}

// adviceText splits an advice into its first sentence and the rest.
type adviceText struct{ Do, Why, Command string }

// ToDo returns the advice for display.
func (p *page) ToDo() (all []adviceText) {
	for _, a := range p.Advice {
		text := sentence(a.Text)
		do, why, found := strings.Cut(text, ". ")
		if found {
			do += "."
		}
		all = append(all, adviceText{do, why, line(a.Command)})
	}
	return all
}

// StatusTexts lists failed calls by status, the most frequent first.
func (p *page) StatusTexts() string {
	const named = 6
	var all []string
	rest := 0
	for i, s := range p.Failures.Statuses {
		if i < named {
			all = append(all, table.Count(s.Calls)+" × "+statusText(s.Status))
		} else {
			rest += s.Calls
		}
	}
	if rest > 0 {
		all = append(all, table.Count(rest)+" × another status")
	}
	return strings.Join(all, ", ")
}

// Elsewhere describes the calls outside an empty period, or returns "" if Source.Calls is
// 0.
func (p *page) Elsewhere() string {
	if p.Source.Calls == 0 {
		return ""
	}
	return fmt.Sprintf("%s, from %s to %s", table.Number(p.Source.Calls, "call was read", "calls were read"), table.Instant(p.Source.First), table.Instant(p.Source.Last))
}

// BillsFirst reports whether a bill is over its limit. Bills then follow the summary.
func (p *page) BillsFirst() bool {
	return slices.ContainsFunc(p.Report.Bills, func(c *bills.Comparison) bool { return c.Known && !c.Within })
}
