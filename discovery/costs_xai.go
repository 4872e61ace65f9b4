package discovery

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/gen/xaimanagement"
)

// DefaultTimezone is the zone of xAI's cost queries when nothing else is said: UTC under its IANA name.
const DefaultTimezone = "Etc/GMT"

const opXAICosts = "FetchXAICostBuckets"

// TimeUnit is how wide a bucket of xAI's costs is (SPEC.md, time_unit allowed values).
type TimeUnit string

// The units. Days, weeks and months are those of the calendar in the zone of the query, so a day can have 23 or 25 hours.
const (
	TimeUnitDay          TimeUnit = "TIME_UNIT_DAY"
	TimeUnitHour         TimeUnit = "TIME_UNIT_HOUR"
	TimeUnitMonth        TimeUnit = "TIME_UNIT_MONTH"
	TimeUnitCalendarWeek TimeUnit = "TIME_UNIT_CALENDAR_WEEK"
	TimeUnitQuarterHour  TimeUnit = "TIME_UNIT_QUARTER_HOUR"
	TimeUnitMinute       TimeUnit = "TIME_UNIT_MINUTE"
	TimeUnitSecond       TimeUnit = "TIME_UNIT_SECOND"
	// TimeUnitNone makes one bucket of the whole window.
	TimeUnitNone TimeUnit = "TIME_UNIT_NONE"
)

var timeUnits = []TimeUnit{
	TimeUnitDay, TimeUnitHour, TimeUnitMonth, TimeUnitCalendarWeek, TimeUnitQuarterHour, TimeUnitMinute, TimeUnitSecond, TimeUnitNone,
}

// XAICostQuery says which costs of an xAI team are meant.
type XAICostQuery struct {
	// StartTime and EndTime are the window, the end exclusive; both are required. They are ISO 8601, as in
	// 2026-05-01T00:00:00Z or 2026-05-01T02:00:00+02:00, and are converted into Timezone; or without an offset, as in
	// 2026-05-01 00:00:00 or 2026-05-01T00:00:00, and are taken as being in it. xAI counts in whole seconds: a fraction widens
	// the window to the next one.
	StartTime, EndTime string
	// ManagementKey is the key; "" means XAI_MANAGEMENT_KEY.
	ManagementKey string `json:"-" xml:"-"`
	// TeamID is the id of the team, from xAI's console; "" means XAI_TEAM_ID.
	TeamID string
	// TimeUnit is how wide a bucket is; "" means [TimeUnitDay].
	TimeUnit TimeUnit
	// Timezone is the IANA name of the zone that days, weeks and months are of; "" means [DefaultTimezone]. Any other than UTC has
	// to be in the zone database of this machine; a program can bring one along by importing time/tzdata.
	Timezone string
	// Timeout bounds the request; 0 means [DefaultCostTimeout].
	Timeout time.Duration
}

// Format prints the query without the key.
func (q XAICostQuery) Format(f fmt.State, verb rune) {
	type plain XAICostQuery
	q.ManagementKey = hidden(q.ManagementKey)
	_, _ = fmt.Fprintf(f, fmt.FormatString(f, verb), plain(q))
}

// TeamCostBucket is what xAI billed a team for one part of the window (SPEC.md, TeamCostBucket).
type TeamCostBucket struct {
	// StartTime and EndTime are RFC 3339 in the zone of the query; the end is exclusive. The end is that of the unit, so a
	// window that ends within a bucket ends before it: what the bucket holds is what was used until then.
	StartTime string `json:"start_time"`
	EndTime   string `json:"end_time"`
	// TotalUSD is the exact sum of all line items, rounded once to a float64.
	TotalUSD float64 `json:"total_usd"`
	// LineItems are what was used, in the order of the answer, never nil.
	LineItems []LineItem `json:"line_items"`
	// RawBucket is what the answer says of this bucket, as an array of its series, each with this one data point.
	RawBucket json.RawMessage `json:"raw_bucket"`
}

// LineItem is one thing that was used.
type LineItem struct {
	// Description is xAI's label, as in "Chat grok-3-mini".
	Description string `json:"description"`
	// USD is what it cost; negative for a credit.
	USD float64 `json:"usd"`
}

