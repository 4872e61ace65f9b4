package meter_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/meter"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// Recorded streams count reasoning natively but the completion with another tokenizer.
// The stated charge is the cost, and the counts are unknown: in the record, in its file
// and in a budget.
func TestAStatedChargeIsTheCostWhateverTheCountsAre(t *testing.T) {
	t.Parallel()
	list := readPlatformExchanges(t, "openrouter_native_tokens")
	require.Len(t, list, 13)
	for _, e := range list {
		for _, size := range []int{1, 7, 1 << 20} {
			records := e.replay(t, size)
			require.Len(t, records, 1)
			r := records[0]
			assert.EqualValues(t, *e.Expect.USD, r.USD, r.Unpriced)
			assert.Equal(t, []string{e.Expect.Model, e.Expect.Upstream, "count:reasoning_tokens"}, []string{r.Model, r.Upstream, r.Mode}, e.Name)
			assert.False(t, r.Incomplete)
			checkSums(t, &r)
			call, err := r.Call()
			require.NoError(t, err)
			assert.Equal(t, prices.Usage{Mode: r.Mode, ChargedUSD: r.USD}, call.Usage)
		}
	}
}

// checkSums checks that a file with a record has its cost, even if it's computed again.
func checkSums(t *testing.T, r *calls.Record) {
	t.Helper()
	for _, reprice := range []bool{false, true} {
		sum := sumOf(t, *r, reprice)
		assert.Equal(t, []any{r.USD, 0}, []any{sum.USD, sum.Unpriced})
	}
}

const (
	openRouterChat = "https://openrouter.ai/api/v1/chat/completions"
	openRouterSSE  = "text/event-stream"
)

func TestChargesOfCallsWithoutCounts(t *testing.T) {
	t.Parallel()
	const (
		content = `data: {"id":"g","model":"m","provider":"P","choices":[{"delta":{"content":"a"},"finish_reason":null}]}` + "\n\n"
		failed  = `data: {"id":"g","model":"m","error":{"code":502},"choices":[{"delta":{},"finish_reason":"error"}]}` + "\n\n"
		charge  = `data: {"id":"g","model":"m","choices":[{"delta":{},"finish_reason":null}],"usage":{"prompt_tokens":5,"completion_tokens":1,"total_tokens":6,"cost":%s}}` + "\n\n"
		end     = "data: [DONE]\n\n"
	)
	for name, c := range map[string]struct {
		path, contentType, body, usd string
		complete                     bool
	}{
		"a rerank": {
			"rerank", "application/json", `{"id":"g","model":"cohere/rerank-v3.5","results":[],"usage":{"search_units":1,"total_tokens":68,"cost":3.4e-7}}`, "0.00000034", true,
		},
		"a transcription without a model": {"audio/transcriptions", "application/json", `{"text":"x","usage":{"seconds":17,"cost":0.00010625}}`, "0.00010625", true},
		"a negative count":                {"chat/completions", "application/json", `{"id":"g","model":"m","choices":[],"usage":{"prompt_tokens":-1,"cost":0.5}}`, "0.5", true},
		"a count of another type":         {"messages", "application/json", `{"id":"g","model":"m","usage":{"input_tokens":5,"output_tokens":"x","iterations":0,"cost":0.5}}`, "0.5", true},
		"an error, and then a charge":     {"chat/completions", openRouterSSE, content + failed + fmt.Sprintf(charge, "0.5") + end, "0.5", false},
		"a charge of messages, and an error": {"messages", openRouterSSE, "data: " + `{"type":"message_start","message":{"id":"g","model":"m","usage":{"input_tokens":5,"output_tokens":0}}}` +
			"\n\ndata: " + `{"type":"message_delta","delta":{},"usage":{"output_tokens":1,"cost":0.5}}` + "\n\ndata: " + `{"type":"error","error":{}}` + "\n\n", "0.5", false},
		"a charge, and then an error":        {"chat/completions", openRouterSSE, content + fmt.Sprintf(charge, "0.5") + failed + end, "0.5", false},
		"a charge without a finish reason":   {"chat/completions", openRouterSSE, content + fmt.Sprintf(charge, "0.5") + end, "0.5", true},
		"a lone chunk with a charge of 0":    {"chat/completions", openRouterSSE, fmt.Sprintf(charge, "0"), "0", true},
		"a lone chunk with nothing else":     {"chat/completions", openRouterSSE, `data: {"id":"g","model":"m","usage":{"cost":0}}` + "\n\n", "0", true},
		"no charge, and counts that are bad": {"chat/completions", openRouterSSE, `data: {"id":"g","model":"m","choices":[],"usage":{"prompt_tokens":5,"completion_tokens":1,"total_tokens":7}}` + "\n\n", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := &exchange{}
			e.Request.Method, e.Request.URL = http.MethodPost, "https://openrouter.ai/api/v1/"+c.path
			e.Response.Status, e.Response.Headers, e.Response.Body = 200, map[string]string{"Content-Type": c.contentType}, c.body
			for _, size := range []int{1, 7, 1 << 20} {
				records := send(t, e, size, false)
				require.Len(t, records, 1)
				assert.Equal(t, []any{c.usd, c.complete}, []any{string(records[0].USD), !records[0].Incomplete}, records[0].Unpriced)
				if c.usd != "" {
					assert.Empty(t, records[0].Unpriced)
					checkSums(t, &records[0])
				}
			}
		})
	}
}

