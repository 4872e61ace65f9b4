package discovery

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/internal/decimal"
	"github.com/mesh-gateway/mesh-go/gen/openai"
)

// DefaultCostLimit is how many days a page of OpenAI's costs has.
const DefaultCostLimit = 7

const maxCostLimit = 180

const opOpenAICosts = "FetchOpenAICostBuckets"

// OpenAICostQuery selects costs of an OpenAI organization.
type OpenAICostQuery struct {
	// StartTime is the start of the window in Unix seconds, inclusive. It is required, and is sent as it is.
	StartTime int64
	// EndTime is the end of the window in Unix seconds, exclusive. 0 leaves the window open.
	EndTime int64
	// AdminKey is the admin key. "" means OPENAI_ADMIN_KEY.
	AdminKey string `json:"-" xml:"-"`
	// GroupBy selects the breakdowns of the buckets. There are none by default.
	GroupBy []GroupBy
	// Limit is the number of days a page has, from 1 to 180. 0 means [DefaultCostLimit]. All pages of the window are read, so
	// Limit changes only the number of requests.
	Limit int
	// Timeout bounds the request of each page. 0 means [DefaultCostTimeout]. The context bounds the call.
	Timeout time.Duration
}

// Format prints the query without the key.
func (q OpenAICostQuery) Format(f fmt.State, verb rune) {
	type plain OpenAICostQuery
	q.AdminKey = hidden(q.AdminKey)
	_, _ = fmt.Fprintf(f, fmt.FormatString(f, verb), plain(q))
}

// FetchOpenAICostBuckets returns what OpenAI billed the organization, one bucket a day, oldest first. A day without costs is
// a bucket with a total of 0.
//
// The admin key is query.AdminKey, else OPENAI_ADMIN_KEY. An admin key can create and delete keys and manage the whole
// organization. It is read at each call, sent in a header, and never stored, logged or written to disk. Fetch costs in a job
// of their own, not in a loop and not while a user waits.
//
// The result is the whole window or nothing. It is empty, with a nil error and one [Failure], when there is no key, when a
// page fails or points back to an earlier one, when days overlap or lie outside the window, or when an amount cannot be read
// or is not in US dollars. Results of another kind that have no amount, such as usage rows, are skipped; a Failure of
// [ReasonPartial] counts them.
//
// A [*ValueError] reports a start that is missing, in milliseconds, or not before the end, a limit outside 1 to 180, an
// unknown or repeated grouping, or a negative timeout. Nothing is sent then.
func (c *Client) FetchOpenAICostBuckets(ctx context.Context, query OpenAICostQuery) ([]CostBucket, error) {
	if err := c.ready(ctx); err != nil {
		return nil, err
	}
	costs, err := c.openAICosts(ctx, opOpenAICosts, query)
	return costs.buckets, err
}

func (c *Client) openAICosts(ctx context.Context, operation string, query OpenAICostQuery) (bill[CostBucket], error) {
	timeout, err := query.check()
	if err != nil {
		return bill[CostBucket]{}, err
	}
	none := bill[CostBucket]{buckets: []CostBucket{}}
	key, err := c.key(ctx, ServiceOpenAIAdmin, query.AdminKey)
	r := newRequest(operation, ServiceOpenAIAdmin, key, timeout)
	if err != nil {
		return none, c.report(ctx, r.missingKey(err))
	}
	days, failure := c.openAICostDays(ctx, r, query)
	if failure != nil {
		return none, c.report(ctx, failure)
	}
	costs := bill[CostBucket]{buckets: make([]CostBucket, len(days)), complete: true}
	skipped := 0
	for i := range days {
		total := days[i].total()
		costs.buckets[i] = days[i].bucket(query.GroupBy, total.Float64())
		costs.total.Merge(total)
		skipped += days[i].skipped
	}
	if skipped > 0 {
		return costs, c.report(ctx, r.partial(fmt.Errorf("%d results that are not costs and have no amount were skipped", skipped)))
	}
	return costs, nil
}

