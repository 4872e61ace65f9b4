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
	"github.com/mesh-gateway/mesh-go/gen/xaimanagement"
	"github.com/mesh-gateway/mesh-go/internal/calendar"
)

// TeamCostBucket is a team's bill from xAI for one part of the window.
type TeamCostBucket struct {
	// StartTime and EndTime (exclusive) are RFC 3339 in the query's time zone. If the
	// window ends within a bucket, EndTime is later than the window, but costs are
	// included only until the window's end.
	StartTime string `json:"start_time"`
	EndTime   string `json:"end_time"`
	// TotalUSD is the exact sum of all line items, rounded once.
	TotalUSD float64 `json:"total_usd"`
	// LineItems are costs by type of usage, in the response's order. It's never nil.
	LineItems []LineItem `json:"line_items"`
	// RawBucket is this bucket's part of the response: an array of series, each with one
	// data point.
	RawBucket json.RawMessage `json:"raw_bucket"`
}

// LineItem is the cost for one type of usage.
type LineItem struct {
	// Description is xAI's label, as in "Chat grok-3-mini".
	Description string `json:"description"`
	// USD is the cost. Credits are negative.
	USD float64 `json:"usd"`
}

// MarshalJSON encodes empty line items and an empty raw bucket as [], never null.
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

// FetchXAICostBuckets returns the costs that xAI billed to a team. Parts of the window
// without usage have no bucket. The result is also empty if the team id is missing, or if
// xAI reports an error or a truncated response.
//
// FetchXAICostBuckets returns a [*ValueError] if
//
//   - a time is invalid, or ambiguous or skipped where the time zone's clocks change
//   - StartTime isn't before EndTime
//   - TimeUnit or Timezone is unknown
//   - TeamID is "." or "..", or contains white space, a control character, or one of
//     / \ ? # %
//   - Timeout is negative
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

// teamID returns the id from the argument or the environment, or "". It rejects ids with
// a special meaning in a path, although the request escapes them.
func teamID(given string) (string, error) {
	team := cmp.Or(strings.TrimSpace(given), strings.TrimSpace(os.Getenv("XAI_TEAM_ID")))
	special := func(r rune) bool { return r <= ' ' || r == 0x7f || strings.ContainsRune(`/\?#%`, r) }
	if strings.ContainsFunc(team, special) || slices.Contains([]string{".", ".."}, team) {
		return "", invalid("TeamID", team, "cannot be part of a path")
	}
	return team, nil
}

// TimeUnit is a bucket width for xAI's costs.
type TimeUnit string

// Units. Days, weeks and months are calendar units in the query's time zone, so a day may
// have 23 or 25 hours.
const (
	TimeUnitDay          TimeUnit = "TIME_UNIT_DAY"
	TimeUnitHour         TimeUnit = "TIME_UNIT_HOUR"
	TimeUnitMonth        TimeUnit = "TIME_UNIT_MONTH"
	TimeUnitCalendarWeek TimeUnit = "TIME_UNIT_CALENDAR_WEEK"
	TimeUnitQuarterHour  TimeUnit = "TIME_UNIT_QUARTER_HOUR"
	TimeUnitMinute       TimeUnit = "TIME_UNIT_MINUTE"
	TimeUnitSecond       TimeUnit = "TIME_UNIT_SECOND"
	// TimeUnitNone makes the whole window one bucket.
	TimeUnitNone TimeUnit = "TIME_UNIT_NONE"
)

// XAICostQuery selects an xAI team's costs.
type XAICostQuery struct {
	// StartTime and EndTime (exclusive) are the window. Both are required, in ISO 8601. A
	// time with an offset, as in 2026-05-01T02:00:00+02:00, is converted to Timezone. A
	// time without an offset, as in 2026-05-01 00:00:00 or 2026-05-01, is in Timezone.
	// xAI takes whole seconds, so a fraction widens the window.
	StartTime, EndTime string
	// ManagementKey defaults to the key from [WithKey], or else XAI_MANAGEMENT_KEY.
	ManagementKey Secret `json:"-" xml:"-"`
	// TeamID is the team's id in xAI's console. "" means XAI_TEAM_ID.
	TeamID string
	// TimeUnit is the bucket width. "" means [TimeUnitDay].
	TimeUnit TimeUnit
	// Timezone is an IANA name. "" means [DefaultTimezone]. Except for UTC, the zone must
	// be in the machine's time zone database. To include a database in a program, import
	// time/tzdata.
	Timezone string
	// Timeout limits the request. 0 means [DefaultCostTimeout].
	Timeout time.Duration
}

