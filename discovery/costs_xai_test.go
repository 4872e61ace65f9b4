package discovery_test

import (
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/internal/test/whole"
)

func fetchUsage(t *testing.T, s *fakeServer, change func(*discovery.XAICostQuery)) []discovery.TeamCostBucket {
	t.Helper()
	q := usageQuery()
	change(&q)
	buckets, err := s.inProcess().FetchXAICostBuckets(t.Context(), q)
	require.NoError(t, err)
	return buckets
}

func unchangedQuery(*discovery.XAICostQuery) {}

func TestXAIRequests(t *testing.T) {
	t.Parallel()
	s := newFakeServer(map[string]http.HandlerFunc{"xaimanagement": func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		assert.JSONEq(t, `{"analyticsRequest":{"timeRange":{"startTime":"2026-05-01 00:00:00","endTime":"2026-05-09 00:00:00","timezone":"Etc/GMT"},
			"timeUnit":"TIME_UNIT_DAY","values":[{"name":"usd","aggregation":"AGGREGATION_SUM"}],"groupBy":["description"],"filters":[]}}`, string(body))
		assert.Equal(t, "POST /xaimanagement/v1/billing/teams/"+teamID+"/usage", r.Method+" "+r.RequestURI)
		assert.Equal(t, "Bearer "+managementKey, r.Header.Get("Authorization"))
		assert.Equal(t, "application/json", r.Header.Get("Content-Type"))
		assert.Contains(t, r.Header.Get("User-Agent"), "mesh-go/")
		_, _ = w.Write([]byte("{}"))
	}})
	buckets, err := s.client(t).FetchXAICostBuckets(t.Context(), usageQuery())
	require.NoError(t, err)
	assert.Equal(t, []discovery.TeamCostBucket{}, buckets, "proto3 omits empty values")
	assert.Empty(t, s.failures)
	assert.Equal(t, 1, s.count("xaimanagement"))
}

func TestSeriesBecomeBuckets(t *testing.T) {
	t.Parallel()
	s := usageOf(
		series("Chat grok-3-mini", point("2026-05-08T00:00:00Z", "0.00027585"), point("2026-05-06T00:00:00Z", `"0.1"`)),
		`{"group":["API grok-imagine-video-1.5"],"dataPoints":[{"timestamp":"2026-05-06T02:00:00+02:00","values":["0.2",17],"note":"new"}],"more":1}`,
		`{}`,
		`{"group":["Nothing"],"dataPoints":[]}`,
		series("Credit", point("2026-05-08T00:00:00.000Z", "-1.25"), point("2026-05-07T00:00:00Z", "0E-6176")),
		`{"group":["a","b"],"dataPoints":[{"timestamp":"2026-05-08 00:00:00","values":[2]}]}`,
	)
	buckets := fetchUsage(t, s, unchangedQuery)
	assert.Empty(t, s.failures)
	require.Len(t, buckets, 3)
	assert.Equal(t, discovery.TeamCostBucket{
		StartTime: "2026-05-06T00:00:00Z", EndTime: "2026-05-07T00:00:00Z", TotalUSD: 0.3,
		LineItems: []discovery.LineItem{{Description: "Chat grok-3-mini", USD: 0.1}, {Description: "API grok-imagine-video-1.5", USD: 0.2}},
		RawBucket: buckets[0].RawBucket,
	}, buckets[0])
	assert.Equal(t, 0.0, buckets[1].TotalUSD)
	assert.Equal(t, 0.75027585, buckets[2].TotalUSD)
	assert.Equal(t, []discovery.LineItem{{"Chat grok-3-mini", 0.00027585}, {"Credit", -1.25}, {"a, b", 2}}, buckets[2].LineItems)
	assert.Equal(t, `[{"group":["Chat grok-3-mini"],"groupLabels":["Chat grok-3-mini"],"dataPoints":[{"timestamp":"2026-05-06T00:00:00Z","values":["0.1"]}]},`+
		`{"group":["API grok-imagine-video-1.5"],"dataPoints":[{"timestamp":"2026-05-06T02:00:00+02:00","values":["0.2",17],"note":"new"}],"more":1}]`,
		string(buckets[0].RawBucket), "as it came, unknown fields and all")
	assert.Equal(t, `{"start_time":"2026-05-07T00:00:00Z","end_time":"2026-05-08T00:00:00Z","total_usd":0,"line_items":[{"description":"Credit","usd":0}],`+
		`"raw_bucket":[{"group":["Credit"],"groupLabels":["Credit"],"dataPoints":[{"timestamp":"2026-05-07T00:00:00Z","values":[0E-6176]}]}]}`, asJSON(t, buckets[1]))
}

