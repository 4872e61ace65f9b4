package discovery

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/internal/billing"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/internal/decimal"
)

// maxCostPages bounds how many pages of costs are read: more than ten years at one day a page.
const maxCostPages = 4000

// firstMilliseconds is the first value that is taken for a time in milliseconds: as seconds it is in the year 5138.
const firstMilliseconds = 100_000_000_000

// GroupBy is a grouping of billed costs.
type GroupBy string

// The groupings of OpenAI. GroupByAPIKeyID is documented, but OpenAI has at times rejected it with status 400, as it may reject
// GroupByUserID beside another grouping.
const (
	GroupByLineItem  GroupBy = "line_item"
	GroupByProjectID GroupBy = "project_id"
	GroupByAPIKeyID  GroupBy = "api_key_id"
	GroupByUserID    GroupBy = "user_id"
	GroupByAPISource GroupBy = "api_source"
)

// The groupings of Anthropic.
const (
	GroupByWorkspaceID GroupBy = "workspace_id"
	GroupByDescription GroupBy = "description"
)

// CostBucket is the cost of one UTC day.
type CostBucket struct {
	// StartTime and EndTime are in Unix seconds; EndTime is exclusive.
	StartTime int64 `json:"start_time"`
	EndTime   int64 `json:"end_time"`
	// TotalUSD is the exact sum of all results, rounded once to a float64. Credits are negative.
	TotalUSD float64 `json:"total_usd"`
	// Currency is always "usd". An amount in another currency is a failed call.
	Currency string `json:"currency"`
	// The breakdowns map the name of a line item, or the id of a project, key or workspace, to US dollars. A breakdown that was
	// not requested with GroupBy is empty, never nil. The key "" is for costs without a line item, project, key, user or API, and for
	// Anthropic's default workspace. Anthropic's descriptions are line items.
	LineItemBreakdown  map[string]float64 `json:"line_item_breakdown"`
	ProjectBreakdown   map[string]float64 `json:"project_breakdown"`
	APIKeyBreakdown    map[string]float64 `json:"api_key_breakdown"`
	WorkspaceBreakdown map[string]float64 `json:"workspace_breakdown"`
	// UserBreakdown and APISourceBreakdown are such breakdowns by user and by API, and nil if they were not requested.
	UserBreakdown      map[string]float64 `json:"user_breakdown,omitempty"`
	APISourceBreakdown map[string]float64 `json:"api_source_breakdown,omitempty"`
	// LineItemQuantities are how much of a line item was used, as far as OpenAI states it; nil unless the bill is grouped by line item. A
	// line item is left out if one of its results has no quantity or another unit.
	LineItemQuantities map[string]Quantity `json:"line_item_quantities,omitempty"`
	// UsageResults are the results of Anthropic's usage report of the day, unchanged; nil if it was not read.
	UsageResults []json.RawMessage `json:"usage_results,omitempty"`
	// RawResults are the results in the response, unchanged. The slice is never nil.
	RawResults []json.RawMessage `json:"raw_results"`
}

// Quantity is how much of a line item was used.
type Quantity struct {
	// Amount is exact, as a plain decimal in units of Unit.
	Amount string `json:"amount"`
	// Unit is the provider's, such as "tokens", "1000_tokens", "duration_seconds", "gibibyte_hours" or "images".
	Unit string `json:"unit"`
}

// MarshalJSON writes an empty breakdown as {} and empty results as [], never null.
func (b CostBucket) MarshalJSON() ([]byte, error) {
	type plain CostBucket
	b.fillBreakdowns()
	if b.RawResults == nil {
		b.RawResults = []json.RawMessage{}
	}
	return json.Marshal(plain(b))
}

// fillBreakdowns replaces nil breakdowns with empty ones.
func (b *CostBucket) fillBreakdowns() {
	for _, breakdown := range []*map[string]float64{&b.LineItemBreakdown, &b.ProjectBreakdown, &b.APIKeyBreakdown, &b.WorkspaceBreakdown} {
		if *breakdown == nil {
			*breakdown = map[string]float64{}
		}
	}
}

