package meter_test

import (
	"io"
	"math/big"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery/meter"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
	"github.com/mesh-gateway/mesh-go/internal/test/whole"
)

// TestNoBoundIsAboveTheCost breaks every recorded stream off after each line.
func TestNoBoundIsAboveTheCost(t *testing.T) {
	t.Parallel()
	streams, prefixes, bounds := 0, 0, 0
	for i, e := range exchanges(t) {
		if i%whole.Cases(1, 4) != 0 {
			continue
		}
		body := e.Response.Body
		complete := send(t, &e, 1<<20, false)
		if e.Response.Status != http.StatusOK || len(complete) != 1 || !complete[0].Stream || complete[0].Incomplete {
			continue
		}
		streams++
		assert.True(t, complete[0].USD == "" || complete[0].BoundUSD == "", e.Name)
		cost, priced := new(big.Rat).SetString(string(complete[0].USD))
		for end := range len(body) {
			if body[end] != '\n' {
				continue
			}
			cut := e
			cut.Response.Body = body[:end+1]
			r := send(t, &cut, 1<<20, false)[0]
			if !r.Incomplete {
				break
			}
			prefixes++
			if r.BoundUSD == "" {
				continue
			}
			bounds++
			bound, ok := new(big.Rat).SetString(string(r.BoundUSD))
			require.True(t, ok, r.BoundUSD)
			assert.Positive(t, bound.Sign())
			assert.Empty(t, r.USD)
			assert.NotEmpty(t, r.Unpriced)
			if priced {
				require.LessOrEqual(t, bound.Cmp(cost), 0, "%s: %s is above %s", e.Name, r.BoundUSD, complete[0].USD)
			}
		}
	}
	t.Logf("%d streams, %d prefixes, %d bounds", streams, prefixes, bounds)
	assert.Greater(t, streams, whole.Cases(30, 7))
	assert.Greater(t, bounds, whole.Cases(500, 100))
}

// messageStart starts a Claude stream.
const messageStart = `event: message_start
data: {"type":"message_start","message":{"id":"msg_1","model":"claude-sonnet-5","usage":{"input_tokens":4,"cache_creation_input_tokens":9550,"cache_read_input_tokens":120,"cache_creation":{"ephemeral_5m_input_tokens":9550,"ephemeral_1h_input_tokens":0},"output_tokens":1,"service_tier":"standard"}}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hello"}}

`

// startUSD returns the cost of the counts in messageStart.
func startUSD(t *testing.T) prices.USD {
	t.Helper()
	cost, err := prices.BuiltIn().CostOf(prices.Call{
		Provider: models.Anthropic, Model: "claude-sonnet-5", At: time.Now(), Usage: prices.Usage{Input: 4, CacheWrite5m: 9550, CacheRead: 120, Output: 1},
	})
	require.NoError(t, err)
	return cost.USD
}

// claude starts a server whose streams never end by themselves.
func claude(t *testing.T, opts ...meter.Option) (url string, m *meter.Meter, records *recorder) {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, messageStart)
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}))
	t.Cleanup(s.Close)
	records = &recorder{}
	m, err := meter.New(append(opts, meter.WithEndpoint(meter.Endpoint{Host: strings.TrimPrefix(s.URL, "http://"), API: models.Anthropic}), meter.WithRecorder(records.record))...)
	require.NoError(t, err)
	return s.URL, m, records
}

// abort reads the start of a response and closes it.
func abort(t *testing.T, m *meter.Meter, url string) (status int) {
	t.Helper()
	res, err := post(t.Context(), m.Client(), url+"/v1/messages", `{"model":"claude-sonnet-5","stream":true}`)
	require.NoError(t, err)
	defer res.Body.Close()
	if res.StatusCode == http.StatusOK {
		_, err = io.ReadFull(res.Body, make([]byte, len(messageStart)))
		require.NoError(t, err)
	}
	return res.StatusCode
}

