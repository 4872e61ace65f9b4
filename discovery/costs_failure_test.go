package discovery_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"reflect"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
)

// billing is an operation that asks for money.
type billing struct {
	service  string
	provider discovery.Provider
	key      string
	good     string // an answer that can be read
	usual    time.Duration
	// call runs the operation and reports whether the result is the empty one.
	call func(ctx context.Context, c *discovery.Client, timeout time.Duration) (empty bool, err error)
}

const (
	goodCosts = `{"object":"page","data":[{"object":"bucket","start_time":1730419200,"end_time":1730505600,"results":[
		{"object":"organization.costs.result","amount":{"value":"1.5","currency":"usd"},"line_item":"a","project_id":"b","api_key_id":"c"}]}],
		"has_more":false,"next_page":"p2"}`
	goodUsage = `{"timeSeries":[{"group":["a"],"groupLabels":["b"],"dataPoints":[{"timestamp":"2026-05-08T00:00:00Z","values":["1.5"]}]}],"limitReached":false}`
	goodMoney = `{"is_available":true,"balance_infos":[{"currency":"USD","total_balance":"9.87","granted_balance":"1.00","topped_up_balance":"8.87"}]}`
)

func billings() map[string]billing {
	return map[string]billing{
		"FetchDeepSeekBalance": {
			"deepseek", discovery.DeepSeek, balanceKey, goodMoney, 10 * time.Second,
			func(ctx context.Context, c *discovery.Client, timeout time.Duration) (bool, error) {
				b, err := c.FetchDeepSeekBalance(ctx, discovery.BalanceOptions{APIKey: balanceKey, Timeout: timeout})
				return b == nil, err
			},
		},
		"FetchOpenAICostBuckets": {
			"openai", discovery.OpenAI, adminKey, goodCosts, 15 * time.Second,
			func(ctx context.Context, c *discovery.Client, timeout time.Duration) (bool, error) {
				q := costQuery()
				q.Timeout = timeout
				buckets, err := c.FetchOpenAICostBuckets(ctx, q)
				return buckets != nil && len(buckets) == 0, err
			},
		},
		"ReconcileOpenAICost": {
			"openai", discovery.OpenAI, adminKey, goodCosts, 15 * time.Second,
			func(ctx context.Context, c *discovery.Client, timeout time.Duration) (bool, error) {
				q := costQuery()
				q.Timeout = timeout
				r, err := c.ReconcileOpenAICost(ctx, q, ptr(1.0))
				return !r.Complete && r.DriftUSD == nil && r.DriftPct == nil && len(r.Buckets) == 0 && r.ActualUSD == 0, err
			},
		},
		"FetchXAICostBuckets": {
			"xaimanagement", discovery.XAI, managementKey, goodUsage, 15 * time.Second,
			func(ctx context.Context, c *discovery.Client, timeout time.Duration) (bool, error) {
				q := usageQuery()
				q.Timeout = timeout
				buckets, err := c.FetchXAICostBuckets(ctx, q)
				return buckets != nil && len(buckets) == 0, err
			},
		},
		"ReconcileXAICost": {
			"xaimanagement", discovery.XAI, managementKey, goodUsage, 15 * time.Second,
			func(ctx context.Context, c *discovery.Client, timeout time.Duration) (bool, error) {
				q := usageQuery()
				q.Timeout = timeout
				r, err := c.ReconcileXAICost(ctx, q, ptr(1.0))
				return !r.Complete && r.DriftUSD == nil && r.DriftPct == nil && len(r.Buckets) == 0 && r.ActualUSD == 0, err
			},
		},
	}
}

// refusesLater is a 429 that says when to come back.
func refusesLater(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Retry-After", "17")
	w.WriteHeader(http.StatusTooManyRequests)
}

// sends writes n bytes that are no end of a document; n < 0 is without end.
func sends(n int, length bool) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		if length {
			w.Header().Set("Content-Length", strconv.Itoa(n))
		}
		blanks := bytes.Repeat([]byte(" "), 1<<16)
		for sent := 0; n < 0 || sent < n; sent += len(blanks) {
			if _, err := w.Write(blanks); err != nil {
				return
			}
		}
	}
}

// hangs answers nothing, or a beginning, until the client goes.
func hangs(beginning string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Body != nil {
			_, _ = io.Copy(io.Discard, r.Body) // a server looks whether the client has gone once the body is read
		}
		if beginning != "" {
			_, _ = w.Write([]byte(beginning))
			_ = http.NewResponseController(w).Flush()
		}
		<-r.Context().Done()
	}
}

