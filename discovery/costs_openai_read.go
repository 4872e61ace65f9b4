package discovery

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"github.com/mesh-gateway/mesh-go/discovery/internal/decimal"
	"net/http"
	"slices"
	"strings"

	"github.com/mesh-gateway/mesh-go/gen/openai"
)

// maxCostPages bounds how many pages are read: more than ten years, a day a page.
const maxCostPages = 4000

// What can be wrong with costs beyond their JSON. None of these texts holds any part of an answer.
var (
	errNotUSD  = errors.New("the amount is not in US dollars")
	errOverlap = errors.New("two days overlap, or one ends before it begins")
	errCursor  = errors.New("the cursor of the next page cannot stand in a URL")
)

// costDays reads every page of the window, and gives nothing when one of them cannot be had.
func (c *Client) costDays(ctx context.Context, r request, query OpenAICostQuery) ([]costDay, *Failure) {
	params := query.params()
	days, failure := pages(r, maxCostPages, func(cursor string) ([]costDay, string, *Failure) {
		page, failure := fetch[costPage](ctx, c, r, func(ctx context.Context) (*http.Response, error) {
			return c.apis.openaiAdmin.ListCosts(ctx, params, bearer(r.key), atPage(cursor))
		})
		if failure != nil || !page.more {
			return page.days, "", failure
		}
		return page.days, page.next, page.checkCursor(r)
	})
	if failure != nil {
		return nil, failure
	}
	return inOrder(r, days)
}

// params is the query of every page. Limit and width are always said: a default of the other side may change.
func (q OpenAICostQuery) params() *openai.ListCostsParams {
	day, limit := openai.ListCostsParamsBucketWidthN1D, int64(cmp.Or(q.Limit, DefaultCostLimit))
	params := &openai.ListCostsParams{StartTime: q.StartTime, EndTime: nonZero(&q.EndTime), BucketWidth: &day, Limit: &limit}
	for _, group := range q.GroupBy {
		params.GroupBy = append(params.GroupBy, openai.ListCostsParamsGroupBy(group))
	}
	return params
}

// atPage puts a cursor into the URL exactly as it came. url.Values would write = as %3D, which a live server was reported
// to refuse (WIRE.md section 0, Go's own traps).
func atPage(cursor string) openai.RequestEditorFn {
	return func(_ context.Context, req *http.Request) error {
		if cursor != "" {
			req.URL.RawQuery += "&page=" + cursor
		}
		return nil
	}
}

// checkCursor returns a Failure when the cursor of the next page is missing or cannot be part of a URL.
func (p costPage) checkCursor(r request) *Failure {
	switch {
	case p.next == "":
		return r.partial(errNoCursor)
	case strings.ContainsFunc(p.next, func(c rune) bool { return c <= ' ' || c > '~' || c == '&' || c == '#' }):
		return r.undecodable(errCursor)
	}
	return nil
}

// inOrder puts days in the order of time.
func inOrder(r request, days []costDay) ([]costDay, *Failure) {
	slices.SortStableFunc(days, func(a, b costDay) int { return cmp.Compare(a.start, b.start) })
	for i, day := range days {
		if day.end <= day.start || (i > 0 && day.start < days[i-1].end) {
			return nil, r.undecodable(errOverlap)
		}
	}
	return days, nil
}

// costPage is a page that can be added up.
type costPage struct {
	days []costDay
	more bool
	next string
}

// costDay is a bucket as it came.
type costDay struct {
	start, end int64
	results    []costResult
	raw        []json.RawMessage
}

type costResult struct {
	amount                 decimal.Amount
	lineItem, project, key string
}

// UnmarshalJSON reads a page, and fails where there is anything in it that cannot be added up.
func (p *costPage) UnmarshalJSON(body []byte) error {
	var page openai.CostPage
	if err := page.UnmarshalJSON(body); err != nil {
		return err
	}
	p.more, p.next = page.HasMore, deref(page.NextPage)
	p.days = make([]costDay, len(page.Data))
	for i, bucket := range page.Data {
		day := costDay{start: bucket.StartTime, end: bucket.EndTime, raw: bucket.Results, results: make([]costResult, len(bucket.Results))}
		for j, raw := range bucket.Results {
			if err := day.results[j].read(raw); err != nil {
				return fmt.Errorf("data[%d].results[%d]: %w", i, j, err)
			}
		}
		p.days[i] = day
	}
	return nil
}

// read reads a result. One without an amount is unreadable, not free.
func (r *costResult) read(raw json.RawMessage) error {
	var result openai.CostResult
	if err := result.UnmarshalJSON(raw); err != nil {
		return err
	}
	if !strings.EqualFold(result.Amount.Currency, "usd") {
		return errNotUSD
	}
	r.lineItem, r.project, r.key = result.LineItem, result.ProjectID, result.APIKeyID
	return r.amount.Parse(result.Amount.Value)
}
