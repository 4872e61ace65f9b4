// Package page draws a report as a page: one HTML file without scripts that requests nothing.
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

// Write writes a report as a page. Amounts are rounded for display, half to even, and each is in the page with all its digits. Names are
// escaped, and shown without control characters and marks of the writing direction.
func Write(w io.Writer, r *report.Report) error { return WriteTitled(w, r, "") }

// WriteTitled is [Write] with a title of the page; "" is the default one.
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
	var out bytes.Buffer // an error leaves no half of a page
	if err := page.Execute(&out, p); err != nil {
		return err
	}
	_, err = w.Write(out.Bytes())
	return err
}

// template returns the template of the page. Its styles are one element, whose hash is in the policy of the page: a style that a name
// brought in would not apply. It is parsed for each page, which takes milliseconds: a global one would be in every program that imports the
// package.
func (p *page) template() (*template.Template, error) {
	sum := sha256.Sum256([]byte(pageCSS))
	return template.New("page").Funcs(template.FuncMap{
		"css":     func() template.CSS { return template.CSS(pageCSS) }, //nolint:gosec // it is ours
		"cssHash": func() string { return base64.StdEncoding.EncodeToString(sum[:]) },
		"usd":     p.usd, "monthusd": p.monthUSD, "delta": p.delta, "small": smallDollars, "count": table.Count, "tokens": tokens, "percent": percent, "signed": signedPercent, "seconds": seconds,
		"date": dateText, "day": shortDate, "instant": table.Instant, "plural": table.Number, "line": line, "sentence": sentence, "cause": causeOf, "name": nameParts, "provider": func(p models.Provider) string { return line(table.Provider(string(p))) },
		"platform": platformName, "status": statusText, "saving": sameChange, "nocost": noCost, "models": unpricedModels, "first": first,
		"percentWidth": percentWidth,
		"less":         func(a, b int) int { return a - b },
	}).Parse(pageHTML)
}

// MonthName is the name of the month, such as November 2026.
func (p *page) MonthName() string { return dateAs(p.Month.Month, "2006-01", "January 2006") }

// OldPrices is how old the price table is; "" up to 14 days.
func (p *page) OldPrices() string { return table.OldPrices(p.Source.PricesAsOf, p.Source.Now) }

// monthUSD returns an amount of the month, with as many digits as the largest of them.
func (p *page) monthUSD(usd prices.USD) string {
	most := p.Month.USD
	if b := p.MonthBudget(); b != nil {
		most = b.LimitUSD
	} else if p.Month.Forecast != nil {
		most = p.Month.Forecast.USD
	}
	return rounded(money.NewSheet(money.Places(money.Exact(most))), usd, "")
}

// budgetBar is a picture of a budget of the month, in hundredths of its width.
type budgetBar struct {
	Spent, Expected, Limit string
	Text                   string
}

// MonthBudget is the first budget of the whole month; nil without one.
func (p *page) MonthBudget() *report.Budget {
	for i := range p.Budgets {
		if p.Budgets[i].Per == "month" && p.Budgets[i].Label == "" {
			return &p.Budgets[i]
		}
	}
	return nil
}

// OtherBudgets are the other ones.
func (p *page) OtherBudgets() (all []*report.Budget) {
	first := p.MonthBudget()
	for i := range p.Budgets {
		if b := &p.Budgets[i]; b != first {
			all = append(all, b)
		}
	}
	return all
}

// MonthBar is the picture of the month; nil without a forecast and a budget.
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

// Exceeded reports whether more than a budget was spent.
func (*page) Exceeded(b *report.Budget) bool { return number(b.LeftUSD) < 0 }

// BudgetText returns what is left of a budget.
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

// adviceText is an advice in two parts: what to do, and why.
type adviceText struct{ Do, Why, Command string }

// ToDo is the advice.
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

// StatusTexts are the statuses of failed calls, the most frequent first.
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
		all = append(all, table.Count(rest)+" × others")
	}
	return strings.Join(all, ", ")
}

// Elsewhere returns what was read, for a period without calls; "" if nothing was.
func (p *page) Elsewhere() string {
	if p.Source.Calls == 0 {
		return ""
	}
	return fmt.Sprintf("%s, from %s to %s", table.Number(p.Source.Calls, "call was read", "calls were read"), table.Instant(p.Source.First), table.Instant(p.Source.Last))
}

// BillsFirst reports whether a bill is over its limit, and belongs below the summary.
func (p *page) BillsFirst() bool {
	return slices.ContainsFunc(p.Report.Bills, func(c *bills.Comparison) bool { return c.Known && !c.Within })
}