// FetchXAICostBuckets asks what xAI billed a team, oldest first (SPEC.md, fetch provider E cost buckets; POST
// /v1/billing/teams/{team_id}/usage, WIRE.md section 3). Parts of the window that xAI does not list were not used, and have
// no bucket. The POST reads and changes nothing.
//
// The management key is query.ManagementKey, else XAI_MANAGEMENT_KEY, and the team is query.TeamID, else XAI_TEAM_ID. Such a
// key can mint and delete the keys of the team and manage it: it is read at each call, sent in a header, and never stored,
// logged or written to disk. Ask for costs in a job of their own, not in a hot loop and not while somebody waits for a chat.
//
// The list is empty, with a nil error and one [Failure], when key or team are missing, when the call fails, when xAI says that
// it cut the answer, or when an amount or a time cannot be read. An unreadable time, one that the clocks of the zone show
// twice or never, a start that is not before the end, a unit or zone that does not exist, a team id that cannot stand in a
// path, and a negative timeout are a [*ValueError]; nothing is sent then. It is safe for concurrent use.
func (c *Client) FetchXAICostBuckets(ctx context.Context, query XAICostQuery) ([]TeamCostBucket, error) {
	costs, _, err := c.xaiCosts(ctx, opXAICosts, query)
	return costs.buckets, err
}

var (
	errNoTeam       = errors.New("no team id is given, and XAI_TEAM_ID is not set")
	errLimitReached = errors.New("the answer was cut (limitReached): ask for a smaller window or a wider unit")
)

func (c *Client) xaiCosts(ctx context.Context, operation string, query XAICostQuery) (billed[TeamCostBucket], window, error) {
	w, err := query.window()
	if err != nil {
		return billed[TeamCostBucket]{}, w, err
	}
	team, err := teamID(query.TeamID)
	if err != nil {
		return billed[TeamCostBucket]{}, w, err
	}
	timeout, err := timeoutOr(query.Timeout, DefaultCostTimeout)
	if err != nil {
		return billed[TeamCostBucket]{}, w, err
	}
	key, err := c.key(ctx, ServiceXAIManagement, query.ManagementKey)
	if team == "" {
		err = errors.Join(err, errNoTeam)
	}
	r := newRequest(operation, ServiceXAIManagement, key, timeout)
	none := billed[TeamCostBucket]{buckets: []TeamCostBucket{}}
	if err != nil {
		return none, w, c.report(ctx, r.missingKey(err))
	}
	costs, failure := c.fetchUsage(ctx, r, team, w)
	if failure != nil {
		return none, w, c.report(ctx, failure)
	}
	return costs, w, nil
}

// fetchUsage sends the request and sums the response.
func (c *Client) fetchUsage(ctx context.Context, r request, team string, w window) (none billed[TeamCostBucket], failure *Failure) {
	usage, failure := fetch[xaimanagement.Usage](ctx, c, r, func(ctx context.Context) (*http.Response, error) {
		return c.apis.xaimanagement.GetUsage(ctx, team, w.request(), bearer(r.key))
	})
	if failure != nil {
		return none, failure
	}
	if usage.LimitReached {
		return none, r.partial(errLimitReached)
	}
	costs, err := w.pivot(usage)
	if err != nil {
		return none, r.undecodable(err)
	}
	return costs, nil
}

// request is the body of the call (WIRE.md section 3).
func (w window) request() xaimanagement.UsageRequest {
	return xaimanagement.UsageRequest{AnalyticsRequest: xaimanagement.AnalyticsRequest{
		TimeRange: xaimanagement.TimeRange{
			StartTime: w.start.Format(nativeTime), EndTime: w.end.Format(nativeTime), Timezone: w.timezone,
		},
		TimeUnit: xaimanagement.AnalyticsRequestTimeUnit(w.unit),
		Values:   []xaimanagement.RequestedValue{{Name: "usd", Aggregation: "AGGREGATION_SUM"}},
		GroupBy:  []string{"description"},
		Filters:  []string{},
	}}
}

// teamID returns the id of the argument or the environment; "" where there is none. It is escaped on its way into the
// path, but what a path is made of has no place in an id.
func teamID(argument string) (string, error) {
	team := cmp.Or(strings.TrimSpace(argument), strings.TrimSpace(os.Getenv("XAI_TEAM_ID")))
	wrong := func(r rune) bool { return r <= ' ' || r == 0x7f || strings.ContainsRune(`/\?#%`, r) }
	if strings.ContainsFunc(team, wrong) || slices.Contains([]string{".", ".."}, team) {
		return "", &ValueError{Field: "team id", Value: showable(team), Reason: "cannot stand in a path"}
	}
	return team, nil
}
