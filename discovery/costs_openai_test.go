package discovery_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/models"
)

func TestOpenAICostsAreReadPageAfterPage(t *testing.T) {
	t.Parallel()
	s := costs(map[string]string{
		"":               costPage(true, `"page_b+/=%25?x"`, costDay(2, result("0.30", "")), costDay(3)),
		"page_b+/=%25?x": costPage(true, `"page_c="`, costDay(0, result("0.1", ""), result(`"0.2"`, ""))),
		"page_c=":        costPage(false, "null", costDay(1, result("0E-6176", ""), result(`"0E-6176"`, ""), result("-1.25", ""), result("12.50", ""))),
	})
	buckets, err := s.client(t).FetchOpenAICostBuckets(t.Context(), costQuery())
	require.NoError(t, err)
	assert.Empty(t, s.failures)
	require.Len(t, buckets, 4)
	for i, want := range []float64{0.3, 11.25, 0.3, 0} {
		b := buckets[i]
		assert.Equal(t, want, b.TotalUSD, "exactly")
		assert.Equal(t, day1+int64(i)*day, b.StartTime, "oldest first")
		assert.Equal(t, day1+int64(i+1)*day, b.EndTime)
		assert.Equal(t, "usd", b.Currency)
		assert.Equal(t, map[string]float64{}, b.LineItemBreakdown, "not requested")
		assert.Equal(t, map[string]float64{}, b.ProjectBreakdown)
		assert.Equal(t, map[string]float64{}, b.APIKeyBreakdown)
		assert.Equal(t, map[string]float64{}, b.WorkspaceBreakdown)
		assert.NotNil(t, b.RawResults)
	}
	assert.JSONEq(t, result("-1.25", ""), string(buckets[1].RawResults[2]))
	assert.Contains(t, string(buckets[1].RawResults[0]), `"value":0E-6176,`, "as it came")
	assert.Equal(t, 3, s.count("openai"))
}

func TestOpenAIRequests(t *testing.T) {
	t.Parallel()
	for want, change := range map[string]func(*discovery.OpenAICostQuery){
		"start_time=1730419200&end_time=1731024000&bucket_width=1d&limit=7":   func(*discovery.OpenAICostQuery) {},
		"start_time=1730419200&bucket_width=1d&limit=7":                       func(q *discovery.OpenAICostQuery) { q.EndTime = 0 },
		"start_time=1730419207&end_time=1731024000&bucket_width=1d&limit=180": func(q *discovery.OpenAICostQuery) { q.StartTime += 7; q.Limit = 180 },
		"start_time=1730419200&end_time=1731024000&bucket_width=1d&limit=1":   func(q *discovery.OpenAICostQuery) { q.Limit = 1 },
		"start_time=1730419200&end_time=1731024000&bucket_width=1d&group_by=project_id&group_by=line_item&group_by=api_key_id&limit=7": func(q *discovery.OpenAICostQuery) {
			q.GroupBy = []discovery.GroupBy{discovery.GroupByProjectID, discovery.GroupByLineItem, discovery.GroupByAPIKeyID}
		},
		"start_time=1730419200&end_time=1731024000&bucket_width=1d&project_ids=proj_a&project_ids=proj_b&api_key_ids=key_a&limit=7": func(q *discovery.OpenAICostQuery) {
			q.ProjectIDs, q.APIKeyIDs = []string{"proj_a", "proj_b"}, []string{"key_a"}
		},
	} {
		var queries []string
		s := newFakeServer(map[string]http.HandlerFunc{"openai": func(w http.ResponseWriter, r *http.Request) {
			queries = append(queries, r.URL.RawQuery)
			assert.Equal(t, "GET /openai/v1/organization/costs", r.Method+" "+r.URL.Path)
			assert.Equal(t, "Bearer "+adminKey, r.Header.Get("Authorization"))
			assert.Contains(t, r.Header.Get("User-Agent"), "mesh-go/")
			next := `"p2"`
			if len(queries) == 2 {
				next = "null"
			}
			_, _ = w.Write([]byte(costPage(len(queries) == 1, next)))
		}})
		q := costQuery()
		change(&q)
		buckets, err := s.inProcess().FetchOpenAICostBuckets(t.Context(), q)
		require.NoError(t, err)
		assert.Equal(t, []discovery.CostBucket{}, buckets)
		assert.Equal(t, []string{want, want + "&page=p2"}, queries)
	}
}

