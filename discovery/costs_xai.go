package discovery

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/internal/billing"
)

// TeamCostBucket is what xAI billed a team in one part of the window.
type TeamCostBucket struct {
	// StartTime and EndTime are RFC 3339 in the time zone of the query; EndTime is exclusive. If the window ends within a
	// bucket, EndTime is later than the end of the window, and the bucket has the costs until the end of the window.
	StartTime string `json:"start_time"`
	EndTime   string `json:"end_time"`
	// TotalUSD is the exact sum of all line items, rounded once to a float64.
	TotalUSD float64 `json:"total_usd"`
	// LineItems are the costs by kind of usage, in the order of the response. The slice is never nil.
	LineItems []LineItem `json:"line_items"`
	// RawBucket is the part of the response for this bucket: an array of its series, each with one data point.
	RawBucket json.RawMessage `json:"raw_bucket"`
}

// LineItem is the cost of one kind of usage.
type LineItem struct {
	// Description is xAI's label, as in "Chat grok-3-mini".
	Description string `json:"description"`
	// USD is the cost; it is negative for a credit.
	USD float64 `json:"usd"`
}

// MarshalJSON writes empty line items as [] and an empty raw bucket as [], never null.
func (b TeamCostBucket) MarshalJSON() ([]byte, error) {
	type plain TeamCostBucket
	if b.LineItems == nil {
		b.LineItems = []LineItem{}
	}
	if b.RawBucket == nil {
		b.RawBucket = json.RawMessage("[]")
	}
	return json.Marshal(plain(b))
}

// FetchXAICostBuckets returns what xAI billed a team. xAI lists only usage: a part of the window without usage has no bucket. The result is
// also empty if the team is missing, or xAI reports an error or that it truncated the response.
//
// The error is a [*ValueError] if a time is invalid, or ambiguous or missing where the clocks of the time zone change, the start is not
// before the end, the unit or the time zone is unknown, the team id cannot be part of a path, or the timeout is negative.
func (c *Client) FetchXAICostBuckets(ctx context.Context, query XAICostQuery) ([]TeamCostBucket, error) {
	window, err := query.window()
	return fetchBill(ctx, c, "FetchXAICostBuckets", window, err)
}

func (w xaiWindow) costs(ctx context.Context, c *Client, operation string) (bill[TeamCostBucket], error) {
	none := bill[TeamCostBucket]{buckets: []TeamCostBucket{}}
	key, err := c.key(ctx, ServiceXAIManagement, w.key)
	if w.team == "" {
		err = errors.Join(err, errors.New("no team id is given, and XAI_TEAM_ID is not set"))
	}
	r := newRequest(operation, ServiceXAIManagement, key, cmp.Or(w.timeout, DefaultCostTimeout))
	if err != nil {
		return none, c.report(ctx, r.missingKey(err))
	}
	usage, failure := fetch[billing.XAIUsage](ctx, c, r, func(ctx context.Context) (*http.Response, error) {
		return c.apis.xaimanagement.GetUsage(ctx, w.team, w.request(), bearer(r.key))
	})
	if failure == nil && usage.LimitReached {
		failure = r.partial(errors.New("the response was truncated (limitReached): use a smaller window or a wider unit"))
	}
	if failure != nil {
		return none, c.report(ctx, failure)
	}
	costs, err := w.bill(&usage)
	if err != nil {
		return none, c.report(ctx, r.undecodable(err))
	}
	return costs, nil
}

// bill returns the bill of a response for the window.
func (w xaiWindow) bill(usage *billing.XAIUsage) (bill[TeamCostBucket], error) {
	buckets, err := usage.Buckets(w.Range)
	if err != nil {
		return bill[TeamCostBucket]{}, err
	}
	costs := bill[TeamCostBucket]{buckets: make([]TeamCostBucket, len(buckets)), complete: true}
	for i, bucket := range buckets {
		costs.total.Merge(&bucket.Total)
		costs.buckets[i] = newTeamCostBucket(bucket, w.EndOf(bucket.Begin))
	}
	return costs, nil
}

func newTeamCostBucket(b *billing.Bucket, end time.Time) TeamCostBucket {
	items := make([]LineItem, b.Len())
	for i := range items {
		items[i].Description, items[i].USD = b.Item(i)
	}
	return TeamCostBucket{
		StartTime: b.Begin.Format(time.RFC3339), EndTime: end.Format(time.RFC3339),
		TotalUSD: b.Total.Total().Float64(), LineItems: items, RawBucket: b.Raw(),
	}
}

// teamID returns the id of the argument or the environment, or "". It refuses characters with a meaning in a path, although the
// request escapes them.
func teamID(given string) (string, error) {
	team := cmp.Or(strings.TrimSpace(given), strings.TrimSpace(os.Getenv("XAI_TEAM_ID")))
	special := func(r rune) bool { return r <= ' ' || r == 0x7f || strings.ContainsRune(`/\?#%`, r) }
	if strings.ContainsFunc(team, special) || slices.Contains([]string{".", ".."}, team) {
		return "", invalid("TeamID", team, "cannot be part of a path")
	}
	return team, nil
}
