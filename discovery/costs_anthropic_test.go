package discovery_test

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"net/http"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/models"
)

// Amounts are in cents: 12345 means 123.45 dollars.
func TestAnthropicCostsAreDollarsOfEveryPage(t *testing.T) {
	t.Parallel()
	s := reports(map[string]string{
		"":            reportPage(true, `"page_b+/=&x"`, reportDay(3, cents("12345", "")), reportDay(4)),
		"page_b+/=&x": reportPage(false, "null", reportDay(1, cents("0.1", ""), cents("0.2", "")), reportDay(2, cents("-125", ""), cents("1E-2", ""))),
	})
	buckets, err := s.client(t).FetchAnthropicCostBuckets(t.Context(), reportQuery())
	require.NoError(t, err)
	assert.Empty(t, s.failures)
	require.Len(t, buckets, 4)
	for i, want := range []float64{0.003, -1.2499, 123.45, 0} {
		b := buckets[i]
		assert.Equal(t, want, b.TotalUSD)
		assert.Equal(t, mayDay(i+1).Unix(), b.StartTime)
		assert.Equal(t, mayDay(i+2).Unix(), b.EndTime)
		assert.Equal(t, "usd", b.Currency)
		for _, breakdown := range []map[string]float64{b.LineItemBreakdown, b.ProjectBreakdown, b.APIKeyBreakdown, b.WorkspaceBreakdown} {
			assert.Equal(t, map[string]float64{}, breakdown)
		}
		assert.NotNil(t, b.RawResults)
	}
	assert.Equal(t, cents("-125", ""), string(buckets[1].RawResults[0]))
}

func TestAnthropicCostsOfADocumentedAnswer(t *testing.T) {
	t.Parallel()
	body, err := os.ReadFile("testdata/anthropic_costs.json")
	require.NoError(t, err)
	s := reports(map[string]string{"": string(body)})
	query := reportQuery()
	query.GroupBy = []discovery.GroupBy{discovery.GroupByWorkspaceID, discovery.GroupByDescription}
	buckets, err := s.inProcess().FetchAnthropicCostBuckets(t.Context(), query)
	require.NoError(t, err)
	require.Len(t, buckets, 2, "%v", s.failures)
	assert.Equal(t, 12.795679025, buckets[0].TotalUSD)
	assert.Equal(t, map[string]float64{"wrkspc_example": 12.345679025, "": 0.45}, buckets[0].WorkspaceBreakdown)
	assert.Equal(t, map[string]float64{
		"Claude Opus 4.8 Usage - Input Tokens": 12.3456789, "Claude Opus 4.8 Usage - Input Tokens, Cache Read": 0.000000125,
		"Web Search Usage": 0.37, "Session Usage": 0.08,
	}, buckets[0].LineItemBreakdown)
	assert.Contains(t, string(buckets[0].RawResults[3]), `"seconds": 3600`)
	assert.Zero(t, buckets[1].TotalUSD)
}