func TestOpenAIBreakdowns(t *testing.T) {
	t.Parallel()
	s := costs(map[string]string{"": costPage(false, "null", costDay(0,
		result("0.1", `,"line_item":"gpt-5.6, input","project_id":"proj_a","api_key_id":"key_a"`),
		result(`"0.2"`, `,"line_item":"gpt-5.6, input","project_id":"proj_b","api_key_id":"key_a","quantity":12.5`),
		result("-0.05", `,"line_item":"Vector storage","project_id":"proj_a","api_key_id":null,"user_id":"user_a","api_source":"agents_api"`),
		result("3", `,"line_item":null`),
	))})
	items := map[string]float64{"gpt-5.6, input": 0.3, "Vector storage": -0.05, "": 3}
	projects := map[string]float64{"proj_a": 0.05, "proj_b": 0.2, "": 3}
	apiKeys := map[string]float64{"key_a": 0.3, "": 2.95}
	users := map[string]float64{"user_a": -0.05, "": 3.3}
	sources := map[string]float64{"agents_api": -0.05, "": 3.3}
	for _, groups := range [][]discovery.GroupBy{
		nil, {"line_item"}, {"project_id"}, {"api_key_id"}, {"api_key_id", "line_item"}, {"project_id", "line_item", "api_key_id"}, {"user_id"}, {"api_source", "line_item"},
	} {
		q := costQuery()
		q.GroupBy = groups
		buckets, err := s.inProcess().FetchOpenAICostBuckets(t.Context(), q)
		require.NoError(t, err)
		require.Len(t, buckets, 1)
		b, none := buckets[0], map[string]float64{}
		assert.Equal(t, 3.25, b.TotalUSD)
		for _, row := range []struct {
			group     discovery.GroupBy
			got, want map[string]float64
		}{{"line_item", b.LineItemBreakdown, items}, {"project_id", b.ProjectBreakdown, projects}, {"api_key_id", b.APIKeyBreakdown, apiKeys}, {"user_id", b.UserBreakdown, users}, {"api_source", b.APISourceBreakdown, sources}} {
			switch {
			case slices.Contains(groups, row.group):
			case row.group == "user_id" || row.group == "api_source":
				row.want = nil
			default:
				row.want = none
			}
			assert.Equal(t, row.want, row.got, "%s of %v", row.group, groups)
		}
	}
}

// Quantities are added exactly. A line item has no quantity if one of its results has
// none or another unit.
func TestOpenAIQuantities(t *testing.T) {
	t.Parallel()
	s := costs(map[string]string{"": costPage(false, "null", costDay(0,
		result("1", `,"line_item":"a","quantity":0.1,"quantity_unit":"tokens"`), result("1", `,"line_item":"a","quantity":"0.2","quantity_unit":"tokens"`),
		result("1", `,"line_item":"b","quantity":1,"quantity_unit":"tokens"`), result("1", `,"line_item":"b","quantity":1,"quantity_unit":"1000_tokens"`),
		result("1", `,"line_item":"c","quantity":1,"quantity_unit":"images"`), result("1", `,"line_item":"c","quantity":null,"quantity_unit":null`),
		result("1", `,"line_item":"d","quantity":9007199254740993,"quantity_unit":"characters"`), result("1", `,"line_item":"e","quantity":1`),
	), costDay(1, result("1", `,"line_item":"a"`)))})
	for want, groups := range map[string][]discovery.GroupBy{
		`{"a":{"amount":"0.3","unit":"tokens"},"d":{"amount":"9007199254740993","unit":"characters"}}`: {"line_item"}, "null": {"project_id"},
	} {
		q := costQuery()
		q.GroupBy = groups
		buckets, err := s.inProcess().FetchOpenAICostBuckets(t.Context(), q)
		require.NoError(t, err)
		require.Len(t, buckets, 2)
		assert.Equal(t, want, asJSON(t, buckets[0].LineItemQuantities))
		assert.Nil(t, buckets[1].LineItemQuantities)
	}
}