func TestIncompleteUsageIsAFailure(t *testing.T) {
	t.Parallel()
	good := point("2026-05-08T00:00:00Z", "1")
	for name, row := range map[string]struct {
		body   string
		reason discovery.Reason
	}{
		"cut":                  {`{"timeSeries":[` + series("Chat", good) + `],"limitReached":true}`, discovery.ReasonPartial},
		"cut, and empty":       {`{"limitReached":true}`, discovery.ReasonPartial},
		"an error with 200":    {`{"error":{"message":"busy"}}`, discovery.ReasonDecode},
		"a gateway's error":    {`{"code":16,"message":"no","details":[]}`, discovery.ReasonDecode},
		"series are null":      {`{"timeSeries":null,"error":"no"}`, discovery.ReasonDecode},
		"series of a number":   {`{"timeSeries":[7]}`, discovery.ReasonDecode},
		"no time":              {`{"timeSeries":[{"dataPoints":[{"values":[1]}]}]}`, discovery.ReasonDecode},
		"time is null":         {`{"timeSeries":[{"dataPoints":[{"timestamp":null,"values":[1]}]}]}`, discovery.ReasonDecode},
		"time is no time":      {`{"timeSeries":[` + series("Chat", point("yesterday", "1")) + `]}`, discovery.ReasonDecode},
		"no values":            {`{"timeSeries":[{"dataPoints":[{"timestamp":"2026-05-08T00:00:00Z"}]}]}`, discovery.ReasonDecode},
		"no value":             {`{"timeSeries":[{"dataPoints":[{"timestamp":"2026-05-08T00:00:00Z","values":[]}]}]}`, discovery.ReasonDecode},
		"value is null":        {`{"timeSeries":[` + series("Chat", point("2026-05-08T00:00:00Z", "null")) + `]}`, discovery.ReasonDecode},
		"value is no number":   {`{"timeSeries":[` + series("Chat", point("2026-05-08T00:00:00Z", `"1,5"`)) + `]}`, discovery.ReasonDecode},
		"value beyond a float": {`{"timeSeries":[` + series("Chat", good, point("2026-05-07T00:00:00Z", "1E400")) + `]}`, discovery.ReasonDecode},
		"a point is repeated":  {`{"timeSeries":[` + series("Chat", good, point("2026-05-08T02:00:00+02:00", "1")) + `]}`, discovery.ReasonDecode},
		"null":                 {`null`, discovery.ReasonDecode},
		"an array":             {`[]`, discovery.ReasonDecode},
	} {
		s := newFakeServer(map[string]http.HandlerFunc{"xaimanagement": respond(row.body)})
		assert.Equal(t, []discovery.TeamCostBucket{}, fetchUsage(t, s, unchangedQuery), name)
		require.Len(t, s.failures, 1, name)
		f := requireOneFailure(t, s, row.reason)
		assert.Equal(t, 200, f.StatusCode, name)
		assert.Equal(t, models.XAI, f.Provider)
		assert.Equal(t, "FetchXAICostBuckets", f.Operation)
	}
}

