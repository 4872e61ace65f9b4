package discovery

import (
	"context"
	"encoding/json"
	"fmt"
	"github.com/mesh-gateway/mesh-go/discovery/internal/decimal"
	"slices"
	"strconv"
	"time"
)

// What holds for cost queries when nothing else is said (SPEC.md, Limits).
const (
	// DefaultCostTimeout bounds one request for costs.
	DefaultCostTimeout = 15 * time.Second
	// DefaultCostLimit is how many days a page of OpenAI's costs has.
	DefaultCostLimit = 7

	mostCostLimit = 180
)

const opOpenAICosts = "FetchOpenAICostBuckets"

// GroupBy is what OpenAI's costs are told apart by (SPEC.md, fetch provider A cost buckets).
type GroupBy string

// The groupings. OpenAI has refused [GroupByAPIKeyID] with 400 at times, although it documents it (WIRE.md section 2).
const (
	GroupByLineItem  GroupBy = "line_item"
	GroupByProjectID GroupBy = "project_id"
	GroupByAPIKeyID  GroupBy = "api_key_id"
)

// OpenAICostQuery says which costs of an OpenAI organization are meant.
type OpenAICostQuery struct {
	// StartTime is the begin of the window in Unix seconds, inclusive; required. It is sent as it is given, whether a day
	// begins then or not.
	StartTime int64
	// EndTime is the end of the window in Unix seconds, exclusive; 0 leaves it open.
	EndTime int64
	// AdminKey is the key; "" means OPENAI_ADMIN_KEY.
	AdminKey string `json:"-" xml:"-"`
	// GroupBy fills the breakdowns of the buckets; none by default.
	GroupBy []GroupBy
	// Limit is how many days a page has, from 1 to 180; 0 means [DefaultCostLimit]. Every page of the window is read in any
	// case, so it decides how many requests are sent and nothing else.
	Limit int
	// Timeout bounds each request, and there is one for each page; 0 means [DefaultCostTimeout]. The context bounds them all.
	Timeout time.Duration
}

// Format prints the query without the key.
func (q OpenAICostQuery) Format(f fmt.State, verb rune) {
	type plain OpenAICostQuery
	q.AdminKey = hidden(q.AdminKey)
	_, _ = fmt.Fprintf(f, fmt.FormatString(f, verb), plain(q))
}

// CostBucket is what OpenAI billed for one day, UTC (SPEC.md, CostBucket).
type CostBucket struct {
	// StartTime and EndTime are in Unix seconds; the end is exclusive.
	StartTime int64 `json:"start_time"`
	EndTime   int64 `json:"end_time"`
	// TotalUSD is the exact sum of all results, rounded once to a float64. Credits are negative.
	TotalUSD float64 `json:"total_usd"`
	// Currency is always "usd": an amount in any other is a failed call.
	Currency string `json:"currency"`
	// The breakdowns are US dollars by the name of the line item and the ids of project and key, each empty unless asked for
	// with GroupBy, never nil. What OpenAI puts down to no item, project or key is under "".
	LineItemBreakdown map[string]float64 `json:"line_item_breakdown"`
	ProjectBreakdown  map[string]float64 `json:"project_breakdown"`
	APIKeyBreakdown   map[string]float64 `json:"api_key_breakdown"`
	// RawResults are the results as they came, never nil.
	RawResults []json.RawMessage `json:"raw_results"`
}

// FetchOpenAICostBuckets asks what OpenAI billed the organization, day by day, oldest first (SPEC.md, fetch provider A cost
// buckets; GET /v1/organization/costs, WIRE.md section 2). A day without costs is a bucket of 0, if OpenAI lists it.
//
// The admin key is query.AdminKey, else OPENAI_ADMIN_KEY. Such a key can mint and delete keys and manage the whole
// organization: it is read at each call, sent in a header, and never stored, logged or written to disk. Ask for costs in a job of
// their own, not in a hot loop and not while somebody waits for a chat.
//
// It is the whole window or nothing. The list is empty, with a nil error and one [Failure], when there is no key, when any page
// fails or leads back to one before, when days overlap, or when an amount cannot be read or is not in US dollars. A start that
// is missing or not before the end, a limit outside of 1 to 180, a grouping that is unknown or given twice, and a negative
// timeout are a [*ValueError]; nothing is sent then. It is safe for concurrent use.
func (c *Client) FetchOpenAICostBuckets(ctx context.Context, query OpenAICostQuery) ([]CostBucket, error) {
	costs, err := c.openAICosts(ctx, opOpenAICosts, query)
	return costs.buckets, err
}