// The result is all pages or nothing, because the pages before a failure aren't the
// total.
func TestOpenAIFailureOnAnyPageReturnsNoBuckets(t *testing.T) {
	t.Parallel()
	good := costDay(0, result("5", ""))
	overlapping := `{"start_time":1730419200,"end_time":1730505600,"results":[]}`
	for name, row := range map[string]struct {
		second string
		reason discovery.Reason
	}{
		"repeated cursor":            {costPage(true, `"two"`, costDay(1)), discovery.ReasonPartial},
		"more, and null":             {costPage(true, "null", costDay(1)), discovery.ReasonPartial},
		"more, and nothing":          {`{"data":[],"has_more":true}`, discovery.ReasonPartial},
		"more, and an empty cursor":  {costPage(true, `""`), discovery.ReasonPartial},
		"no data":                    {`{"object":"page","has_more":false}`, discovery.ReasonDecode},
		"data is null":               {`{"data":null,"has_more":false}`, discovery.ReasonDecode},
		"no has_more":                {`{"data":[]}`, discovery.ReasonDecode},
		"no results":                 {costPage(false, "null", `{"start_time":1730505600,"end_time":1730592000}`), discovery.ReasonDecode},
		"no amount":                  {costPage(false, "null", costDay(1, `{"object":"organization.costs.result"}`)), discovery.ReasonDecode},
		"amount is null":             {costPage(false, "null", costDay(1, `{"amount":null}`)), discovery.ReasonDecode},
		"no value":                   {costPage(false, "null", costDay(1, `{"amount":{"currency":"usd"}}`)), discovery.ReasonDecode},
		"value is null":              {costPage(false, "null", costDay(1, result("null", ""))), discovery.ReasonDecode},
		"value is no number":         {costPage(false, "null", costDay(1, result(`"n/a"`, ""))), discovery.ReasonDecode},
		"value is empty":             {costPage(false, "null", costDay(1, result(`""`, ""))), discovery.ReasonDecode},
		"value has a sign":           {costPage(false, "null", costDay(1, result(`"+1"`, ""))), discovery.ReasonDecode},
		"value is a fraction":        {costPage(false, "null", costDay(1, result(`"1/3"`, ""))), discovery.ReasonDecode},
		"value is infinite":          {costPage(false, "null", costDay(1, result(`"Infinity"`, ""))), discovery.ReasonDecode},
		"value beyond a float":       {costPage(false, "null", costDay(1, result("1E400", ""))), discovery.ReasonDecode},
		"value beyond all memory":    {costPage(false, "null", costDay(1, result("1E-99999999999", ""))), discovery.ReasonDecode},
		"another currency":           {costPage(false, "null", costDay(1, `{"amount":{"value":1,"currency":"eur"}}`)), discovery.ReasonDecode},
		"two currencies":             {costPage(false, "null", costDay(1, result("1", ""), `{"amount":{"value":1,"currency":"eur"}}`)), discovery.ReasonDecode},
		"a day again":                {costPage(false, "null", overlapping), discovery.ReasonDecode},
		"a day that ends before":     {costPage(false, "null", `{"start_time":1730592000,"end_time":1730505600,"results":[]}`), discovery.ReasonDecode},
		"a time beyond 64 bits":      {costPage(false, "null", `{"start_time":1e30,"end_time":1e31,"results":[]}`), discovery.ReasonDecode},
		"an error with 200":          {`{"error":{"message":"overloaded"}}`, discovery.ReasonDecode},
		"two documents":              {costPage(false, "null") + "{}", discovery.ReasonDecode},
		"a model list":               {`{"object":"list","data":[{"id":"gpt-4o"}]}`, discovery.ReasonDecode},
		"a page that is not there":   {"", discovery.ReasonDecode},
		"one more that is not there": {costPage(true, `"three"`), discovery.ReasonStatus},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := costs(map[string]string{"": costPage(true, `"two"`, good), "two": row.second})
			buckets, err := s.client(t).FetchOpenAICostBuckets(t.Context(), costQuery())
			require.NoError(t, err)
			assert.Equal(t, []discovery.CostBucket{}, buckets)
			f := requireOneFailure(t, s, row.reason)
			assert.Equal(t, "FetchOpenAICostBuckets", f.Operation)
			assert.Equal(t, models.OpenAI, f.Provider)
			assert.Equal(t, name == "repeated cursor", strings.Contains(f.Error(), "cursor was repeated"))
			assert.Equal(t, strings.HasPrefix(name, "more, and"), strings.Contains(f.Error(), "without a cursor"))
		})
	}
}