func TestInvalidXAICostQueries(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		field  string
		change func(*discovery.XAICostQuery)
	}{
		"no start":            {"StartTime", func(q *discovery.XAICostQuery) { q.StartTime = "" }},
		"no end":              {"EndTime", func(q *discovery.XAICostQuery) { q.EndTime = "" }},
		"unreadable start":    {"StartTime", func(q *discovery.XAICostQuery) { q.StartTime = "yesterday" }},
		"a year and a month":  {"EndTime", func(q *discovery.XAICostQuery) { q.EndTime = "2026-05" }},
		"a day that is not":   {"StartTime", func(q *discovery.XAICostQuery) { q.StartTime = "2026-02-29T00:00:00Z" }},
		"an hour that is not": {"EndTime", func(q *discovery.XAICostQuery) { q.EndTime = "2026-05-09 24:00:00" }},
		"unix seconds":        {"StartTime", func(q *discovery.XAICostQuery) { q.StartTime = "1777593600" }},
		"start at the end":    {"StartTime", func(q *discovery.XAICostQuery) { q.StartTime = q.EndTime }},
		"start after end":     {"StartTime", func(q *discovery.XAICostQuery) { q.StartTime = "2026-05-09T00:00:01Z" }},
		"after by a fraction": {"StartTime", func(q *discovery.XAICostQuery) {
			q.StartTime, q.EndTime = "2026-05-01T00:00:00.9Z", "2026-05-01T00:00:00.7Z"
		}},
		"after by its offset":  {"StartTime", func(q *discovery.XAICostQuery) { q.StartTime = "2026-05-08T23:00:00-01:00" }},
		"unknown unit":         {"TimeUnit", func(q *discovery.XAICostQuery) { q.TimeUnit = "TIME_UNIT_YEAR" }},
		"unit in lower case":   {"TimeUnit", func(q *discovery.XAICostQuery) { q.TimeUnit = "time_unit_day" }},
		"unknown zone":         {"Timezone", func(q *discovery.XAICostQuery) { q.Timezone = "Mars/Olympus" }},
		"zone of this machine": {"Timezone", func(q *discovery.XAICostQuery) { q.Timezone = "Local" }},
		"zone is a path":       {"Timezone", func(q *discovery.XAICostQuery) { q.Timezone = "../etc/passwd" }},
		"the missing hour": {"StartTime", func(q *discovery.XAICostQuery) {
			q.StartTime, q.Timezone = "2026-03-29 02:30:00", "Europe/Berlin"
		}},
		"the hour that is twice": {"EndTime", func(q *discovery.XAICostQuery) {
			q.StartTime, q.EndTime, q.Timezone = "2026-10-01 00:00:00", "2026-10-25 02:30:00", "Europe/Berlin"
		}},
		"its first, by offset": {"EndTime", func(q *discovery.XAICostQuery) {
			q.StartTime, q.EndTime, q.Timezone = "2026-10-01 00:00:00", "2026-10-25T00:00:00Z", "Europe/Berlin"
		}},
		"its last, by offset": {"EndTime", func(q *discovery.XAICostQuery) {
			q.StartTime, q.EndTime, q.Timezone = "2026-10-01 00:00:00", "2026-10-25T01:59:59Z", "Europe/Berlin"
		}},
		"team with a slash":   {"TeamID", func(q *discovery.XAICostQuery) { q.TeamID = "a/b" }},
		"team with a query":   {"TeamID", func(q *discovery.XAICostQuery) { q.TeamID = "a?b" }},
		"team with a #":       {"TeamID", func(q *discovery.XAICostQuery) { q.TeamID = "a#b" }},
		"team with a control": {"TeamID", func(q *discovery.XAICostQuery) { q.TeamID = "a\x00b" }},
		"team with a line":    {"TeamID", func(q *discovery.XAICostQuery) { q.TeamID = "a\r\nb" }},
		"team with a percent": {"TeamID", func(q *discovery.XAICostQuery) { q.TeamID = "a%2Fb" }},
		"team above":          {"TeamID", func(q *discovery.XAICostQuery) { q.TeamID = ".." }},
		"negative timeout":    {"Timeout", func(q *discovery.XAICostQuery) { q.Timeout = -time.Second }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, q := usageOf(), usageQuery()
			row.change(&q)
			buckets, err := s.inProcess().FetchXAICostBuckets(t.Context(), q)
			requireValueError(t, err, row.field)
			assert.Nil(t, buckets)
			report, err := s.inProcess().ReconcileXAICost(t.Context(), q, nil)
			requireValueError(t, err, row.field)
			assert.Nil(t, report)
			assert.Zero(t, s.count("xaimanagement"), "nothing is sent")
			assert.Empty(t, s.failures)
		})
	}
}