func TestABudgetCountsAbortedStreams(t *testing.T) {
	t.Parallel()
	url, m, records := claude(t, meter.WithBudget(meter.Budget{USD: "0.001"}))
	sent := 0
	for range 20 {
		if abort(t, m, url) == http.StatusOK {
			sent++
		}
	}
	assert.Equal(t, 1, sent)
	bound := startUSD(t)
	assert.Equal(t, meter.Spent{USD: "0", AtLeastUSD: bound, Calls: 1, Unpriced: 1}, m.Spent())
	assert.Equal(t, bound, m.Budgets()[0].SpentUSD)
	r := records.all()[0]
	assert.Equal(t, bound, r.BoundUSD)
	assert.Empty(t, r.USD)
	assert.Equal(t, "the response was closed before its final counts", r.Unpriced)
}

func TestAnAbortedStreamCostsTheBoundOrPerCall(t *testing.T) {
	t.Parallel()
	for perCall, spent := range map[prices.USD]prices.USD{"0.01": "", "0.5": "0.5"} {
		url, m, _ := claude(t, meter.WithBudget(meter.Budget{USD: "1", PerCall: perCall}))
		assert.Equal(t, http.StatusOK, abort(t, m, url))
		if spent == "" {
			spent = startUSD(t)
		}
		assert.Equal(t, spent, m.Budgets()[0].SpentUSD)
		assert.EqualValues(t, "0", m.Budgets()[0].ReservedUSD)
	}
}

// A cut JSON array isn't JSON, but its elements are.
func TestTheBoundOfACutArray(t *testing.T) {
	t.Parallel()
	for _, e := range exchanges(t) {
		if !strings.Contains(e.Name, "stream-array-cut") {
			continue
		}
		r := send(t, &e, 1<<20, false)[0]
		assert.NotEmpty(t, r.BoundUSD)
		assert.Nil(t, r.Usage)
	}
}

// Invalid counts are bounded by the readable ones: the call doesn't pass a budget for
// free.
func TestABudgetCountsCallsWithInvalidCounts(t *testing.T) {
	t.Parallel()
	const answer = `{"id":"c","model":"gpt-4o-2024-08-06","choices":[{"finish_reason":"stop"}],"usage":{`
	for usage, bound := range map[string]prices.USD{ // at 2.50, 1.25 and 10 USD per million tokens
		`"prompt_tokens":1000,"completion_tokens":500,"total_tokens":1501`:                                                      "0.0075",
		`"prompt_tokens":1000,"completion_tokens":500,"total_tokens":1500,"completion_tokens_details":{"reasoning_tokens":501}`: "0.0075",
		`"prompt_tokens":1000,"completion_tokens":500,"total_tokens":1500,"prompt_tokens_details":{"cached_tokens":1001}`:       "0.00625",
		`"prompt_tokens":1000,"completion_tokens":500.5,"total_tokens":1500`:                                                    "0.0025",
		`"prompt_tokens":-1000,"completion_tokens":500,"total_tokens":1500`:                                                     "0.005",
		`"prompt_tokens":207000000000000000000,"completion_tokens":500,"total_tokens":207000000000000000500`:                    "0.005",
		`"prompt_tokens":"x"`:            "",
		`"promptTokenCount":5,"cost":-1`: "",
	} {
		for perCall, least := range map[prices.USD]prices.USD{"": "0", "0.05": "0.05"} {
			var records recorder
			m, err := meter.New(meter.WithBudget(meter.Budget{USD: "1", PerCall: perCall}), meter.WithRecorder(records.record))
			require.NoError(t, err)
			require.Nil(t, refusal(t.Context(), t, answering(m, answer+usage+"}}"), openAIChat, chat))
			r := records.all()[0]
			assert.Equal(t, []any{prices.USD(""), bound, false}, []any{r.USD, r.BoundUSD, !r.Incomplete}, usage)
			assert.Contains(t, r.Unpriced, "the counts are invalid")
			spent := bound
			if perCall != "" || bound == "" {
				spent = least
			}
			assert.Equal(t, spent, m.Budgets()[0].SpentUSD, usage)
		}
	}
}