func TestMissingCurrencyIsUSD(t *testing.T) {
	t.Parallel()
	for _, amount := range []string{`{"value":1}`, `{"value":1,"currency":null}`, `{"value":1,"currency":"USD"}`} {
		s := costs(map[string]string{"": costPage(false, "null", costDay(0, `{"amount":`+amount+`}`))})
		buckets, err := s.inProcess().FetchOpenAICostBuckets(t.Context(), costQuery())
		require.NoError(t, err)
		require.Len(t, buckets, 1, amount)
		assert.Equal(t, "usd", buckets[0].Currency)
	}
}

func TestOpenAIPagesAreLimited(t *testing.T) {
	t.Parallel()
	n := 0
	s := newFakeServer(map[string]http.HandlerFunc{"openai": func(w http.ResponseWriter, _ *http.Request) {
		n++
		_, _ = w.Write([]byte(costPage(true, strconv.Quote(fmt.Sprint("page", n)))))
	}})
	buckets, err := s.inProcess().FetchOpenAICostBuckets(t.Context(), costQuery())
	require.NoError(t, err)
	assert.Empty(t, buckets)
	requireOneFailure(t, s, discovery.ReasonPartial)
	assert.Equal(t, 4000, n)
}

// Three years in one-day pages are read to the end.
func TestOpenAILongWindow(t *testing.T) {
	t.Parallel()
	n := int64(0)
	s := newFakeServer(map[string]http.HandlerFunc{"openai": func(w http.ResponseWriter, _ *http.Request) {
		n++
		_, _ = w.Write([]byte(costPage(n < 1100, strconv.Quote(fmt.Sprint("page", n)), costDay(n, result("0.01", "")))))
	}})
	q := costQuery()
	q.Limit, q.EndTime = 1, 0
	report, err := s.inProcess().ReconcileOpenAICost(t.Context(), q, nil)
	require.NoError(t, err)
	assert.Len(t, report.Buckets, 1100)
	assert.Equal(t, 11.0, report.ActualUSD)
}

func TestInvalidOpenAICostQueries(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		field  string
		change func(*discovery.OpenAICostQuery)
	}{
		"no start":         {"StartTime", func(q *discovery.OpenAICostQuery) { q.StartTime = 0 }},
		"negative start":   {"StartTime", func(q *discovery.OpenAICostQuery) { q.StartTime = -1 }},
		"start at the end": {"StartTime", func(q *discovery.OpenAICostQuery) { q.StartTime = q.EndTime }},
		"start after end":  {"StartTime", func(q *discovery.OpenAICostQuery) { q.StartTime = q.EndTime + 1 }},
		"negative end":     {"EndTime", func(q *discovery.OpenAICostQuery) { q.EndTime = -1 }},
		"limit too small":  {"Limit", func(q *discovery.OpenAICostQuery) { q.Limit = -1 }},
		"limit too large":  {"Limit", func(q *discovery.OpenAICostQuery) { q.Limit = 181 }},
		"unknown group":    {"GroupBy", func(q *discovery.OpenAICostQuery) { q.GroupBy = []discovery.GroupBy{"service_tier"} }},
		"empty group":      {"GroupBy", func(q *discovery.OpenAICostQuery) { q.GroupBy = []discovery.GroupBy{""} }},
		"Anthropic's groups": {"GroupBy", func(q *discovery.OpenAICostQuery) {
			q.GroupBy = []discovery.GroupBy{discovery.GroupByWorkspaceID}
		}},
		"Anthropic's descriptions": {"GroupBy", func(q *discovery.OpenAICostQuery) {
			q.GroupBy = []discovery.GroupBy{discovery.GroupByLineItem, discovery.GroupByDescription}
		}},
		"group twice": {"GroupBy", func(q *discovery.OpenAICostQuery) {
			q.GroupBy = []discovery.GroupBy{"line_item", "project_id", "line_item"}
		}},
		"empty project":    {"ProjectIDs", func(q *discovery.OpenAICostQuery) { q.ProjectIDs = []string{"a", ""} }},
		"empty key":        {"APIKeyIDs", func(q *discovery.OpenAICostQuery) { q.APIKeyIDs = []string{""} }},
		"negative timeout": {"Timeout", func(q *discovery.OpenAICostQuery) { q.Timeout = -time.Second }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := costs(map[string]string{"": costPage(false, "null")})
			q := costQuery()
			row.change(&q)
			buckets, err := s.inProcess().FetchOpenAICostBuckets(t.Context(), q)
			requireValueError(t, err, row.field)
			assert.Nil(t, buckets)
			report, err := s.inProcess().ReconcileOpenAICost(t.Context(), q, nil)
			requireValueError(t, err, row.field)
			assert.Nil(t, report)
			assert.Zero(t, s.count("openai"), "nothing is sent")
			assert.Empty(t, s.failures)
		})
	}
}

