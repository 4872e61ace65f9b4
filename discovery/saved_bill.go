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

// BillOptions selects days from a bill in a file. The zero value selects the whole file.
type BillOptions struct {
	// From is the first day, and To is the day after the last, both midnight UTC. A zero
	// time is taken from the file.
	From, To time.Time
	// AttributedUSD is the cost you counted, or nil.
	AttributedUSD *float64
}

// BillError reports an error in a saved bill. Line is the line where the page or row
// starts, or where the JSON is invalid, or 0 for the whole file. Err never quotes the
// bill.
type BillError = billing.BillError

// ErrOtherBill reports a bill saved from another provider. Use errors.Is.
var ErrOtherBill = billing.ErrOther

// ReadOpenAIBill compares a saved bill with the cost you counted, like
// [Client.ReconcileOpenAICost] for a requested bill. The file contains the responses from
// GET /v1/organization/costs, one after another or in an array: all pages, up to the
// last, which has no next page. If the file has line items, costs are broken down by line
// item.
//
// ReadOpenAIBill returns a [*BillError] if the file can't be read, is invalid or
// incomplete, has a day twice, or has an amount that isn't in US dollars. It returns a
// [*ValueError] if a time isn't midnight UTC, or an amount isn't finite.
func ReadOpenAIBill(r io.Reader, opts BillOptions) (*ReconciliationReport[CostBucket], error) {
	return readPages(r, models.OpenAI, GroupByLineItem, opts, billing.OpenAIPage)
}

// ReadAnthropicBill is like [ReadOpenAIBill], for responses from GET
// /v1/organizations/cost_report. To add the tokens for each line item, include responses
// from GET /v1/organizations/usage_report/messages, grouped by model, service_tier,
// context_window and inference_geo.
func ReadAnthropicBill(r io.Reader, opts BillOptions) (*ReconciliationReport[CostBucket], error) {
	return readPages(r, models.Anthropic, GroupByDescription, opts, billing.AnthropicPage)
}

func readPages(r io.Reader, p models.Provider, group GroupBy, opts BillOptions, decode func([]byte) (billing.Page, error)) (*ReconciliationReport[CostBucket], error) {
	if err := opts.check(); err != nil {
		return nil, err
	}
	days, err := billing.ReadPages(r, decode)
	if err != nil {
		return nil, err
	}
	return opts.reconcile(p, group, days)
}

// ReadGeminiBill compares Google's bill for the Gemini API with the cost you counted. The
// file is a Cloud Billing export to BigQuery, table gcp_billing_export_v1_…, as JSON
// lines or one array. Rows for other services, including Vertex AI, are ignored and
// counted in IgnoredRows. For errors, see [ReadOpenAIBill].
//
// # Buckets
//
//   - A day is the UTC day on which use started.
//   - A line item is an SKU description, or "Credit: " and a credit's name, with a
//     negative amount.
//   - Models are named as in the SKU, without a release: gemini-3-flash is also
//     gemini-3-flash-preview.
//   - Costs in another currency are divided by currency_conversion_rate and rounded to 12
//     decimal places.
//   - RawResults are empty.
//
// The format follows Google's documentation. It hasn't been tried with a real export.
func ReadGeminiBill(r io.Reader, opts BillOptions) (*ReconciliationReport[CostBucket], error) {
	if err := opts.check(); err != nil {
		return nil, err
	}
	export, err := billing.ReadGoogle(r)
	if err != nil {
		return nil, err
	}
	compared, err := opts.reconcile(models.Gemini, GroupByLineItem, export.Days())
	if compared != nil {
		compared.MissingDays, compared.IgnoredRows = nil, export.Ignored // a day without use has no row
	}
	return compared, err
}

// ReadXAIBill is like [ReadOpenAIBill], for responses from POST
// /v1/billing/teams/{team_id}/usage, which must have UTC days.
func ReadXAIBill(r io.Reader, opts BillOptions) (*ReconciliationReport[TeamCostBucket], error) {
	if err := opts.check(); err != nil {
		return nil, err
	}
	usage, begins, err := billing.ReadXAI(r)
	if err != nil {
		return nil, err
	}
	var end time.Time
	if n := len(begins); n > 0 {
		end = begins[n-1].AddDate(0, 0, 1)
		opts.extend(begins[0], end)
	}
	if err := opts.checkWindow(); err != nil {
		return nil, err
	}
	window := xaiWindow{Range: calendar.Range{Start: opts.From, End: opts.To, Unit: calendar.Day}}
	costs, err := window.bill(usage)
	if err != nil {
		return nil, &BillError{Err: err}
	}
	costs.toFileEnd = !opts.To.Before(end)
	return savedReconciliation(window, costs, opts.AttributedUSD)
}

func savedReconciliation[B Bucket](window billQuery[B], costs bill[B], attributedUSD *float64) (*ReconciliationReport[B], error) {
	if err := costs.check(window.bounds()); err != nil {
		return nil, &BillError{Err: err}
	}
	return window.reconcile(costs, attributedUSD), nil
}

// reconcile accepts days in any order.
func (o BillOptions) reconcile(p models.Provider, group GroupBy, days []billing.Day) (*ReconciliationReport[CostBucket], error) {
	if err := billing.Sort(days, 0, 0); err != nil {
		return nil, &BillError{Err: err}
	}
	var end time.Time
	if n := len(days); n > 0 {
		end = calendar.Date(time.Unix(days[n-1].End+calendar.SecondsPerDay-1, 0))
		o.extend(calendar.Date(time.Unix(days[0].Start, 0)), end)
	}
	if err := o.checkWindow(); err != nil {
		return nil, err
	}
	window := dayQuery{provider: p, start: o.From.Unix(), end: o.To.Unix()}
	if hasLineItems(days) {
		window.groups = []GroupBy{group}
	}
	days = slices.DeleteFunc(days, func(day billing.Day) bool { return day.End <= window.start || day.Start >= window.end })
	costs := billOfDays(days, window.groups)
	costs.toFileEnd = !o.To.Before(end)
	return savedReconciliation(window, costs, o.AttributedUSD)
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

// extend fills in missing times from the file.
func (o *BillOptions) extend(first, end time.Time) {
	if o.From.IsZero() {
		o.From = first
	}
	if o.To.IsZero() {
		o.To = end
	}
}

// checkWindow validates the window once the file's times are known.
func (o BillOptions) checkWindow() error {
	switch {
	case o.From.IsZero() || o.To.IsZero():
		return &BillError{Err: errors.New("no days, so From and To must be set")}
	case !o.From.Before(o.To):
		return invalid("From", o.From.Format(time.RFC3339), "must be before To, or before the end of the bill")
	}
	return nil
}

func (o BillOptions) check() error {
	const reason = "must be midnight UTC: costs are billed by whole days"
	for field, t := range map[string]time.Time{"From": o.From, "To": o.To} {
		if !t.IsZero() && (t.Unix()%calendar.SecondsPerDay != 0 || t.Nanosecond() != 0) {
			return invalid(field, t.Format(time.RFC3339Nano), reason)
		}
	}
	return checkAttributed(o.AttributedUSD)
}