// check validates the query and returns the timeout of a request.
func (q OpenAICostQuery) check() (time.Duration, error) {
	if err := checkUnixWindow(q.StartTime, q.EndTime); err != nil {
		return 0, err
	}
	if q.Limit < 0 || q.Limit > maxCostLimit {
		return 0, &ValueError{Field: "limit", Value: strconv.Itoa(q.Limit), Reason: "must be between 1 and 180"}
	}
	for i, group := range q.GroupBy {
		switch {
		case !slices.Contains([]GroupBy{GroupByLineItem, GroupByProjectID, GroupByAPIKeyID}, group):
			return 0, &ValueError{Field: "group by", Value: showable(string(group)), Reason: "must be line_item, project_id or api_key_id"}
		case slices.Contains(q.GroupBy[:i], group):
			return 0, &ValueError{Field: "group by", Value: string(group), Reason: "is repeated"}
		}
	}
	return timeoutOr(q.Timeout, DefaultCostTimeout)
}

// firstMilliseconds is the first value that is taken for a time in milliseconds: as seconds it is in the year 5138.
const firstMilliseconds = 100_000_000_000

func checkUnixWindow(start, end int64) error {
	switch {
	case start <= 0:
		return &ValueError{Field: "start time", Value: strconv.FormatInt(start, 10), Reason: "must be positive, in Unix seconds"}
	case start >= firstMilliseconds:
		return &ValueError{Field: "start time", Value: strconv.FormatInt(start, 10), Reason: "is in milliseconds; it must be in Unix seconds"}
	case end >= firstMilliseconds:
		return &ValueError{Field: "end time", Value: strconv.FormatInt(end, 10), Reason: "is in milliseconds; it must be in Unix seconds"}
	case end < 0:
		return &ValueError{Field: "end time", Value: strconv.FormatInt(end, 10), Reason: "is negative"}
	case end != 0 && start >= end:
		return &ValueError{Field: "start time", Value: strconv.FormatInt(start, 10), Reason: "must be before the end time"}
	}
	return nil
}

