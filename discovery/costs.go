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
	"github.com/mesh-gateway/mesh-go/internal/calendar"
	"github.com/mesh-gateway/mesh-go/internal/decimal"
)

// maxCostPages limits the pages of a bill: more than ten years at one day per page.
const maxCostPages = 4000

// firstMilliseconds is the first value taken for milliseconds: in seconds, it's the year
// 5138.
const firstMilliseconds = 100_000_000_000

// GroupBy is a grouping for billed costs.
type GroupBy string

// OpenAI's groupings. GroupByAPIKeyID is documented, but OpenAI has at times rejected it
// with status 400. The same may happen to GroupByUserID next to another grouping.
const (
	GroupByLineItem  GroupBy = "line_item"
	GroupByProjectID GroupBy = "project_id"
	GroupByAPIKeyID  GroupBy = "api_key_id"
	GroupByUserID    GroupBy = "user_id"
	GroupByAPISource GroupBy = "api_source"
)

// Anthropic's groupings.
const (
	GroupByWorkspaceID GroupBy = "workspace_id"
	GroupByDescription GroupBy = "description"
)

// CostBucket is the cost on one UTC day.
type CostBucket struct {
	// StartTime and EndTime (exclusive) are in Unix seconds.
	StartTime int64 `json:"start_time"`
	EndTime   int64 `json:"end_time"`
	// TotalUSD is the exact sum of all results, rounded once. Credits are negative.
	TotalUSD float64 `json:"total_usd"`
	// Currency is always "usd". An amount in another currency makes the whole call fail.
	Currency string `json:"currency"`
	// Breakdowns map a line item's name, or the id of a project, key or workspace, to US
	// dollars. A breakdown that GroupBy didn't request is empty, never nil.
	//
	// The key "" has costs without a line item, project, key, user or API, and
	// Anthropic's default workspace. Anthropic's descriptions are line items.
	LineItemBreakdown  map[string]float64 `json:"line_item_breakdown"`
	ProjectBreakdown   map[string]float64 `json:"project_breakdown"`
	APIKeyBreakdown    map[string]float64 `json:"api_key_breakdown"`
	WorkspaceBreakdown map[string]float64 `json:"workspace_breakdown"`
	// UserBreakdown and APISourceBreakdown are nil unless requested.
	UserBreakdown      map[string]float64 `json:"user_breakdown,omitempty"`
	APISourceBreakdown map[string]float64 `json:"api_source_breakdown,omitempty"`
	// LineItemQuantities are the used quantities per line item, if OpenAI states them. A
	// line item is missing if one of its results has no quantity or a different unit. The
	// map is nil unless the bill is grouped by line item.
	LineItemQuantities map[string]Quantity `json:"line_item_quantities,omitempty"`
	// UsageResults are the unchanged results from Anthropic's usage report for the day,
	// or nil.
	UsageResults []json.RawMessage `json:"usage_results,omitempty"`
	// RawResults are the unchanged results in the response. It's never nil.
	RawResults []json.RawMessage `json:"raw_results"`
}

// Quantity is the used amount of a line item.
type Quantity struct {
	// Amount is an exact plain decimal.
	Amount string `json:"amount"`
	// Unit is the provider's unit, such as "tokens", "1000_tokens", "duration_seconds",
	// "gibibyte_hours" or "images".
	Unit string `json:"unit"`
}

// MarshalJSON encodes empty breakdowns as {} and empty results as [], never null.
func (b CostBucket) MarshalJSON() ([]byte, error) {
	type plain CostBucket
	b.fillBreakdowns()
	if b.RawResults == nil {
		b.RawResults = []json.RawMessage{}
	}
	return json.Marshal(plain(b))
}

func (b *CostBucket) fillBreakdowns() {
	for _, breakdown := range []*map[string]float64{&b.LineItemBreakdown, &b.ProjectBreakdown, &b.APIKeyBreakdown, &b.WorkspaceBreakdown} {
		if *breakdown == nil {
			*breakdown = map[string]float64{}
		}
	}
}

// bill is the billed cost in a window.
type bill[B Bucket] struct {
	buckets []B
	total   decimal.Sum
	// complete is false if the bill couldn't be read.
	complete bool
	// skipped counts results that aren't costs.
	skipped int
	// toFileEnd is true if the last bucket is also a saved bill's last.
	toFileEnd bool
}

// partialDay is documented at [ReconciliationReport].
func (b *bill[B]) partialDay() string {
	if n := len(b.buckets); n > 0 {
		if s := spanOf(b.buckets[n-1]); b.toFileEnd || s.last > calendar.DayNumber(time.Now()) {
			return s.name()
		}
	}
	return ""
}

// billQuery is a valid query for a bill.
type billQuery[B Bucket] interface {
	// costs reads the whole bill, or returns nothing and a Failure.
	costs(ctx context.Context, c *Client, operation string) (bill[B], error)
	// checkWhole rejects a window that doesn't consist of whole buckets.
	checkWhole() error
	// bounds limits the buckets, in Unix seconds. An end of 0 is open.
	bounds() (start, end int64)
	reconcile(costs bill[B], attributedUSD *float64) *ReconciliationReport[B]
}

// fetchBill returns a query's buckets. err is the query's own error.
func fetchBill[B Bucket](ctx context.Context, c *Client, operation string, query billQuery[B], err error) ([]B, error) {
	if err := cmp.Or(c.ready(ctx), err); err != nil {
		return nil, err
	}
	costs, err := query.costs(ctx, c, operation)
	return costs.buckets, err
}

// check rejects buckets outside start to end, and infinite sums. An end of 0 is open.
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

// dayQuery is a valid query for a bill by UTC days.
type dayQuery struct {
	provider models.Provider
	service  Service
	key      Secret // from the caller
	// start and end are in Unix seconds. An end of 0 is open.
	start, end int64
	groups     []GroupBy
	timeout    time.Duration // per page; 0 means DefaultCostTimeout
	// Go names of the fields, and a function that formats a time as the caller gave it.
	startField, endField string
	formatTime           func(int64) string
	// page requests the page at a cursor, which is "" for the first page.
	page func(ctx context.Context, r request, cursor string) (billing.Page, *Failure)
	// usage requests a page of the usage report, or is nil.
	usage func(ctx context.Context, r request, cursor string) (billing.Page, *Failure)
}

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