func TestOpenAIAdminKeyIsTheArgumentElseTheEnvironment(t *testing.T) {
	var got []string
	s := newFakeServer(map[string]http.HandlerFunc{"openai": func(w http.ResponseWriter, r *http.Request) {
		got = append(got, r.Header.Get("Authorization"))
		_, _ = w.Write([]byte(costPage(false, "null")))
	}})
	for _, row := range []struct{ argument, environment string }{{" argument\n", "environment"}, {"", " environment\t"}, {"  ", "environment"}} {
		t.Setenv("OPENAI_ADMIN_KEY", row.environment)
		q := costQuery()
		q.AdminKey = discovery.NewSecret(row.argument)
		_, err := s.inProcess().FetchOpenAICostBuckets(t.Context(), q)
		require.NoError(t, err)
	}
	assert.Equal(t, []string{"Bearer argument", "Bearer environment", "Bearer environment"}, got)
}

// Cursors are escaped, so they can't add a parameter or header; only "=" is sent
// unescaped.
func TestCursorsAreEscaped(t *testing.T) {
	t.Parallel()
	for _, cursor := range []string{"a&end_time=1", "a#b", "a b+c", "a\r\nX: y", "ä", "100%", "%3D", "a/b?c=="} {
		quoted, err := json.Marshal(cursor)
		require.NoError(t, err)
		s := newFakeServer(map[string]http.HandlerFunc{"openai": func(w http.ResponseWriter, r *http.Request) {
			query := r.URL.Query()
			page := costPage(true, string(quoted), costDay(0))
			if query.Has("page") {
				assert.Equal(t, []string{cursor}, query["page"])
				assert.Equal(t, strings.Count(cursor, "="), strings.Count(r.URL.RawQuery[strings.Index(r.URL.RawQuery, "page=")+5:], "="))
				page = costPage(false, "null", costDay(1))
			}
			assert.Equal(t, []string{strconv.FormatInt(day1+7*day, 10)}, query["end_time"])
			assert.Empty(t, r.Header.Get("X"))
			_, _ = w.Write([]byte(page))
		}})
		buckets, err := s.inProcess().FetchOpenAICostBuckets(t.Context(), costQuery())
		require.NoError(t, err)
		assert.Len(t, buckets, 2, cursor)
	}
}

func TestTimesInMillisecondsAreRejected(t *testing.T) {
	t.Parallel()
	for _, change := range []func(*discovery.OpenAICostQuery){
		func(q *discovery.OpenAICostQuery) { q.StartTime, q.EndTime = q.StartTime*1000, q.EndTime*1000 },
		func(q *discovery.OpenAICostQuery) { q.StartTime, q.EndTime = q.StartTime*1000, 0 },
		func(q *discovery.OpenAICostQuery) { q.EndTime *= 1000 },
	} {
		s, q := newFakeServer(nil), costQuery()
		change(&q)
		_, err := s.inProcess().FetchOpenAICostBuckets(t.Context(), q)
		require.ErrorContains(t, err, "milliseconds")
		_, err = s.inProcess().ReconcileOpenAICost(t.Context(), q, nil)
		require.ErrorContains(t, err, "milliseconds")
		assert.Empty(t, s.requests)
	}
}