func TestAnthropicRequests(t *testing.T) {
	t.Parallel()
	const head = "starting_at=2026-05-01T00%3A00%3A00Z"
	for want, change := range map[string]func(*discovery.AnthropicCostQuery){
		head + "&ending_at=2026-05-08T00%3A00%3A00Z&bucket_width=1d&limit=7":  func(*discovery.AnthropicCostQuery) {},
		head + "&bucket_width=1d&limit=7":                                     func(q *discovery.AnthropicCostQuery) { q.End = time.Time{} },
		head + "&ending_at=2026-05-08T00%3A00%3A00Z&bucket_width=1d&limit=31": func(q *discovery.AnthropicCostQuery) { q.Limit = 31 },
		head + "&ending_at=2026-05-09T00%3A00%3A00Z&bucket_width=1d&limit=1": func(q *discovery.AnthropicCostQuery) { // whole days
			q.Start, q.End, q.Limit = q.Start.Add(24*time.Hour-1), q.End.Add(1), 1
		},
		head + "&ending_at=2026-05-08T00%3A00%3A00Z&bucket_width=1d&limit=2": func(q *discovery.AnthropicCostQuery) { // another zone
			zone := time.FixedZone("", -7*60*60)
			q.Start, q.End, q.Limit = q.Start.In(zone), q.End.In(zone), 2
		},
		head + "&ending_at=2026-05-08T00%3A00%3A00Z&bucket_width=1d&group_by%5B%5D=workspace_id&group_by%5B%5D=description&limit=7": func(q *discovery.AnthropicCostQuery) {
			q.GroupBy = []discovery.GroupBy{discovery.GroupByWorkspaceID, discovery.GroupByDescription}
		},
	} {
		var queries []string
		s := newFakeServer(map[string]http.HandlerFunc{"anthropic": func(w http.ResponseWriter, r *http.Request) {
			queries = append(queries, r.URL.RawQuery)
			assert.Equal(t, "GET /anthropic/v1/organizations/cost_report", r.Method+" "+r.URL.Path)
			assert.Equal(t, anthropicAdminKey, r.Header.Get("X-Api-Key"))
			assert.Equal(t, "2023-06-01", r.Header.Get("Anthropic-Version"))
			assert.Empty(t, r.Header.Get("Authorization"))
			next := `"page_MjAyNg=="`
			if len(queries) == 2 {
				next = "null"
			}
			_, _ = w.Write([]byte(reportPage(len(queries) == 1, next)))
		}})
		q := reportQuery()
		change(&q)
		buckets, err := s.inProcess().FetchAnthropicCostBuckets(t.Context(), q)
		require.NoError(t, err)
		assert.Equal(t, []discovery.CostBucket{}, buckets)
		assert.Equal(t, []string{want, want + "&page=page_MjAyNg%3D%3D"}, queries)
	}
}

func TestAnthropicBreakdowns(t *testing.T) {
	t.Parallel()
	s := reports(map[string]string{"": reportPage(false, "null", reportDay(1,
		cents("10", `,"description":"input","workspace_id":"w1"`), cents("20", `,"description":"input","workspace_id":"w2"`),
		cents("-5", `,"description":"output","workspace_id":"w1"`), cents("300", `,"workspace_id":null`),
	))})
	lines, workspaces := map[string]float64{"input": 0.3, "output": -0.05, "": 3}, map[string]float64{"w1": 0.05, "w2": 0.2, "": 3}
	for _, row := range []struct {
		groups            []discovery.GroupBy
		lines, workspaces map[string]float64
	}{
		{nil, map[string]float64{}, map[string]float64{}},
		{[]discovery.GroupBy{"description"}, lines, map[string]float64{}},
		{[]discovery.GroupBy{"workspace_id"}, map[string]float64{}, workspaces},
		{[]discovery.GroupBy{"description", "workspace_id"}, lines, workspaces},
	} {
		q := reportQuery()
		q.GroupBy = row.groups
		buckets, err := s.inProcess().FetchAnthropicCostBuckets(t.Context(), q)
		require.NoError(t, err)
		require.Len(t, buckets, 1)
		assert.Equal(t, 3.25, buckets[0].TotalUSD)
		assert.Equal(t, row.lines, buckets[0].LineItemBreakdown, row.groups)
		assert.Equal(t, row.workspaces, buckets[0].WorkspaceBreakdown, row.groups)
		assert.Empty(t, buckets[0].ProjectBreakdown)
		assert.Empty(t, buckets[0].APIKeyBreakdown)
	}
}

