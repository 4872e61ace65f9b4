package report

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/table"
	"github.com/mesh-gateway/mesh-go/discovery/bills"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
	"github.com/mesh-gateway/mesh-go/internal/money"
)

// WriteText writes the report for a terminal with the given number of columns:
//
//   - models by cost with share and change, and a total,
//   - unpriced calls,
//   - the month and budgets,
//   - the most urgent advice.
//
// Model names are never cut: narrow terminals get fewer table columns, and then names
// wrap at hyphens and dots. The table has up to twelve models. If columns is 0, lines and
// models are unlimited. The text has rounded amounts, no colors and no control
// characters.
func (r *Report) WriteText(w io.Writer, columns int) error {
	period := r.PeriodText()
	if r.compares() {
		period += ", change against the " + table.Length(r.Previous.From, r.Previous.To) + " before"
	}
	return r.write(w, columns, period, (*text).table)
}

// WriteDays is [Report.WriteText] with the cost and models for each day in place of the
// models. It suits periods with few days.
func (r *Report) WriteDays(w io.Writer, columns int) error {
	return r.write(w, columns, r.PeriodText(), (*text).days)
}

func (r *Report) write(w io.Writer, columns int, period string, rows func(*text, *Report)) error {
	t := &text{columns: columns}
	t.head(r, period)
	if r.Total.Calls > 0 {
		rows(t, r)
	}
	t.line("")
	t.known(r)
	t.notes(r)
	_, err := io.WriteString(w, t.String())
	return err
}

// WriteNotes writes only the end of [Report.WriteText]: the change in parts, prices older
// than 14 days, the month, budgets, bills, and the most urgent advice. Most sentences are
// not limited to Period.
func (r *Report) WriteNotes(w io.Writer, columns int) error {
	t := &text{columns: columns}
	t.notes(r)
	_, err := io.WriteString(w, t.String())
	return err
}

func (t *text) notes(r *Report) {
	if r.compares() && r.Change.USD != "0" {
		t.line("Change in USD: %s", r.Change.Sentence(r.Sheet(), money.Format{}))
	}
	switch s := r.Source.Sessions; {
	case s == nil:
	case r.explain:
		t.line("%s", s)
	default:
		t.line("%s from session files, which lack some facts (--explain).%s", table.Number(s.Calls, "call is", "calls are"), s.uncounted())
	}
	if old := table.OldPrices(r.Source.PricesAsOf, r.Source.Now); old != "" {
		t.line("Prices: %s.", old)
	}
	t.month(r)
	for _, b := range r.Budgets {
		t.budget(r, &b)
	}
	for _, c := range r.Bills {
		t.bill(c)
	}
	t.next(r)
}

type text struct {
	strings.Builder
	columns int
}

func (t *text) line(format string, args ...any) {
	fmt.Fprintln(t, table.Paragraph(table.Line(fmt.Sprintf(format, args...)), t.columns))
}

// PeriodText names the period, its days and the zone.
func (r *Report) PeriodText() string {
	return table.Period(r.Period.From, r.Period.To, r.Period.Running, cmp.Or(r.Source.Zone, "UTC"))
}

// Headline returns amount and period: "at least 12.00 USD, 1 Oct to 31 Oct 2026 (31 days,
// UTC)", for example.
func (r *Report) Headline() string {
	amount := money.USD(r.Total.USD) + " USD"
	switch t := &r.Total; {
	case t.Calls == 0:
		amount = "no calls"
	case t.Unpriced == t.Calls:
		amount = "cost not known"
	case t.Unpriced > 0:
		amount = "at least " + amount
	}
	return amount + ", " + r.PeriodText()
}

func (r *Report) compares() bool { return r.Change != nil && r.Total.Comparable && r.Total.Calls > 0 }

// head also explains why Period has no calls.
func (t *text) head(r *Report, period string) {
	t.line("%s", period)
	if labels := table.Labels(r.Source.MatchLabels); labels != "" {
		t.line("Only calls %s", labels)
	}
	switch s := &r.Source; {
	case s.Calls == 0:
		t.line("There are no calls.")
	case r.Total.Calls == 0:
		t.line("There are no calls in this period; %s from %s to %s were read (--last all).", table.Calls(s.Calls), s.First.Format(time.DateOnly), s.Last.Format(time.DateOnly))
	default:
		t.line("")
	}
}