// xaiWindow is a valid query, with its times in its time zone.
type xaiWindow struct {
	calendar.Range
	unit     TimeUnit
	timezone string
	key      Secret
	team     string        // "" if unknown
	timeout  time.Duration // 0 means DefaultCostTimeout
}

func (q XAICostQuery) window() (xaiWindow, error) {
	w := xaiWindow{unit: cmp.Or(q.TimeUnit, TimeUnitDay), timezone: cmp.Or(q.Timezone, DefaultTimezone), key: q.ManagementKey, timeout: q.Timeout}
	unit, known := calendar.Units[string(w.unit)]
	if !known {
		return w, invalid("TimeUnit", string(w.unit), "must be one of the TimeUnit constants, such as TIME_UNIT_DAY")
	}
	zone, err := loadZone(w.timezone)
	if err != nil {
		return w, err
	}
	start, err := parseTime("StartTime", q.StartTime, zone)
	if err != nil {
		return w, err
	}
	end, err := parseTime("EndTime", q.EndTime, zone)
	if err != nil {
		return w, err
	}
	if !start.Before(end) {
		return w, invalid("StartTime", q.StartTime, "must be before EndTime")
	}
	if truncated := end.Truncate(time.Second); truncated.Before(end) {
		end = truncated.Add(time.Second) // formatting the start drops its fraction
	}
	w.Range = calendar.Range{Start: start, End: end, Unit: unit}
	if w.team, err = teamID(q.TeamID); err != nil {
		return w, err
	}
	return w, notNegative("Timeout", w.timeout)
}

// loadZone returns UTC without a time zone database. It rejects Local, which is this
// machine's zone, not xAI's.
func loadZone(name string) (*time.Location, error) {
	if slices.Contains([]string{DefaultTimezone, "Etc/UTC", "GMT", "UTC"}, name) {
		return time.UTC, nil
	}
	zone, err := time.LoadLocation(name)
	if err != nil || name == "Local" {
		return nil, invalid("Timezone", name, "is unknown; it must be an IANA name such as Europe/Berlin")
	}
	return zone, nil
}

// parseTime rejects ambiguous times: xAI takes local times without an offset, so it
// couldn't tell which moment is meant.
func parseTime(field, text string, zone *time.Location) (time.Time, error) {
	t, ok := calendar.Parse(text, zone)
	if !ok {
		return t, invalid(field, text, "must be a time such as 2026-05-01T00:00:00Z or 2026-05-01 00:00:00 that exists in the time zone")
	}
	if calendar.Ambiguous(t) {
		return t, invalid(field, text, "is ambiguous because the time zone's clocks change, and xAI takes no offset; use Etc/GMT")
	}
	return t, nil
}

// checkWhole rejects a window that doesn't start and end with its buckets. An end in the
// current bucket or in the future is valid, because nothing is used there yet.
func (w xaiWindow) checkWhole() error {
	switch {
	case w.Unit == calendar.Whole:
	case !w.Starts(w.Start):
		return invalid("StartTime", w.Start.Format(time.RFC3339), "must be the start of a bucket of "+string(w.unit))
	case !w.Starts(w.End) && w.Next(w.End).Before(w.Next(time.Now().In(w.End.Location()))):
		return invalid("EndTime", w.End.Format(time.RFC3339), "must be the end of a bucket of "+string(w.unit))
	}
	return nil
}

func (w xaiWindow) request() xaimanagement.UsageRequest {
	return xaimanagement.UsageRequest{AnalyticsRequest: xaimanagement.AnalyticsRequest{
		TimeRange: xaimanagement.TimeRange{
			StartTime: w.Start.Format(time.DateTime), EndTime: w.End.Format(time.DateTime), Timezone: w.timezone,
		},
		TimeUnit: xaimanagement.AnalyticsRequestTimeUnit(w.unit),
		Values:   []xaimanagement.RequestedValue{{Name: "usd", Aggregation: "AGGREGATION_SUM"}},
		GroupBy:  []string{"description"},
		Filters:  []string{},
	}}
}