func TestTeamIDIsEscaped(t *testing.T) {
	t.Parallel()
	s := newFakeServer(map[string]http.HandlerFunc{"xaimanagement": func(w http.ResponseWriter, r *http.Request) {
		assert.Equal(t, "/xaimanagement/v1/billing/teams/t%C3%A9am;a=b:1/usage", strings.ReplaceAll(strings.ReplaceAll(strings.ReplaceAll(r.RequestURI, "%3B", ";"), "%3A", ":"), "%3D", "="))
		assert.Equal(t, "/xaimanagement/v1/billing/teams/téam;a=b:1/usage", r.URL.Path)
		_, _ = w.Write([]byte("{}"))
	}})
	q := usageQuery()
	q.TeamID = " téam;a=b:1 "
	_, err := s.client(t).FetchXAICostBuckets(t.Context(), q)
	require.NoError(t, err)
	assert.Empty(t, s.failures)
}

func TestManagementKeyAndTeamPrecedence(t *testing.T) {
	t.Setenv("XAI_MANAGEMENT_KEY", " environment\n")
	t.Setenv("XAI_TEAM_ID", " team\n")
	var got []string
	s := newFakeServer(map[string]http.HandlerFunc{"xaimanagement": func(w http.ResponseWriter, r *http.Request) {
		got = append(got, r.Header.Get("Authorization")+" "+r.URL.Path)
		_, _ = w.Write([]byte("{}"))
	}})
	for _, row := range []struct{ key, team string }{{" argument ", ""}, {"", "other"}, {" ", " "}} {
		fetchUsage(t, s, func(q *discovery.XAICostQuery) { q.ManagementKey, q.TeamID = discovery.NewSecret(row.key), row.team })
	}
	const path = "/xaimanagement/v1/billing/teams/"
	assert.Equal(t, []string{
		"Bearer argument " + path + "team/usage", "Bearer environment " + path + "other/usage", "Bearer environment " + path + "team/usage",
	}, got)
	t.Setenv("XAI_TEAM_ID", "../other")
	q := usageQuery()
	q.TeamID = ""
	_, err := s.inProcess().FetchXAICostBuckets(t.Context(), q)
	requireValueError(t, err, "TeamID")
}

func TestKeyAndTeamAreBothRequired(t *testing.T) {
	t.Parallel()
	for want, change := range map[string]func(*discovery.XAICostQuery){
		"XAI_MANAGEMENT_KEY is not set": func(q *discovery.XAICostQuery) { q.ManagementKey = discovery.Secret{} },
		"XAI_TEAM_ID is not set":        func(q *discovery.XAICostQuery) { q.TeamID = "\t" },
	} {
		s := usageOf()
		assert.Equal(t, []discovery.TeamCostBucket{}, fetchUsage(t, s, change))
		f := requireOneFailure(t, s, discovery.ReasonMissingCredential)
		assert.Contains(t, f.Error(), want)
		assert.Zero(t, s.count("xaimanagement"))
	}
	s := usageOf()
	fetchUsage(t, s, func(q *discovery.XAICostQuery) { q.ManagementKey, q.TeamID = discovery.Secret{}, "" })
	f := requireOneFailure(t, s, discovery.ReasonMissingCredential)
	assert.Contains(t, f.Error(), "XAI_MANAGEMENT_KEY")
	assert.Contains(t, f.Error(), "XAI_TEAM_ID")
}