func (t *text) table(r *Report) {
	costs := table.Costs{Keys: []string{"MODEL"}, Change: r.compares(), All: t.columns <= 0}
	names := map[string]int{}
	for _, m := range r.Models {
		names[m.Model]++
	}
	for _, m := range r.Models {
		if m.Calls+m.Previous.Calls == 0 {
			continue
		}
		row := costRow(&m.Row, modelName(&m, names[m.Model] > 1))
		row.Provider = cmp.Or(m.Platform, string(m.Provider))
		costs.Rows = append(costs.Rows, row)
	}
	costs.Total = costRow(&r.Total.Row, "total")
	_ = costs.Write(t, t.columns, func(header string) string { return header }) // a strings.Builder never fails
}

// modelName adds the platform or provider if several rows have the same model.
func modelName(m *ModelRow, several bool) string {
	switch {
	case m.Others:
		return table.Number(m.Values, "other", "others")
	case several:
		return cmp.Or(m.Platform, string(m.Provider)) + "/" + m.Model
	case m.Model == "":
		return "(no model)"
	}
	return m.Model
}

func costRow(r *Row, key string) table.CostRow {
	return table.CostRow{
		Keys: []string{key}, Calls: r.Calls, Unpriced: r.Unpriced, PerCallUSD: r.PerCallUSD, USD: r.USD, PreviousUSD: r.Previous.USD,
		Input: r.Input, Cached: r.Cached, Output: r.Output, Others: r.Values,
	}
}

// known writes what the total leaves out, and what isn't charged.
func (t *text) known(r *Report) {
	if u := &r.Unpriced; u.Calls > 0 {
		bound := "."
		if u.Bounded > 0 {
			bound = fmt.Sprintf("; %d of them cost at least %s USD more.", u.Bounded, money.USD(u.BoundUSD))
		}
		t.line("%s no known cost (--by unpriced)%s", table.Number(u.Calls, "call has", "calls have"), bound)
	}
	if s := r.Total.SubscriptionUSD; s != "0" {
		t.line("%s USD is the list price for subscription calls, which are not charged.", money.USD(s))
	}
	if r.Change != nil && !r.Total.Comparable {
		t.line("The share of unpriced calls differs by more than a point from the %s before: the costs are not comparable.", table.Length(r.Previous.From, r.Previous.To))
	}
	if r.Source.Calls > r.Total.Calls && r.Total.Calls > 0 {
		t.line("%s were read; --last all shows everything.", table.Calls(r.Source.Calls))
	}
	if r.Errors.Count > 0 {
		t.line("Not counted: %s.", table.Number(r.Errors.Count, "unreadable line or file", "unreadable lines or files"))
	}
}

func (t *text) month(r *Report) {
	m := &r.Month
	at, err := time.Parse("2006-01", m.Month)
	if err != nil || (m.USD == "0" && m.Forecast == nil) {
		return
	}
	if m.Forecast == nil {
		t.line("%s: %s USD until now.", at.Month(), money.USD(m.USD))
		return
	}
	end := money.Exact(m.Forecast.USD)
	sheet := money.NewSheet(money.Places(end))
	usd := sheet.Text(money.Format{}, money.Exact(m.USD))
	t.line("%s: %s USD until now, about %s at its end (estimate).", at.Month(), usd, sheet.Text(money.Format{}, end))
}

func (t *text) budget(r *Report, b *Budget) {
	of := table.Since(b.Per, r.Source.First)
	if b.Label != "" {
		of += fmt.Sprintf(", most by %s %s", b.Label, cmp.Or(b.Value, "(none)"))
	}
	sheet := b.Sheet()
	usd := func(usd prices.USD) string {
		return strings.TrimPrefix(sheet.Text(money.Format{}, money.Exact(usd)), "-")
	}
	left := usd(b.LeftUSD) + " left"
	over := strings.HasPrefix(string(b.LeftUSD), "-")
	if over {
		left = usd(b.LeftUSD) + " over the limit"
	}
	switch {
	case b.PerDayUSD != "" && !strings.HasPrefix(string(b.PerDayUSD), "-"):
		left += ", " + usd(b.PerDayUSD) + " a day"
	case b.Over && !over:
		left += ", not enough by the forecast"
	}
	zone := ""
	if b.Per != "" && r.Source.Zone != "UTC" {
		zone = " (UTC)"
	}
	t.line("Budget %s%s: %s USD spent%s, %s.", b.Text, zone, usd(b.SpentUSD), of, left)
}

func (t *text) bill(c *bills.Comparison) {
	sentences := c.Sentences()
	t.line("Bill of %s: %s", c.Provider, sentences[0])
	for _, sentence := range sentences[1:] {
		t.line("  %s", sentence)
	}
}

func (t *text) next(r *Report) {
	if len(r.Advice) == 0 {
		return
	}
	first := &r.Advice[0]
	t.line("Next: %s", first.Text)
	if first.Command != "" {
		t.line("  %s", first.Command)
	}
}