// Every way to fail gives the empty value, no error, one Failure that says why, and no wait beyond the timeout.
func TestEveryFailureOfABillOrBalanceHasItsReason(t *testing.T) {
	t.Parallel()
	echo := func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusBadRequest)
		_, _ = w.Write([]byte("bad key " + r.Header.Get("Authorization")))
	}
	rows := map[string]struct {
		handler http.HandlerFunc
		reason  discovery.Reason
		status  int
		after   time.Duration
	}{
		"400":               {refuses(400, `{"error":{"message":"bad"}}`), discovery.ReasonStatus, 400, 0},
		"400 with the key":  {echo, discovery.ReasonStatus, 400, 0},
		"401":               {refuses(401, "{}"), discovery.ReasonDenied, 401, 0},
		"402":               {refuses(402, `{"error":{"message":"Insufficient Balance"}}`), discovery.ReasonStatus, 402, 0},
		"403":               {refuses(403, "<html>"), discovery.ReasonDenied, 403, 0},
		"404":               {refuses(404, ""), discovery.ReasonStatus, 404, 0},
		"429":               {refuses(429, ""), discovery.ReasonRateLimited, 429, 0},
		"429 with a time":   {refusesLater, discovery.ReasonRateLimited, 429, 17 * time.Second},
		"500":               {refuses(500, "oops"), discovery.ReasonStatus, 500, 0},
		"503":               {refuses(503, "<html>busy</html>"), discovery.ReasonStatus, 503, 0},
		"redirect":          {func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/elsewhere", 302) }, discovery.ReasonStatus, 302, 0},
		"lasting redirect":  {func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/elsewhere", 307) }, discovery.ReasonStatus, 307, 0},
		"html":              {says("<html>hello</html>"), discovery.ReasonDecode, 200, 0},
		"empty":             {says(""), discovery.ReasonDecode, 200, 0},
		"no content":        {refuses(204, ""), discovery.ReasonDecode, 204, 0},
		"null":              {says("null"), discovery.ReasonDecode, 200, 0},
		"number":            {says("7"), discovery.ReasonDecode, 200, 0},
		"array":             {says("[]"), discovery.ReasonDecode, 200, 0},
		"error with 200":    {says(`{"error":{"message":"overloaded"}}`), discovery.ReasonDecode, 200, 0},
		"half a document":   {says(goodCosts[:100]), discovery.ReasonDecode, 200, 0},
		"half a usage":      {says(goodUsage[:100]), discovery.ReasonDecode, 200, 0},
		"100 MB":            {sends(100<<20, false), discovery.ReasonTooLarge, 200, 0},
		"100 MB, announced": {sends(100<<20, true), discovery.ReasonTooLarge, 200, 0},
		"endless":           {sends(-1, false), discovery.ReasonTooLarge, 200, 0},
		"gzip bomb":         {gzipBomb, discovery.ReasonTooLarge, 200, 0},
		"slow":              {hangs(""), discovery.ReasonTimeout, 0, 0},
		"slow body":         {hangs(`{"data":[`), discovery.ReasonTimeout, 200, 0},
		"hang-up":           {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, discovery.ReasonNetwork, 0, 0},
		"half body": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			_, _ = w.Write([]byte(`{"data":`))
		}, discovery.ReasonNetwork, 200, 0},
	}
	for operation, b := range billings() {
		for name, row := range rows {
			t.Run(operation+"/"+name, func(t *testing.T) {
				t.Parallel()
				s := newSite(map[string]http.HandlerFunc{b.service: row.handler})
				var log bytes.Buffer
				c := s.client(t, discovery.WithMaxResponseBytes(1<<20), discovery.WithLogger(slog.New(slog.NewJSONHandler(&log, nil))))
				timeout, begin := time.Minute, time.Now()
				if row.reason == discovery.ReasonTimeout {
					timeout = 50 * time.Millisecond
				}
				empty, err := b.call(t.Context(), c, timeout)
				require.NoError(t, err)
				assert.True(t, empty)
				assert.Less(t, time.Since(begin), 20*time.Second)
				f := oneFailure(t, s, row.reason)
				assert.Equal(t, row.status, f.StatusCode)
				assert.Equal(t, row.after, f.RetryAfter)
				assert.Equal(t, b.provider, f.Provider)
				assert.Equal(t, operation, f.Operation)
				assert.Zero(t, s.count("elsewhere"))
				assert.Equal(t, 1, s.count(b.service))
				shown := fmt.Sprintf("%v %+v %#v %v %+v", f, f, f, f.Err, f.Err) + log.String()
				assert.NotContains(t, shown, b.key)
				assert.Contains(t, log.String(), `"reason":"`+string(row.reason)+`"`)
			})
		}
	}
}