func TestUsageOutsideTheWindowIsAFailure(t *testing.T) {
	t.Parallel()
	for _, unit := range []discovery.TimeUnit{discovery.TimeUnitDay, discovery.TimeUnitHour, discovery.TimeUnitNone} {
		for _, at := range []string{"2026-04-26T00:00:00Z", "2026-04-30T00:00:00Z", "2020-05-01T00:00:00Z", "2026-05-09T00:00:00Z", "2026-06-01T00:00:00Z"} {
			s := usageOf(series("Chat", point("2026-05-08T00:00:00Z", "1"), point(at, "2")))
			buckets := fetchUsage(t, s, func(q *discovery.XAICostQuery) { q.TimeUnit = unit })
			assert.Empty(t, buckets, "%s %s", unit, at)
			assert.Contains(t, requireOneFailure(t, s, discovery.ReasonDecode).Error(), "outside")
		}
	}
	s := usageOf(series("Chat", point("2026-05-01T00:00:00Z", "1"))) // the window starts at noon on that day
	assert.Len(t, fetchUsage(t, s, func(q *discovery.XAICostQuery) { q.StartTime = "2026-05-01T12:00" }), 1)
}

// A response with an error is a failure, whether or not its series are empty.
func TestUsageWithAnErrorIsAFailure(t *testing.T) {
	t.Parallel()
	for _, extra := range []string{`"error":{"message":"busy"}`, `"error":"busy"`, `"code":16`, `"code":"x","message":"no"`} {
		for _, points := range []string{"", series("Chat", point("2026-05-08T00:00:00Z", "1"))} {
			s := newFakeServer(map[string]http.HandlerFunc{"xaimanagement": respond(`{"timeSeries":[` + points + `],` + extra + `}`)})
			assert.Empty(t, fetchUsage(t, s, unchangedQuery), extra)
			requireOneFailure(t, s, discovery.ReasonDecode)
		}
	}
	s := newFakeServer(map[string]http.HandlerFunc{"xaimanagement": respond(`{"timeSeries":[],"error":null,"code":0,"message":"","newer":1}`)})
	assert.Empty(t, fetchUsage(t, s, unchangedQuery))
	assert.Empty(t, s.failures)
}

// A series repeats its labels in every bucket, so their total size is limited. No test
// may run at the same time: this one counts the process's allocations.
func TestUsageAllocatesInProportionToTheAnswer(t *testing.T) { //nolint:paralleltest // see the comment
	var points []string
	for at := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC); len(points) < 10_000; at = at.Add(time.Second) {
		points = append(points, point(at.Format(time.RFC3339), "0.5"))
	}
	for name, body := range map[string]string{
		"one label of 500,000 characters, 10,000 points": series(strings.Repeat("x", 500_000), points...), "two series": series("Chat grok-4.5", points...) + "," + series("File Storage", points...),
	} {
		c, q := serving(`{"timeSeries":[`+body+`]}`), usageQuery()
		q.TimeUnit = discovery.TimeUnitSecond
		var before, after runtime.MemStats
		times := uint64(whole.Cases(5, 1))
		runtime.ReadMemStats(&before)
		for range times {
			_, err := c.FetchXAICostBuckets(t.Context(), q)
			require.NoError(t, err, name)
		}
		runtime.ReadMemStats(&after)
		allocated := (after.TotalAlloc - before.TotalAlloc) / times
		assert.Positive(t, allocated, name)
		assert.Less(t, allocated, uint64(25*len(body)), name)
		t.Logf("%s: %d bytes for a %d-byte body", name, allocated, len(body))
	}
}