func TestAnthropicFailureOnAnyPageReturnsNoBuckets(t *testing.T) {
	t.Parallel()
	one := func(result string) string { return reportPage(false, "null", reportDay(2, result)) }
	for name, row := range map[string]struct {
		second string
		reason discovery.Reason
	}{
		"repeated cursor":        {reportPage(true, `"two"`, reportDay(2)), discovery.ReasonPartial},
		"more without a cursor":  {reportPage(true, "null", reportDay(2)), discovery.ReasonPartial},
		"no data":                {`{"has_more":false}`, discovery.ReasonDecode},
		"no has_more":            {`{"data":[]}`, discovery.ReasonDecode},
		"no results":             {reportPage(false, "null", `{"starting_at":"2026-05-02T00:00:00Z","ending_at":"2026-05-03T00:00:00Z"}`), discovery.ReasonDecode},
		"Unix seconds":           {reportPage(false, "null", `{"starting_at":1777680000,"ending_at":1777766400,"results":[]}`), discovery.ReasonDecode},
		"a date":                 {reportPage(false, "null", `{"starting_at":"2026-05-02","ending_at":"2026-05-03","results":[]}`), discovery.ReasonDecode},
		"a day again":            {reportPage(false, "null", reportDay(1)), discovery.ReasonDecode},
		"a day that ends before": {reportPage(false, "null", `{"starting_at":"2026-05-03T00:00:00Z","ending_at":"2026-05-02T00:00:00Z","results":[]}`), discovery.ReasonDecode},
		"the day before":         {reportPage(false, "null", reportDay(0)), discovery.ReasonDecode},
		"the day after":          {reportPage(false, "null", reportDay(8, cents("1", ""))), discovery.ReasonDecode},
		"no amount":              {one(`{"currency":"USD"}`), discovery.ReasonDecode},
		"null amount":            {one(`{"amount":null,"currency":"USD"}`), discovery.ReasonDecode},
		"amount is a number":     {one(`{"amount":123.45,"currency":"USD"}`), discovery.ReasonDecode}, // could be in dollars
		"amount is empty":        {one(cents("", "")), discovery.ReasonDecode},
		"amount has a sign":      {one(cents("+1", "")), discovery.ReasonDecode},
		"amount in dollars":      {one(cents("$1.00", "")), discovery.ReasonDecode},
		"amount with a comma":    {one(cents("1,000.00", "")), discovery.ReasonDecode},
		"amount has a blank":     {one(cents(" 1", "")), discovery.ReasonDecode},
		"amount is infinite":     {one(cents("Infinity", "")), discovery.ReasonDecode},
		"amount beyond memory":   {one(cents("1E-99999999999", "")), discovery.ReasonDecode},
		"another currency":       {one(`{"amount":"1","currency":"EUR"}`), discovery.ReasonDecode},
		"no currency":            {one(`{"amount":"1"}`), discovery.ReasonDecode},
		"null currency":          {one(`{"amount":"1","currency":null}`), discovery.ReasonDecode},
		"result is a number":     {one(`7`), discovery.ReasonDecode},
		"an error with 200":      {`{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, discovery.ReasonDecode},
		"a list of models":       {`{"data":[{"type":"model","id":"claude-opus-4-8"}],"has_more":false}`, discovery.ReasonDecode},
		"OpenAI's page":          {goodCosts, discovery.ReasonDecode},
		"no such page":           {reportPage(true, `"three"`), discovery.ReasonStatus},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := reports(map[string]string{"": reportPage(true, `"two"`, reportDay(1, cents("5", ""))), "two": row.second})
			buckets, err := s.client(t).FetchAnthropicCostBuckets(t.Context(), reportQuery())
			require.NoError(t, err)
			assert.Equal(t, []discovery.CostBucket{}, buckets)
			f := requireOneFailure(t, s, row.reason)
			assert.Equal(t, "FetchAnthropicCostBuckets", f.Operation)
			assert.Equal(t, models.Anthropic, f.Provider)
		})
	}
}

func TestInvalidAnthropicCostQueries(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		field  string
		change func(*discovery.AnthropicCostQuery)
	}{
		"no start":           {"Start", func(q *discovery.AnthropicCostQuery) { q.Start = time.Time{} }},
		"start before 1970":  {"Start", func(q *discovery.AnthropicCostQuery) { q.Start = time.Unix(-1, 0) }},
		"start at the end":   {"Start", func(q *discovery.AnthropicCostQuery) { q.Start = q.End }},
		"start after end":    {"Start", func(q *discovery.AnthropicCostQuery) { q.Start = q.End.Add(1) }},
		"end at the epoch":   {"Start", func(q *discovery.AnthropicCostQuery) { q.End = time.Unix(0, 0) }},
		"milliseconds":       {"Start", func(q *discovery.AnthropicCostQuery) { q.Start, q.End = time.Unix(1777593600000, 0), time.Time{} }},
		"end, milliseconds":  {"End", func(q *discovery.AnthropicCostQuery) { q.End = time.Unix(1777593600000, 0) }},
		"limit too small":    {"Limit", func(q *discovery.AnthropicCostQuery) { q.Limit = -1 }},
		"limit too large":    {"Limit", func(q *discovery.AnthropicCostQuery) { q.Limit = 32 }},
		"OpenAI's line item": {"GroupBy", func(q *discovery.AnthropicCostQuery) { q.GroupBy = []discovery.GroupBy{discovery.GroupByLineItem} }},
		"OpenAI's project":   {"GroupBy", func(q *discovery.AnthropicCostQuery) { q.GroupBy = []discovery.GroupBy{discovery.GroupByProjectID} }},
		"OpenAI's key": {"GroupBy", func(q *discovery.AnthropicCostQuery) {
			q.GroupBy = []discovery.GroupBy{"description", discovery.GroupByAPIKeyID}
		}},
		"empty group":      {"GroupBy", func(q *discovery.AnthropicCostQuery) { q.GroupBy = []discovery.GroupBy{""} }},
		"group twice":      {"GroupBy", func(q *discovery.AnthropicCostQuery) { q.GroupBy = []discovery.GroupBy{"description", "description"} }},
		"negative timeout": {"Timeout", func(q *discovery.AnthropicCostQuery) { q.Timeout = -time.Second }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, q := reports(nil), reportQuery()
			row.change(&q)
			buckets, err := s.inProcess().FetchAnthropicCostBuckets(t.Context(), q)
			requireValueError(t, err, row.field)
			assert.Nil(t, buckets)
			report, err := s.inProcess().ReconcileAnthropicCost(t.Context(), q, nil)
			requireValueError(t, err, row.field)
			assert.Nil(t, report)
			assert.Empty(t, s.requests)
			assert.Empty(t, s.failures)
		})
	}
}

func TestAnthropicAdminKeyIsTheArgumentElseTheEnvironment(t *testing.T) {
	var got []string
	s := newFakeServer(map[string]http.HandlerFunc{"anthropic": func(w http.ResponseWriter, r *http.Request) {
		got = append(got, r.Header.Get("X-Api-Key"))
		_, _ = w.Write([]byte(reportPage(false, "null")))
	}})
	t.Setenv("ANTHROPIC_API_KEY", "chat")
	t.Setenv("ANTHROPIC_ADMIN_KEY", " environment\t")
	for argument, opts := range map[string][]discovery.Option{
		" argument\n": {fixedKey(discovery.ServiceAnthropicAdmin, "function", nil)}, " ": {fixedKey(discovery.ServiceAnthropicAdmin, "function", nil)}, "": nil,
	} {
		q := reportQuery()
		q.AdminKey = discovery.NewSecret(argument)
		_, err := s.inProcess(opts...).FetchAnthropicCostBuckets(t.Context(), q)
		require.NoError(t, err)
	}
	assert.ElementsMatch(t, []string{"argument", "function", "environment"}, got)
}

// Random cents, over any number of results and days, add up to math/big's sum, rounded
// once.
func TestAnthropicCentsAddUpExactly(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(9, 4))
	for range 200 {
		exact, days := new(big.Rat), make([]string, 1+random.IntN(7))
		for i := range days {
			results := make([]string, random.IntN(20))
			for j := range results {
				text := decimal(random.Int64N(3_000_000_000)-1_000_000, random.IntN(13))
				value, _ := new(big.Rat).SetString(text)
				exact.Add(exact, value.Quo(value, big.NewRat(100, 1)))
				results[j] = cents(text, "")
			}
			days[i] = reportDay(i+1, results...)
		}
		report, err := reports(map[string]string{"": reportPage(false, "null", days...)}).inProcess().ReconcileAnthropicCost(t.Context(), reportQuery(), nil)
		require.NoError(t, err)
		assert.Equal(t, nearest(exact), report.ActualUSD)
	}
}

// A year in one-day pages is read to the end, and each page gets the whole timeout.
func TestAnthropicLongWindow(t *testing.T) {
	t.Parallel()
	n := 0
	s := newFakeServer(map[string]http.HandlerFunc{"anthropic": func(w http.ResponseWriter, _ *http.Request) {
		n++
		_, _ = w.Write([]byte(reportPage(n < 365, strconv.Quote(fmt.Sprint("page", n)), reportDay(n, cents("1", "")))))
	}})
	q := reportQuery()
	q.Limit, q.End = 1, mayDay(366)
	report, err := s.inProcess().ReconcileAnthropicCost(t.Context(), q, nil)
	require.NoError(t, err)
	assert.Len(t, report.Buckets, 365)
	assert.Equal(t, 3.65, report.ActualUSD)
	assert.Empty(t, report.MissingDays)
}