// A value of the wrong type, anywhere in an answer, is a failure and never a zero.
func TestAWrongTypeInAnyFieldIsAFailure(t *testing.T) {
	t.Parallel()
	for operation, b := range billings() {
		var answer any
		require.NoError(t, json.Unmarshal([]byte(b.good), &answer))
		fine := newSite(map[string]http.HandlerFunc{b.service: says(b.good)})
		empty, err := b.call(t.Context(), fine.inProcess(), 0)
		require.NoError(t, err)
		require.False(t, empty, operation)
		variants := make(map[string]string)
		mistype("", answer, func() string { return asJSON(t, answer) }, func(v any) { answer = v }, variants)
		require.Greater(t, len(variants), 20)
		for place, body := range variants {
			s := newSite(map[string]http.HandlerFunc{b.service: says(body)})
			empty, err := b.call(t.Context(), s.inProcess(), 0)
			require.NoError(t, err)
			assert.True(t, empty, "%s: %s", operation, place)
			if assert.Len(t, s.failures, 1, "%s: %s", operation, place) {
				assert.Contains(t, []discovery.Reason{discovery.ReasonDecode, discovery.ReasonPartial}, s.failures[0].Reason, place)
			}
		}
	}
}

// mistype collects the document with each of its values replaced, one at a time, by values of the other types.
func mistype(place string, v any, whole func() string, set func(any), into map[string]string) {
	for _, wrong := range []any{7.0, "text", true, []any{7.0}, map[string]any{"x": 7.0}} {
		_, isNumber := wrong.(float64)
		text, _ := v.(string)
		if amount := number.MatchString(text); amount && isNumber || !amount && reflect.TypeOf(wrong) == reflect.TypeOf(v) {
			continue
		}
		set(wrong)
		into[fmt.Sprintf("%s as %v", place, wrong)] = whole()
	}
	set(v)
	switch v := v.(type) {
	case map[string]any:
		for name, inner := range v {
			mistype(place+"."+name, inner, whole, func(x any) { v[name] = x }, into)
		}
	case []any:
		for i, inner := range v {
			mistype(fmt.Sprintf("%s[%d]", place, i), inner, whole, func(x any) { v[i] = x }, into)
		}
	}
}

// Without a key nothing is sent.
func TestABillOrBalanceWithoutAKey(t *testing.T) {
	noCredentials(t)
	s := newSite(nil)
	c := s.inProcess()
	balance, err := c.FetchDeepSeekBalance(t.Context(), discovery.BalanceOptions{APIKey: " "})
	require.NoError(t, err)
	assert.Nil(t, balance)
	days, err := c.FetchOpenAICostBuckets(t.Context(), discovery.OpenAICostQuery{StartTime: day1})
	require.NoError(t, err)
	assert.Equal(t, []discovery.CostBucket{}, days)
	q := usageQuery()
	q.ManagementKey = ""
	parts, err := c.FetchXAICostBuckets(t.Context(), q)
	require.NoError(t, err)
	assert.Equal(t, []discovery.TeamCostBucket{}, parts)
	assert.Equal(t, []string{"deepseek missing_credential", "openai missing_credential", "xai missing_credential"}, s.reasons())
	for i, name := range []string{"DEEPSEEK_API_KEY", "OPENAI_ADMIN_KEY", "XAI_MANAGEMENT_KEY"} {
		assert.Contains(t, s.failures[i].Error(), name, "it says what to set")
	}
	assert.Empty(t, s.asked)
}

// With strict errors every failure is an error as well, and the value stays the empty one.
func TestStrictErrorsOfBillsAndBalances(t *testing.T) {
	t.Parallel()
	for operation, b := range billings() {
		s := newSite(map[string]http.HandlerFunc{b.service: refuses(500, "oops")})
		empty, err := b.call(t.Context(), s.inProcess(discovery.WithStrictErrors()), 0)
		var f discovery.Failure
		require.ErrorAs(t, err, &f, operation)
		assert.Equal(t, operation, f.Operation)
		assert.True(t, empty)
	}
}