// With unknown counts, a charge of 0 counts only from OpenRouter: some gateways state 0
// for every call.
func TestAChargeOfNothingBesideUnknownCounts(t *testing.T) {
	t.Parallel()
	e := &exchange{}
	e.Request.Method, e.Request.URL = http.MethodPost, "https://api.openai.com/v1/chat/completions"
	e.Response.Status, e.Response.Headers = 200, map[string]string{"Content-Type": "application/json"}
	e.Response.Body = `{"id":"g","model":"gpt-4o","choices":[],"usage":{"prompt_tokens":5,"completion_tokens":1,"total_tokens":7,"cost":0}}`
	records := send(t, e, 7, false)
	require.Len(t, records, 1)
	assert.Empty(t, records[0].USD)
	assert.Contains(t, records[0].Unpriced, "count total_tokens")
}

// 40 calls at 0.00011 USD must not pass a budget of 0.001.
func TestABudgetCountsStatedCharges(t *testing.T) {
	t.Parallel()
	m, err := meter.New(meter.WithBudget(meter.Budget{USD: "0.001", Per: meter.PeriodDay}))
	require.NoError(t, err)
	client := answering(m, `{"id":"g","model":"m","choices":[],"usage":{"prompt_tokens":22,"completion_tokens":105,"total_tokens":127,"cost":0.00011094,"completion_tokens_details":{"reasoning_tokens":112}}}`)
	passed := 0
	for refusal(t.Context(), t, client, openRouterChat, strings.ReplaceAll(chat, "gpt-4o", "m")) == nil {
		passed++
	}
	assert.Equal(t, 10, passed)
}

// A response with an advisor has its whole cost in one record, as a body or as a stream.
// Sums list the advisor separately.
func TestIterationsOfAResponse(t *testing.T) {
	t.Parallel()
	const used = `"usage":{"input_tokens":1000,"output_tokens":500,"iterations":[{"type":"message","input_tokens":500,"output_tokens":100},` +
		`{"type":"advisor_message","model":"claude-opus-5-5","input_tokens":15000,"output_tokens":800},{"type":"message","input_tokens":500,"output_tokens":400}]}`
	for contentType, body := range map[string]string{
		"application/json": `{"id":"msg_2","type":"message","model":"claude-sonnet-5-5","stop_reason":"end_turn",` + used + `}`,
		"text/event-stream": `data: {"type":"message_start","message":{"id":"msg_2","model":"claude-sonnet-5-5","usage":{"input_tokens":500,"output_tokens":1}}}` +
			"\n\n" + `data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},` + used + "}\n\n",
	} {
		e := &exchange{}
		e.Request.Method, e.Request.URL = http.MethodPost, "https://api.anthropic.com/v1/messages"
		e.Response.Status, e.Response.Headers, e.Response.Body = 200, map[string]string{"Content-Type": contentType}, body
		records := send(t, e, 7, false)
		require.Len(t, records, 1)
		records[0].Time = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
		assert.EqualValues(t, "0.083", records[0].USD, records[0].Unpriced)
		checkSums(t, &records[0])
		totals, err := calls.NewTotals("model")
		require.NoError(t, err)
		require.NoError(t, totals.Add(records[0]))
		require.Len(t, totals.Groups(), 2)
		assert.EqualValues(t, "0.076", totals.Groups()[0].USD)
	}
}
