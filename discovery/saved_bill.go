package discovery

import (
	"errors"
	"io"
	"slices"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/internal/billing"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/internal/calendar"
)

// SavedBill selects the days of a bill in a file, and has what was counted in them. The zero value is the whole file.
type SavedBill struct {
	// From is the first day, and To the day after the last one, both midnight UTC. A zero time is the time in the file.
	From, To time.Time
	// AttributedUSD is what was counted locally, or nil.
	AttributedUSD *float64
}

// BillError is the error of a line of a saved bill. Its fields are Line, where the page or the row begins, or where the JSON is invalid, 0 if
// the file as a whole is the problem; and Err, which contains nothing of the bill.
type BillError = billing.BillError

// ReadOpenAIBill compares a bill that was saved with what was counted, as [Client.ReconcileOpenAICost] compares one that it requests.
// The file has the responses of GET /v1/organization/costs, one after another or in an array: all pages, of which the last one has
// no next page. Costs are broken down by line item if the file has line items.
//
// The error is a [*BillError] if the file cannot be read, is not valid or not complete, has a day twice, or has an amount that is not in
// US dollars, and a [*ValueError] for a time that is not midnight UTC or an amount that is not finite.
func ReadOpenAIBill(r io.Reader, query SavedBill) (*ReconciliationReport[CostBucket], error) {
	return readPages(r, models.OpenAI, GroupByLineItem, query, billing.OpenAIPage)
}

// ReadAnthropicBill is [ReadOpenAIBill] for the responses of GET /v1/organizations/cost_report. Responses of GET
// /v1/organizations/usage_report/messages beside them, grouped by model, service_tier, context_window and inference_geo, have the tokens of
// the line items.
func ReadAnthropicBill(r io.Reader, query SavedBill) (*ReconciliationReport[CostBucket], error) {
	return readPages(r, models.Anthropic, GroupByDescription, query, billing.AnthropicPage)
}

func readPages(r io.Reader, p models.Provider, group GroupBy, query SavedBill, decode func([]byte) (billing.Page, error)) (*ReconciliationReport[CostBucket], error) {
	if err := query.check(); err != nil {
		return nil, err
	}
	days, err := billing.ReadPages(r, decode)
	if err != nil {
		return nil, err
	}
	return query.report(p, group, days)
}

// ReadGeminiBill compares what Google billed for the Gemini API with what was counted. The file is an export of Cloud Billing to
// BigQuery, the table gcp_billing_export_v1_…, as JSON lines or one array. Rows of other services, Vertex AI among them, are ignored and
// counted in IgnoredRows.
//
// The days are those in UTC in which use began. Costs in another currency are divided by currency_conversion_rate and rounded to 12 decimal places.
// A line item is the description of a SKU, or "Credit: " and the name of a credit, whose amount is negative. A model is named as in the
// SKU, without its release: gemini-3-flash is also gemini-3-flash-preview. The buckets have no RawResults. The format is the format of Google's
// documentation: no real export was at hand to try this with.
//
// The errors are the same as of [ReadOpenAIBill].
func ReadGeminiBill(r io.Reader, query SavedBill) (*ReconciliationReport[CostBucket], error) {
	if err := query.check(); err != nil {
		return nil, err
	}
	export, err := billing.ReadGoogle(r)
	if err != nil {
		return nil, err
	}
	report, err := query.report(models.Gemini, GroupByLineItem, export.Days())
	if report != nil {
		report.MissingDays, report.IgnoredRows = nil, export.Ignored // a day without use has no row
	}
	return report, err
}

// ReadXAIBill is [ReadOpenAIBill] for the responses of POST /v1/billing/teams/{team_id}/usage, which must have UTC days.
func ReadXAIBill(r io.Reader, query SavedBill) (*ReconciliationReport[TeamCostBucket], error) {
	if err := query.check(); err != nil {
		return nil, err
	}
	usage, begins, err := billing.ReadXAI(r)
	if err != nil {
		return nil, err
	}
	if n := len(begins); n > 0 {
		query.extend(begins[0], begins[n-1].AddDate(0, 0, 1))
	}
	if err := query.checkWindow(); err != nil {
		return nil, err
	}
	window := xaiWindow{Range: calendar.Range{Start: query.From, End: query.To, Unit: calendar.Day}}
	costs, err := window.bill(usage)
	if err != nil {
		return nil, &BillError{Err: err}
	}
	return savedReport(window, costs, query.AttributedUSD)
}

// savedReport returns the report of a bill in a file.
func savedReport[B Bucket](window billQuery[B], costs bill[B], attributedUSD *float64) (*ReconciliationReport[B], error) {
	if err := costs.check(window.bounds()); err != nil {
		return nil, &BillError{Err: err}
	}
	return window.report(costs, attributedUSD), nil
}

// report returns the report of days in any order.
func (q SavedBill) report(p models.Provider, group GroupBy, days []billing.Day) (*ReconciliationReport[CostBucket], error) {
	if err := billing.Sort(days, 0, 0); err != nil {
		return nil, &BillError{Err: err}
	}
	if n := len(days); n > 0 {
		q.extend(calendar.Date(time.Unix(days[0].Start, 0)), calendar.Date(time.Unix(days[n-1].End+calendar.SecondsPerDay-1, 0)))
	}
	if err := q.checkWindow(); err != nil {
		return nil, err
	}
	window := dayQuery{provider: p, start: q.From.Unix(), end: q.To.Unix()}
	if hasLineItems(days) {
		window.groups = []GroupBy{group}
	}
	days = slices.DeleteFunc(days, func(day billing.Day) bool { return day.End <= window.start || day.Start >= window.end })
	return savedReport(window, billOfDays(days, window.groups), q.AttributedUSD)
}

func hasLineItems(days []billing.Day) bool {
	for i := range days {
		for item := range days[i].Breakdown(func(c *billing.Cost) string { return c.LineItem }) {
			if item != "" {
				return true
			}
		}
	}
	return false
}

// extend sets the times that are not given to those of the file.
func (q *SavedBill) extend(first, end time.Time) {
	if q.From.IsZero() {
		q.From = first
	}
	if q.To.IsZero() {
		q.To = end
	}
}

// checkWindow validates the window after the times of the file are known.
func (q SavedBill) checkWindow() error {
	switch {
	case q.From.IsZero() || q.To.IsZero():
		return &BillError{Err: errors.New("it has no day, so that its first and last day must be given")}
	case !q.From.Before(q.To):
		return invalid("From", q.From.Format(time.RFC3339), "must be before To, or before the end of the bill")
	}
	return nil
}

func (q SavedBill) check() error {
	const reason = "must be midnight UTC: costs are billed by whole days"
	for field, t := range map[string]time.Time{"From": q.From, "To": q.To} {
		if !t.IsZero() && (t.Unix()%calendar.SecondsPerDay != 0 || t.Nanosecond() != 0) {
			return invalid(field, t.Format(time.RFC3339Nano), reason)
		}
	}
	return checkAttributed(q.AttributedUSD)
}
