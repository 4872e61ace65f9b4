package discovery

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/internal/billing"
)

// dayQuery is a valid query for a bill of UTC days.
type dayQuery struct {
	service Service
	key     string // the argument
	// start and end are in Unix seconds; an end of 0 is open.
	start, end int64
	groups     []GroupBy
	timeout    time.Duration // of a page
	// formatTime formats start or end as the caller gave it.
	formatTime func(int64) string
	// page requests the page at a cursor, "" for the first one.
	page func(ctx context.Context, r request, cursor string) (billing.Page, *Failure)
}

// checkPages validates what all queries for days have.
func checkPages(limit, maxLimit int, groups []GroupBy, known ...GroupBy) error {
	if limit < 0 || limit > maxLimit {
		return &ValueError{Field: "limit", Value: strconv.Itoa(limit), Reason: fmt.Sprintf("must be between 1 and %d", maxLimit)}
	}
	for i, group := range groups {
		switch {
		case !slices.Contains(known, group):
			names := strings.Trim(fmt.Sprint(known), "[]")
			return &ValueError{Field: "group by", Value: showable(string(group)), Reason: "must be one of " + strings.ReplaceAll(names, " ", ", ")}
		case slices.Contains(groups[:i], group):
			return &ValueError{Field: "group by", Value: string(group), Reason: "is repeated"}
		}
	}
	return nil
}

// dayCosts reads the bill: all of it, or nothing and a Failure.
func (c *Client) dayCosts(ctx context.Context, operation string, query dayQuery) (bill[CostBucket], error) {
	none := bill[CostBucket]{buckets: []CostBucket{}}
	key, err := c.key(ctx, query.service, query.key)
	r := newRequest(operation, query.service, key, query.timeout)
	if err != nil {
		return none, c.report(ctx, r.missingKey(err))
	}
	days, failure := query.days(ctx, r)
	if failure != nil {
		return none, c.report(ctx, failure)
	}
	costs := bill[CostBucket]{buckets: make([]CostBucket, len(days)), complete: true}
	skipped := 0
	for i := range days {
		total := days[i].Total()
		costs.buckets[i] = newCostBucket(&days[i], query.groups, total.Float64())
		costs.total.Merge(total)
		skipped += days[i].Skipped
	}
	if skipped > 0 {
		return costs, c.report(ctx, r.partial(fmt.Errorf("%d results that are not costs and have no amount were skipped", skipped)))
	}
	return costs, nil
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
	b := CostBucket{StartTime: day.Start, EndTime: day.End, TotalUSD: total, Currency: "usd", RawResults: day.Raw}
	for _, group := range groups {
		switch group {
		case GroupByLineItem, GroupByDescription:
			b.LineItemBreakdown = day.Breakdown(func(c *billing.Cost) string { return c.LineItem })
		case GroupByProjectID:
			b.ProjectBreakdown = day.Breakdown(func(c *billing.Cost) string { return c.Project })
		case GroupByAPIKeyID:
			b.APIKeyBreakdown = day.Breakdown(func(c *billing.Cost) string { return c.Key })
		case GroupByWorkspaceID:
			b.WorkspaceBreakdown = day.Breakdown(func(c *billing.Cost) string { return c.Workspace })
		}
	}
	b.fillBreakdowns()
	return b
}