// billed is what a provider said it billed.
type billed[B any] struct {
	buckets []B
	total   decimal.Amount
	// complete is false when the request failed.
	complete bool
}

func (c *Client) openAICosts(ctx context.Context, operation string, query OpenAICostQuery) (billed[CostBucket], error) {
	timeout, err := query.check()
	if err != nil {
		return billed[CostBucket]{}, err
	}
	none := billed[CostBucket]{buckets: []CostBucket{}}
	key, err := c.key(ctx, ServiceOpenAIAdmin, query.AdminKey)
	r := newRequest(operation, ServiceOpenAIAdmin, key, timeout)
	if err != nil {
		return none, c.report(ctx, r.missingKey(err))
	}
	days, failure := c.costDays(ctx, r, query)
	if failure != nil {
		return none, c.report(ctx, failure)
	}
	costs := billed[CostBucket]{buckets: make([]CostBucket, len(days)), complete: true}
	for i, day := range days {
		total := day.total()
		costs.buckets[i] = day.bucket(query.GroupBy, total)
		costs.total.Add(total)
	}
	return costs, nil
}

// check refuses what cannot be asked, and returns the timeout of a request.
func (q OpenAICostQuery) check() (time.Duration, error) {
	switch {
	case q.StartTime <= 0:
		return 0, &ValueError{Field: "start time", Value: strconv.FormatInt(q.StartTime, 10), Reason: "has to be positive, in Unix seconds"}
	case q.EndTime < 0:
		return 0, &ValueError{Field: "end time", Value: strconv.FormatInt(q.EndTime, 10), Reason: "is negative"}
	case q.EndTime != 0 && q.StartTime >= q.EndTime:
		return 0, &ValueError{Field: "start time", Value: strconv.FormatInt(q.StartTime, 10), Reason: "is not before the end time"}
	case q.Limit < 0 || q.Limit > mostCostLimit:
		return 0, &ValueError{Field: "limit", Value: strconv.Itoa(q.Limit), Reason: "is not between 1 and 180"}
	}
	for i, group := range q.GroupBy {
		switch {
		case !slices.Contains([]GroupBy{GroupByLineItem, GroupByProjectID, GroupByAPIKeyID}, group):
			return 0, &ValueError{Field: "group by", Value: showable(string(group)), Reason: "is not one of line_item, project_id, api_key_id"}
		case slices.Contains(q.GroupBy[:i], group):
			return 0, &ValueError{Field: "group by", Value: string(group), Reason: "is given twice"}
		}
	}
	return timeoutOr(q.Timeout, DefaultCostTimeout)
}

// total is the exact sum of a day.
func (d costDay) total() *decimal.Amount {
	total := new(decimal.Amount)
	for i := range d.results {
		total.Add(&d.results[i].amount)
	}
	return total
}

func (d costDay) bucket(groups []GroupBy, total *decimal.Amount) CostBucket {
	b := CostBucket{
		StartTime: d.start, EndTime: d.end, TotalUSD: total.Float64(), Currency: "usd", RawResults: d.raw,
		LineItemBreakdown: map[string]float64{}, ProjectBreakdown: map[string]float64{}, APIKeyBreakdown: map[string]float64{},
	}
	for _, group := range groups {
		switch group {
		case GroupByLineItem:
			b.LineItemBreakdown = d.breakdown(func(r *costResult) string { return r.lineItem })
		case GroupByProjectID:
			b.ProjectBreakdown = d.breakdown(func(r *costResult) string { return r.project })
		case GroupByAPIKeyID:
			b.APIKeyBreakdown = d.breakdown(func(r *costResult) string { return r.key })
		}
	}
	return b
}

// breakdown adds a day up by one of its groupings.
func (d costDay) breakdown(name func(*costResult) string) map[string]float64 {
	sums := make(map[string]*decimal.Amount)
	for i := range d.results {
		key := name(&d.results[i])
		sum := sums[key]
		if sum == nil {
			sum = new(decimal.Amount)
			sums[key] = sum
		}
		sum.Add(&d.results[i].amount)
	}
	totals := make(map[string]float64, len(sums))
	for key, sum := range sums {
		totals[key] = sum.Float64()
	}
	return totals
}