// openAICostDays reads every page of the window.
func (c *Client) openAICostDays(ctx context.Context, r request, query OpenAICostQuery) ([]openAICostDay, *Failure) {
	params := query.params()
	days, failure := pages(r, maxCostPages, func(cursor string) ([]openAICostDay, string, *Failure) {
		page, failure := fetch[openAICostPage](ctx, c, r, func(ctx context.Context) (*http.Response, error) {
			return c.apis.openaiAdmin.ListCosts(ctx, params, bearer(r.key), withPage(cursor))
		})
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
	slices.SortStableFunc(days, func(a, b openAICostDay) int { return cmp.Compare(a.start, b.start) })
	if err := checkDays(days, query); err != nil {
		return nil, r.undecodable(err)
	}
	return days, nil
}

// params returns the query of every page. Width and limit are always sent, since the provider's defaults may change.
func (q OpenAICostQuery) params() *openai.ListCostsParams {
	day, limit := openai.ListCostsParamsBucketWidthN1D, int64(cmp.Or(q.Limit, DefaultCostLimit))
	params := &openai.ListCostsParams{StartTime: q.StartTime, EndTime: nonZero(&q.EndTime), BucketWidth: &day, Limit: &limit}
	for _, group := range q.GroupBy {
		params.GroupBy = append(params.GroupBy, openai.ListCostsParamsGroupBy(group))
	}
	return params
}

// withPage adds the cursor of a page to the URL. The cursor is escaped except for "=", which OpenAI was reported to refuse as
// %3D, and "/", which needs no escape.
func withPage(cursor string) openai.RequestEditorFn {
	return func(_ context.Context, req *http.Request) error {
		if cursor != "" {
			req.URL.RawQuery += "&page=" + strings.NewReplacer("%3D", "=", "%2F", "/").Replace(url.QueryEscape(cursor))
		}
		return nil
	}
}

// checkDays refuses sorted days that overlap, and a day wholly outside the window.
func checkDays(days []openAICostDay, query OpenAICostQuery) error {
	for i, day := range days {
		switch {
		case day.end <= day.start, i > 0 && day.start < days[i-1].end:
			return errOverlap
		case day.end <= query.StartTime, query.EndTime != 0 && day.start >= query.EndTime:
			return errOutsideWindow
		}
	}
	return nil
}

// openAICostPage is a decoded page.
type openAICostPage struct {
	days []openAICostDay
	more bool
	next string
}

// openAICostDay is a decoded bucket.
type openAICostDay struct {
	start, end int64
	results    []openAICostResult
	raw        []json.RawMessage
	skipped    int // results that are not costs
}

type openAICostResult struct {
	amount                 decimal.Amount
	lineItem, project, key string
}

// UnmarshalJSON decodes a page. A result that cannot be added up is an error.
func (p *openAICostPage) UnmarshalJSON(body []byte) error {
	var page openai.CostPage
	if err := page.UnmarshalJSON(body); err != nil {
		return err
	}
	p.more, p.next = page.HasMore, deref(page.NextPage)
	p.days = make([]openAICostDay, len(page.Data))
	for i, bucket := range page.Data {
		day := openAICostDay{start: bucket.StartTime, end: bucket.EndTime, raw: bucket.Results, results: make([]openAICostResult, 0, len(bucket.Results))}
		for j, raw := range bucket.Results {
			var result openAICostResult
			switch err := result.read(raw); {
			case errors.Is(err, errNotACost):
				day.skipped++
			case err != nil:
				return fmt.Errorf("data[%d].results[%d]: %w", i, j, err)
			default:
				day.results = append(day.results, result)
			}
		}
		p.days[i] = day
	}
	return nil
}

var errNotACost = errors.New("the result is not a cost")

// read decodes a result. A cost without an amount is unreadable, not free.
func (r *openAICostResult) read(raw json.RawMessage) error {
	var result openai.CostResult
	if err := result.UnmarshalJSON(raw); err != nil {
		if isOtherResult(raw) {
			return errNotACost
		}
		return err
	}
	if !strings.EqualFold(result.Amount.Currency, "usd") {
		return errNotUSD
	}
	r.lineItem, r.project, r.key = result.LineItem, result.ProjectID, result.APIKeyID
	return r.amount.Read(result.Amount.Value)
}

// isOtherResult reports whether a result names a kind other than a cost and has no amount.
func isOtherResult(raw json.RawMessage) bool {
	var result struct {
		Object string          `json:"object"`
		Amount json.RawMessage `json:"amount"`
	}
	err := json.Unmarshal(raw, &result)
	return err == nil && result.Object != "" && result.Object != "organization.costs.result" && (result.Amount == nil || string(result.Amount) == "null")
}

// total returns the exact sum of a day.
func (d *openAICostDay) total() *decimal.Sum {
	total := new(decimal.Sum)
	for i := range d.results {
		total.Add(&d.results[i].amount)
	}
	return total
}

func (d *openAICostDay) bucket(groups []GroupBy, total float64) CostBucket {
	b := CostBucket{
		StartTime: d.start, EndTime: d.end, TotalUSD: total, Currency: "usd", RawResults: d.raw,
		LineItemBreakdown: map[string]float64{}, ProjectBreakdown: map[string]float64{}, APIKeyBreakdown: map[string]float64{},
	}
	for _, group := range groups {
		switch group {
		case GroupByLineItem:
			b.LineItemBreakdown = d.breakdown(func(r *openAICostResult) string { return r.lineItem })
		case GroupByProjectID:
			b.ProjectBreakdown = d.breakdown(func(r *openAICostResult) string { return r.project })
		case GroupByAPIKeyID:
			b.APIKeyBreakdown = d.breakdown(func(r *openAICostResult) string { return r.key })
		}
	}
	return b
}

// breakdown sums a day by one of its groupings.
func (d *openAICostDay) breakdown(group func(*openAICostResult) string) map[string]float64 {
	sums := make(map[string]*decimal.Sum)
	for i := range d.results {
		key := group(&d.results[i])
		if sums[key] == nil {
			sums[key] = new(decimal.Sum)
		}
		sums[key].Add(&d.results[i].amount)
	}
	totals := make(map[string]float64, len(sums))
	for key, sum := range sums {
		totals[key] = sum.Float64()
	}
	return totals
}