// bill is what a provider billed in a window.
type bill[B Bucket] struct {
	buckets []B
	total   decimal.Sum
	// complete is false when the bill could not be read.
	complete bool
	// skipped is the number of results that are not costs.
	skipped int
}

// billQuery is a valid query for a bill.
type billQuery[B Bucket] interface {
	// costs reads the bill: all of it, or nothing and a Failure.
	costs(ctx context.Context, c *Client, operation string) (bill[B], error)
	// checkWhole refuses a window that does not consist of whole buckets.
	checkWhole() error
	// bounds returns where the first bucket may begin and the last one may end, in Unix seconds; an end of 0 is open.
	bounds() (start, end int64)
	// report returns the report of the costs.
	report(costs bill[B], attributedUSD *float64) *ReconciliationReport[B]
}

// fetchBill returns the buckets of a query, whose own error is err.
func fetchBill[B Bucket](ctx context.Context, c *Client, operation string, query billQuery[B], err error) ([]B, error) {
	if err := cmp.Or(c.ready(ctx), err); err != nil {
		return nil, err
	}
	costs, err := query.costs(ctx, c, operation)
	return costs.buckets, err
}

// check returns an error if a bucket begins before start or ends after end, so that the bill has costs from outside a window, and for a
// sum that is not finite. An end of 0 is open.
func (b *bill[B]) check(start, end int64) error {
	if n := len(b.buckets); n > 0 {
		first, _ := b.buckets[0].times()
		_, last := b.buckets[n-1].times()
		if first.Unix() < start || end != 0 && last.Unix() > end {
			return billing.ErrOutsideWindow
		}
	}
	if !finite(b.total.Total().Float64()) {
		return errors.New("the sum of the bill is too large")
	}
	return nil
}

// dayQuery is a valid query for a bill of UTC days.
type dayQuery struct {
	provider models.Provider
	service  Service
	key      Secret // the argument
	// start and end are in Unix seconds; an end of 0 is open.
	start, end int64
	groups     []GroupBy
	timeout    time.Duration // of a page; 0 means DefaultCostTimeout
	// startField and endField are the Go names of the fields, and formatTime formats start or end as the caller gave it.
	startField, endField string
	formatTime           func(int64) string
	// page requests the page at a cursor, "" for the first one.
	page func(ctx context.Context, r request, cursor string) (billing.Page, *Failure)
	// usage requests such a page of the usage report; nil if it is not wanted.
	usage func(ctx context.Context, r request, cursor string) (billing.Page, *Failure)
}

// check validates the window, the page size, the groupings and the timeout.
func (q dayQuery) check(limit, maxLimit int, known ...GroupBy) error {
	const madeOfMilliseconds = "is after the year 5137: it may be in milliseconds"
	switch {
	case q.start <= 0:
		return invalid(q.startField, q.formatTime(q.start), "must be after 1970-01-01T00:00:00Z")
	case q.start >= firstMilliseconds:
		return invalid(q.startField, q.formatTime(q.start), madeOfMilliseconds)
	case q.end >= firstMilliseconds:
		return invalid(q.endField, q.formatTime(q.end), madeOfMilliseconds)
	case q.end < 0:
		return invalid(q.endField, q.formatTime(q.end), "must not be negative")
	case q.end != 0 && q.start >= q.end:
		return invalid(q.startField, q.formatTime(q.start), "must be before "+q.endField)
	case limit < 0 || limit > maxLimit:
		return invalid("Limit", strconv.Itoa(limit), fmt.Sprintf("must be between 1 and %d", maxLimit))
	}
	for i, group := range q.groups {
		switch {
		case !slices.Contains(known, group):
			names := strings.Trim(fmt.Sprint(known), "[]")
			return invalid("GroupBy", string(group), "must be one of "+strings.ReplaceAll(names, " ", ", "))
		case slices.Contains(q.groups[:i], group):
			return invalid("GroupBy", string(group), "is repeated")
		}
	}
	return notNegative("Timeout", q.timeout)
}

