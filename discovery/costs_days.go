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

	"github.com/mesh-gateway/mesh-go/discovery/internal/decimal"
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
	page func(ctx context.Context, r request, cursor string) (costPage, *Failure)
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
		total := days[i].total()
		costs.buckets[i] = days[i].bucket(query.groups, total.Float64())
		costs.total.Merge(total)
		skipped += days[i].skipped
	}
	if skipped > 0 {
		return costs, c.report(ctx, r.partial(fmt.Errorf("%d results that are not costs and have no amount were skipped", skipped)))
	}
	return costs, nil
}

// days reads every page of the window.
func (q dayQuery) days(ctx context.Context, r request) ([]costDay, *Failure) {
	days, failure := pages(r, maxCostPages, func(r request, cursor string) ([]costDay, string, *Failure) {
		page, failure := q.page(ctx, r, cursor)
		if failure != nil || !page.more {
			return page.days, "", failure
		}
		if page.next == "" {
			return nil, "", r.partial(errNoCursor)
		}
		return page.days, page.next, nil
	})
	if failure != nil {
		return nil, failure
	}
	slices.SortStableFunc(days, func(a, b costDay) int { return cmp.Compare(a.start, b.start) })
	if err := q.checkDays(days); err != nil {
		return nil, r.undecodable(err)
	}
	return days, nil
}

// checkDays refuses sorted days that overlap, and a day wholly outside the window.
func (q dayQuery) checkDays(days []costDay) error {
	for i, day := range days {
		switch {
		case day.end <= day.start, i > 0 && day.start < days[i-1].end:
			return errOverlap
		case day.end <= q.start, q.end != 0 && day.start >= q.end:
			return errOutsideWindow
		}
	}
	return nil
}

// costPage is a decoded page.
type costPage struct {
	days []costDay
	more bool
	next string
}

// costDay is a decoded bucket.
type costDay struct {
	start, end int64
	results    []costResult
	raw        []json.RawMessage
	skipped    int // results that are not costs
}

// costResult is a decoded cost. A provider fills only its own groupings.
type costResult struct {
	amount                            decimal.Amount
	lineItem, project, key, workspace string
}

var errNotACost = errors.New("the result is not a cost")

// read decodes the raw results with one, which returns errNotACost for a result to skip.
func (d *costDay) read(one func(json.RawMessage, *costResult) error) error {
	d.results = make([]costResult, 0, len(d.raw))
	for i, raw := range d.raw {
		d.results = append(d.results, costResult{})
		last := len(d.results) - 1
		switch err := one(raw, &d.results[last]); {
		case errors.Is(err, errNotACost):
			d.results = d.results[:last]
			d.skipped++
		case err != nil:
			return fmt.Errorf("results[%d]: %w", i, err)
		}
	}
	return nil
}

// total returns the exact sum of a day.
func (d *costDay) total() *decimal.Sum {
	total := new(decimal.Sum)
	for i := range d.results {
		total.Add(&d.results[i].amount)
	}
	return total
}

func (d *costDay) bucket(groups []GroupBy, total float64) CostBucket {
	b := CostBucket{StartTime: d.start, EndTime: d.end, TotalUSD: total, Currency: "usd", RawResults: d.raw}
	for _, group := range groups {
		switch group {
		case GroupByLineItem, GroupByDescription:
			b.LineItemBreakdown = d.breakdown(func(r *costResult) string { return r.lineItem })
		case GroupByProjectID:
			b.ProjectBreakdown = d.breakdown(func(r *costResult) string { return r.project })
		case GroupByAPIKeyID:
			b.APIKeyBreakdown = d.breakdown(func(r *costResult) string { return r.key })
		case GroupByWorkspaceID:
			b.WorkspaceBreakdown = d.breakdown(func(r *costResult) string { return r.workspace })
		}
	}
	b.fillBreakdowns()
	return b
}

// breakdown sums a day by one of its groupings. Sorting takes less than a map of sums.
func (d *costDay) breakdown(group func(*costResult) string) map[string]float64 {
	sorted := make([]*costResult, len(d.results))
	for i := range d.results {
		sorted[i] = &d.results[i]
	}
	slices.SortFunc(sorted, func(a, b *costResult) int { return strings.Compare(group(a), group(b)) })
	totals := make(map[string]float64, len(sorted))
	for end := 0; end < len(sorted); {
		var sum decimal.Sum
		key := group(sorted[end])
		for ; end < len(sorted) && group(sorted[end]) == key; end++ {
			sum.Add(&sorted[end].amount)
		}
		totals[key] = sum.Float64()
	}
	return totals
}