// The defaults of the source document, to the nanosecond; and a shorter context wins.
func TestBillsAndBalancesGiveUpInTime(t *testing.T) {
	t.Parallel()
	for operation, b := range billings() {
		synctest.Test(t, func(t *testing.T) {
			s := newSite(map[string]http.HandlerFunc{b.service: hangs("")})
			for wait, timeout := range map[time.Duration]time.Duration{b.usual: 0, time.Second: time.Second, time.Hour: time.Hour} {
				begin := time.Now()
				_, err := b.call(t.Context(), s.inProcess(), timeout)
				require.NoError(t, err)
				assert.Equal(t, wait, time.Since(begin), operation)
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
			defer cancel()
			begin := time.Now()
			_, err := b.call(ctx, s.inProcess(), 0)
			require.NoError(t, err)
			assert.Equal(t, time.Millisecond, time.Since(begin))
			for _, f := range s.failures {
				assert.Equal(t, discovery.ReasonTimeout, f.Reason)
			}
			assert.Len(t, s.failures, 4)
		})
	}
}

// The timeout is that of a page: many pages, each in time, are all read.
func TestTheTimeoutIsThatOfAPage(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := int64(0)
		s := newSite(map[string]http.HandlerFunc{"openai": func(w http.ResponseWriter, _ *http.Request) {
			time.Sleep(10 * time.Second)
			n++
			_, _ = w.Write([]byte(costPage(n < 5, strconv.Quote(fmt.Sprint("p", n)), costDay(n))))
		}})
		buckets, err := s.inProcess().FetchOpenAICostBuckets(t.Context(), costQuery())
		require.NoError(t, err)
		assert.Len(t, buckets, 5)
	})
}

func TestACancelledBillIsNoBill(t *testing.T) {
	t.Parallel()
	for operation, b := range billings() {
		ctx, cancel := context.WithCancel(t.Context())
		s := newSite(map[string]http.HandlerFunc{b.service: func(http.ResponseWriter, *http.Request) { cancel() }})
		empty, err := b.call(ctx, s.inProcess(), 0)
		require.NoError(t, err)
		assert.True(t, empty, operation)
		f := oneFailure(t, s, discovery.ReasonNetwork)
		require.ErrorIs(t, f, context.Canceled)
	}
}

// Whatever happens to a request, the key is in none of its traces; and a query can be printed.
func TestNoTraceOfABillShowsTheKey(t *testing.T) {
	t.Parallel()
	for operation, b := range billings() {
		var log bytes.Buffer
		dump := func(_ http.ResponseWriter, r *http.Request) {
			panic(fmt.Errorf("cannot send %v to %v", r.Header, r.URL))
		}
		echo := func(w http.ResponseWriter, r *http.Request) { _, _ = fmt.Fprintf(w, `{"data":[%q]}`, r.Header) }
		for _, handler := range []http.HandlerFunc{dump, echo} {
			s := newSite(map[string]http.HandlerFunc{b.service: func(w http.ResponseWriter, r *http.Request) {
				assert.NotContains(t, r.URL.String(), b.key)
				handler(w, r)
			}})
			logger := discovery.WithLogger(slog.New(slog.NewTextHandler(&log, nil)))
			_, err := b.call(t.Context(), s.inProcess(logger, discovery.WithStrictErrors()), 0)
			for e := err; e != nil; e = errors.Unwrap(e) {
				fmt.Fprintf(&log, "%v %+v %#v", e, e, e)
			}
			require.Len(t, s.failures, 1)
			fmt.Fprintf(&log, "%+v %#v", s.failures[0], s.failures[0])
		}
		assert.NotContains(t, log.String(), b.key[:10], operation)
	}
	for _, query := range []any{costQuery(), usageQuery(), discovery.BalanceOptions{APIKey: balanceKey}, ptr(costQuery()), ptr(usageQuery())} {
		var log bytes.Buffer
		slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "query", query)
		slog.New(slog.NewTextHandler(&log, nil)).Info("x", "query", query)
		shown := fmt.Sprintf("%v %+v %#v %s %q", query, query, query, query, query) + asJSON(t, query) + log.String()
		assert.NotContains(t, shown, "of.the.tests")
		assert.Contains(t, shown, "[REDACTED]")
	}
	assert.Contains(t, fmt.Sprintf("%+v", discovery.OpenAICostQuery{Limit: 5}), "AdminKey: GroupBy:[] Limit:5", "what is not given is not hidden")
}
