package discovery

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/internal/billing"
	"github.com/mesh-gateway/mesh-go/discovery/internal/calendar"
	"github.com/mesh-gateway/mesh-go/discovery/internal/ptr"
	"github.com/mesh-gateway/mesh-go/gen/anthropic"
)

const (
	opAnthropicCosts = "FetchAnthropicCostBuckets"
	// maxAnthropicCostLimit is how many days a page has at most.
	maxAnthropicCostLimit = 31
	// madeOfMilliseconds is the reason for a time such as time.Unix(1777593600000, 0).
	madeOfMilliseconds = "is after the year 5137: it may be made of milliseconds"
)

// AnthropicCostQuery selects costs of an Anthropic organization.
type AnthropicCostQuery struct {
	// Start and End are the window; End is exclusive. Start is required, and a zero End leaves the window open. Costs are per
	// UTC day: every day that overlaps the window is in the result, as a whole.
	Start, End time.Time
	// AdminKey is the admin key. The default is the key of [WithKey], else ANTHROPIC_ADMIN_KEY.
	AdminKey Secret `json:"-" xml:"-"`
	// GroupBy selects the breakdowns of the buckets: [GroupByWorkspaceID], [GroupByDescription] or both. By default there are
	// none.
	GroupBy []GroupBy
	// Quantities also requests the usage report, whose tokens show what a difference to counted calls comes from. It needs
	// [GroupByDescription]. If the report cannot be read there is a [Failure], and the costs have no quantities.
	Quantities bool
	// Limit is the number of days in a page, from 1 to 31. 0 means [DefaultCostLimit]. All pages of the window are read, so
	// Limit changes only the number of requests.
	Limit int
	// Timeout is the time limit of the request for each page. 0 means [DefaultCostTimeout]. The context limits the whole call.
	Timeout time.Duration
}

// FetchAnthropicCostBuckets returns what Anthropic billed the organization, one bucket per UTC day. Its cost report does not include the
// priority service tier. Individual accounts have no admin key. Anthropic supports one request per minute in the long run, and costs
// appear about five minutes after the calls.
//
// The error is a [*ValueError] if the start is missing, before 1970 or not before the end, a time was made from milliseconds, the limit
// is outside 1 to 31, a grouping is unknown, repeated or not Anthropic's, or the timeout is negative.
func (c *Client) FetchAnthropicCostBuckets(ctx context.Context, query AnthropicCostQuery) ([]CostBucket, error) {
	if err := c.ready(ctx); err != nil {
		return nil, err
	}
	days, err := c.anthropicDays(query)
	if err != nil {
		return nil, err
	}
	costs, err := c.dayCosts(ctx, opAnthropicCosts, days)
	return costs.buckets, err
}

// anthropicDays validates the query and returns it as a dayQuery.
func (c *Client) anthropicDays(query AnthropicCostQuery) (days dayQuery, err error) {
	days = dayQuery{
		service: ServiceAnthropicAdmin, key: query.AdminKey, groups: query.GroupBy,
		startField: "Start", endField: "End",
		formatTime: func(t int64) string { return time.Unix(t, 0).UTC().Format(time.RFC3339) },
	}
	if days.start, days.end, err = query.window(); err != nil {
		return days, err
	}
	if err := checkPages(query.Limit, maxAnthropicCostLimit, query.GroupBy, GroupByWorkspaceID, GroupByDescription); err != nil {
		return days, err
	}
	if query.Quantities && !slices.Contains(query.GroupBy, GroupByDescription) {
		return days, invalid("Quantities", "true", "needs GroupByDescription")
	}
	params := query.params(days.start, days.end)
	days.page = func(ctx context.Context, r request, cursor string) (billing.Page, *Failure) {
		params.Page = ptr.Of(cursor)
		page, failure := fetch[billing.AnthropicPage](ctx, c, r, func(ctx context.Context) (*http.Response, error) {
			return c.apis.anthropicAdmin.ListCosts(ctx, &params, header("x-api-key", r.key.Reveal()))
		})
		if failure == nil && page.Usage {
			return billing.Page{}, r.undecodable(errUsagePage)
		}
		return page.Page, failure
	}
	if query.Quantities {
		days.usage = c.anthropicUsage(params)
	}
	days.timeout, err = timeoutOr(query.Timeout, DefaultCostTimeout)
	return days, err
}

var errUsagePage = errors.New("the response is a usage report, and not costs")

// anthropicUsage requests the pages of the usage report for the window of a cost report.
func (c *Client) anthropicUsage(costs anthropic.ListCostsParams) func(context.Context, request, string) (billing.Page, *Failure) {
	day := anthropic.ListUsageParamsBucketWidthN1D
	params := anthropic.ListUsageParams{
		StartingAt: costs.StartingAt, EndingAt: costs.EndingAt, BucketWidth: &day, Limit: costs.Limit, AnthropicVersion: anthropic.ListUsageParamsAnthropicVersionN20230601,
		GroupBy: []anthropic.ListUsageParamsGroupBy{"model", "service_tier", "context_window", "inference_geo"},
	}
	return func(ctx context.Context, r request, cursor string) (billing.Page, *Failure) {
		params.Page = ptr.Of(cursor)
		page, failure := fetch[billing.AnthropicPage](ctx, c, r, func(ctx context.Context) (*http.Response, error) {
			return c.apis.anthropicAdmin.ListUsage(ctx, &params, header("x-api-key", r.key.Reveal()))
		})
		return page.Page, failure
	}
}

// window validates the window and returns it in Unix seconds, the end rounded up. An end of 0 is open.
func (q AnthropicCostQuery) window() (start, end int64, err error) {
	open := q.End.IsZero()
	switch {
	case q.Start.IsZero():
		return 0, 0, invalid("Start", "", "is required")
	case !open && !q.Start.Before(q.End):
		return 0, 0, invalid("Start", q.Start.Format(time.RFC3339), "must be before End")
	case q.Start.Unix() < 0:
		return 0, 0, invalid("Start", q.Start.Format(time.RFC3339), "must be in 1970 or later")
	case q.Start.Unix() >= firstMilliseconds:
		return 0, 0, invalid("Start", q.Start.Format(time.RFC3339), madeOfMilliseconds)
	case !open && q.End.Unix() >= firstMilliseconds:
		return 0, 0, invalid("End", q.End.Format(time.RFC3339), madeOfMilliseconds)
	case open:
		return q.Start.Unix(), 0, nil
	}
	end = q.End.Unix()
	if q.End.Nanosecond() > 0 {
		end++
	}
	return q.Start.Unix(), end, nil
}

// params returns the query of the first page. The window is sent in whole days, since Anthropic omits a day that ends after
// ending_at. Width and limit are always sent, since the provider's defaults may change.
func (q AnthropicCostQuery) params(start, end int64) anthropic.ListCostsParams {
	day, limit := anthropic.ListCostsParamsBucketWidthN1D, int64(cmp.Or(q.Limit, DefaultCostLimit))
	params := anthropic.ListCostsParams{
		StartingAt: time.Unix(start-start%calendar.SecondsPerDay, 0).UTC(), BucketWidth: &day, Limit: &limit,
		AnthropicVersion: anthropic.ListCostsParamsAnthropicVersionN20230601,
	}
	if end != 0 {
		midnight := end + (calendar.SecondsPerDay-end%calendar.SecondsPerDay)%calendar.SecondsPerDay
		at := time.Unix(midnight, 0).UTC()
		params.EndingAt = &at
	}
	for _, group := range q.GroupBy {
		params.GroupBy = append(params.GroupBy, anthropic.ListCostsParamsGroupBy(group))
	}
	return params
}