func (q dayQuery) costs(ctx context.Context, c *Client, operation string) (bill[CostBucket], error) {
	none := bill[CostBucket]{buckets: []CostBucket{}}
	key, err := c.key(ctx, q.service, q.key)
	r := newRequest(operation, q.service, key, cmp.Or(q.timeout, DefaultCostTimeout))
	if err != nil {
		return none, c.report(ctx, r.missingKey(err))
	}
	days, failure := q.days(ctx, r)
	if failure != nil {
		return none, c.report(ctx, failure)
	}
	if q.usage != nil {
		q.page = q.usage
		usage, failure := q.days(ctx, r)
		if failure != nil {
			err = c.report(ctx, failure)
		}
		days = billing.WithUsage(days, usage)
	}
	costs := billOfDays(days, q.groups)
	if costs.skipped > 0 {
		return costs, c.report(ctx, r.partial(fmt.Errorf("%d results that are not costs and have no amount were skipped", costs.skipped)))
	}
	return costs, err
}

func billOfDays(days []billing.Day, groups []GroupBy) bill[CostBucket] {
	costs := bill[CostBucket]{buckets: make([]CostBucket, len(days)), complete: true}
	for i := range days {
		total := days[i].Total()
		costs.buckets[i] = newCostBucket(&days[i], groups, total.Total().Float64())
		costs.total.Merge(total)
		costs.skipped += days[i].Skipped
	}
	return costs
}

// days reads every page of the window.
func (q dayQuery) days(ctx context.Context, r request) ([]billing.Day, *Failure) {
	days, failure := pages(r, maxCostPages, func(r request, cursor string) ([]billing.Day, string, *Failure) {
		page, failure := q.page(ctx, r, cursor)
		if failure != nil || !page.More {
			return page.Days, "", failure
		}
		if page.Next == "" {
			return nil, "", r.partial(errNoCursor)
		}
		return page.Days, page.Next, nil
	})
	if failure != nil {
		return nil, failure
	}
	if err := billing.Sort(days, q.start, q.end); err != nil {
		return nil, r.undecodable(err)
	}
	return days, nil
}

func newCostBucket(day *billing.Day, groups []GroupBy, total float64) CostBucket {
	b := CostBucket{StartTime: day.Start, EndTime: day.End, TotalUSD: total, Currency: "usd", UsageResults: day.Usage, RawResults: day.Raw}
	for _, group := range groups {
		switch group {
		case GroupByLineItem, GroupByDescription:
			b.LineItemBreakdown = day.Breakdown(func(c *billing.Cost) string { return c.LineItem })
			b.LineItemQuantities = quantitiesOf(day)
		case GroupByProjectID:
			b.ProjectBreakdown = day.Breakdown(func(c *billing.Cost) string { return c.Project })
		case GroupByAPIKeyID:
			b.APIKeyBreakdown = day.Breakdown(func(c *billing.Cost) string { return c.Key })
		case GroupByWorkspaceID:
			b.WorkspaceBreakdown = day.Breakdown(func(c *billing.Cost) string { return c.Workspace })
		case GroupByUserID:
			b.UserBreakdown = day.Breakdown(func(c *billing.Cost) string { return c.User })
		case GroupByAPISource:
			b.APISourceBreakdown = day.Breakdown(func(c *billing.Cost) string { return c.APISource })
		}
	}
	b.fillBreakdowns()
	return b
}

// quantitiesOf returns the quantities of a day by line item, or nil if there are none.
func quantitiesOf(day *billing.Day) map[string]Quantity {
	sums := day.Quantities()
	if len(sums) == 0 {
		return nil
	}
	all := make(map[string]Quantity, len(sums))
	for item, sum := range sums {
		all[item] = Quantity{sum.Amount.String(), sum.Unit}
	}
	return all
}
