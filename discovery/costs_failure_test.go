package discovery_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
)

// Every failure gives an empty value, no error, and one Failure with its reason, within
// the timeout.
func TestReasonsOfBillAndBalanceFailures(t *testing.T) {
	t.Parallel()
	echo := func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusBadRequest)
		_, _ = w.Write([]byte("bad key " + r.Header.Get("Authorization") + r.Header.Get("X-Api-Key")))
	}
	rows := map[string]struct {
		handler http.HandlerFunc
		reason  discovery.Reason
		status  int
		after   time.Duration
	}{
		"400":               {respondStatus(400, `{"error":{"message":"bad"}}`), discovery.ReasonStatus, 400, 0},
		"400 with the key":  {echo, discovery.ReasonStatus, 400, 0},
		"401":               {respondStatus(401, "{}"), discovery.ReasonDenied, 401, 0},
		"402":               {respondStatus(402, `{"error":{"message":"Insufficient Balance"}}`), discovery.ReasonStatus, 402, 0},
		"403":               {respondStatus(403, "<html>"), discovery.ReasonDenied, 403, 0},
		"404":               {respondStatus(404, ""), discovery.ReasonStatus, 404, 0},
		"429":               {respondStatus(429, ""), discovery.ReasonRateLimited, 429, 0},
		"429 with a time":   {refusesLater, discovery.ReasonRateLimited, 429, 17 * time.Second},
		"500":               {respondStatus(500, "oops"), discovery.ReasonStatus, 500, 0},
		"503":               {respondStatus(503, "<html>busy</html>"), discovery.ReasonStatus, 503, 0},
		"redirect":          {func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/elsewhere", 302) }, discovery.ReasonStatus, 302, 0},
		"lasting redirect":  {func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/elsewhere", 307) }, discovery.ReasonStatus, 307, 0},
		"html":              {respond("<html>hello</html>"), discovery.ReasonDecode, 200, 0},
		"empty":             {respond(""), discovery.ReasonDecode, 200, 0},
		"no content":        {respondStatus(204, ""), discovery.ReasonDecode, 204, 0},
		"null":              {respond("null"), discovery.ReasonDecode, 200, 0},
		"number":            {respond("7"), discovery.ReasonDecode, 200, 0},
		"array":             {respond("[]"), discovery.ReasonDecode, 200, 0},
		"error with 200":    {respond(`{"error":{"message":"overloaded"}}`), discovery.ReasonDecode, 200, 0},
		"half a document":   {respond(goodCosts[:100]), discovery.ReasonDecode, 200, 0},
		"half a usage":      {respond(goodUsage[:100]), discovery.ReasonDecode, 200, 0},
		"100 MB":            {sends(100<<20, false), discovery.ReasonTooLarge, 200, 0},
		"100 MB, announced": {sends(100<<20, true), discovery.ReasonTooLarge, 200, 0},
		"endless":           {sends(-1, false), discovery.ReasonTooLarge, 200, 0},
		"gzip bomb":         {gzipBomb, discovery.ReasonTooLarge, 200, 0},
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
				s := newFakeServer(map[string]http.HandlerFunc{b.service: row.handler})
				var log bytes.Buffer
				c := s.client(t, discovery.WithMaxResponseBytes(1<<20), discovery.WithLogger(slog.New(slog.NewJSONHandler(&log, nil))))
				empty, err := b.call(t.Context(), c, time.Minute)
				require.NoError(t, err)
				assert.True(t, empty)
				f := requireOneFailure(t, s, row.reason)
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

// Without a key nothing is sent.
func TestBillsAndBalancesWithoutAKey(t *testing.T) {
	t.Parallel()
	s := newFakeServer(nil)
	c := s.inProcess()
	balance, err := c.FetchDeepSeekBalance(t.Context(), discovery.BalanceOptions{APIKey: discovery.NewSecret(" ")})
	require.NoError(t, err)
	assert.Nil(t, balance)
	days, err := c.FetchOpenAICostBuckets(t.Context(), discovery.OpenAICostQuery{StartTime: day1})
	require.NoError(t, err)
	assert.Equal(t, []discovery.CostBucket{}, days)
	days, err = c.FetchAnthropicCostBuckets(t.Context(), discovery.AnthropicCostQuery{Start: mayDay(1)})
	require.NoError(t, err)
	assert.Equal(t, []discovery.CostBucket{}, days)
	q := usageQuery()
	q.ManagementKey = discovery.Secret{}
	parts, err := c.FetchXAICostBuckets(t.Context(), q)
	require.NoError(t, err)
	assert.Equal(t, []discovery.TeamCostBucket{}, parts)
	assert.Equal(t, []string{"deepseek missing_credential", "openai missing_credential", "anthropic missing_credential", "xai missing_credential"}, s.reasons())
	for i, name := range []string{"DEEPSEEK_API_KEY", "OPENAI_ADMIN_KEY", "ANTHROPIC_ADMIN_KEY", "XAI_MANAGEMENT_KEY"} {
		assert.Contains(t, s.failures[i].Error(), name, "it names the variable")
	}
	assert.Empty(t, s.requests)
}

// With strict errors, every failure is also an error, and the value is still empty.
func TestStrictErrorsOfBillsAndBalances(t *testing.T) {
	t.Parallel()
	for operation, b := range billings() {
		s := newFakeServer(map[string]http.HandlerFunc{b.service: respondStatus(500, "oops")})
		empty, err := b.call(t.Context(), s.inProcess(discovery.WithStrictErrors()), 0)
		var f *discovery.Failure
		require.ErrorAs(t, err, &f, operation)
		assert.Equal(t, operation, f.Operation)
		assert.True(t, empty)
	}
}

// Neither failures nor printed queries contain the key.
func TestBillsAndBalancesShowNoKey(t *testing.T) {
	t.Parallel()
	for operation, b := range billings() {
		var log bytes.Buffer
		dump := func(_ http.ResponseWriter, r *http.Request) {
			panic(fmt.Errorf("cannot send %v to %v", r.Header, r.URL))
		}
		echo := func(w http.ResponseWriter, r *http.Request) { _, _ = fmt.Fprintf(w, `{"data":[%q]}`, r.Header) }
		for _, handler := range []http.HandlerFunc{dump, echo} {
			s := newFakeServer(map[string]http.HandlerFunc{b.service: func(w http.ResponseWriter, r *http.Request) {
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
	for _, query := range []any{costQuery(), reportQuery(), usageQuery(), discovery.BalanceOptions{APIKey: discovery.NewSecret(balanceKey)}, ptr(costQuery()), ptr(reportQuery()), ptr(usageQuery())} {
		var log bytes.Buffer
		slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "query", query)
		slog.New(slog.NewTextHandler(&log, nil)).Info("x", "query", query)
		shown := fmt.Sprintf("%v %+v %#v %s %q", query, query, query, query, query) + asJSON(t, query) + log.String()
		assert.NotContains(t, shown, "of.the.tests")
		assert.Contains(t, shown, "[REDACTED]")
	}
}

// The default timeouts apply unless the context ends earlier.
func TestTimeoutsOfBillsAndBalances(t *testing.T) {
	t.Parallel()
	for operation, b := range billings() {
		for beginning, status := range map[string]int{"": 0, `{"data":[`: 200} {
			synctest.Test(t, func(t *testing.T) {
				s := newFakeServer(map[string]http.HandlerFunc{b.service: hangs(beginning)})
				c := s.inMemory(t)
				check := func(ctx context.Context, timeout, want time.Duration) {
					begin := time.Now()
					empty, err := b.call(ctx, c, timeout)
					require.NoError(t, err)
					assert.True(t, empty)
					assert.Equal(t, want, time.Since(begin), operation)
				}
				check(t.Context(), 0, b.usual)
				check(t.Context(), time.Second, time.Second)
				check(t.Context(), time.Hour, time.Hour)
				ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
				defer cancel()
				check(ctx, 0, time.Millisecond)
				require.Len(t, s.failures, 4)
				for _, f := range s.failures {
					assert.Equal(t, discovery.ReasonTimeout, f.Reason)
					assert.Equal(t, status, f.StatusCode)
					assert.Equal(t, b.provider, f.Provider)
					assert.Equal(t, operation, f.Operation)
				}
				assert.Equal(t, 4, s.count(b.service))
			})
		}
	}
}

// The timeout applies to each page, not to the whole list.
func TestTimeoutAppliesToEachPage(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := int64(0)
		s := newFakeServer(map[string]http.HandlerFunc{"openai": func(w http.ResponseWriter, _ *http.Request) {
			time.Sleep(10 * time.Second)
			n++
			_, _ = w.Write([]byte(costPage(n < 5, strconv.Quote(fmt.Sprint("p", n)), costDay(n))))
		}})
		buckets, err := s.inProcess().FetchOpenAICostBuckets(t.Context(), costQuery())
		require.NoError(t, err)
		assert.Len(t, buckets, 5)
	})
}

func TestCanceledBillIsEmpty(t *testing.T) {
	t.Parallel()
	for operation, b := range billings() {
		ctx, cancel := context.WithCancel(t.Context())
		s := newFakeServer(map[string]http.HandlerFunc{b.service: func(http.ResponseWriter, *http.Request) { cancel() }})
		empty, err := b.call(ctx, s.inProcess(), 0)
		require.NoError(t, err)
		assert.True(t, empty, operation)
		f := requireOneFailure(t, s, discovery.ReasonNetwork)
		require.ErrorIs(t, f, context.Canceled)
	}
}
