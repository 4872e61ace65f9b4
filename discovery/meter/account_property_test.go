package meter_test

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/meter"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// A complete response with known counts always costs a budget something, except in an
// unknown mode.
func TestNoCountedResponseCostsABudgetNothing(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(59, 1))
	at := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	bounded := 0
	for _, p := range models.Providers() {
		for _, row := range prices.BuiltIn().Rows(p) {
			price, ok := prices.BuiltIn().Price(p, row.ModelHint, at)
			if !ok || price.InputPerMTok == "" || price.InputPerMTok == "0" {
				continue
			}
			res, err := prices.ParseResponse(p, []byte(randomBody(random, p, row.ModelHint)))
			require.NoError(t, err)
			require.True(t, res.Complete)
			r := calls.Record{Provider: p, Model: row.ModelHint, Time: at, Status: 200, Usage: randomUsage(random, p), Mode: res.Usage.Mode, ToolUses: res.Usage.ToolUses}
			counted, err := r.Count(nil, false)
			require.NoError(t, err)
			m, err := meter.New(meter.WithBudget(meter.Budget{USD: "1000"}))
			require.NoError(t, err)
			require.NoError(t, m.Restore(one(r)))
			spent := m.Budgets()[0].SpentUSD
			if strings.Contains(counted.Unpriced, ": mode ") {
				continue
			}
			assert.Positive(t, spent.Cmp("0"), "%s: %s", counted.Unpriced, r.Usage)
			if counted.Unpriced != "" {
				bounded++
				assert.Equal(t, counted.BoundUSD, spent)
			}
		}
	}
	assert.Greater(t, bounded, 100)
}

func one(r calls.Record) iter.Seq2[calls.Record, error] {
	return func(yield func(calls.Record, error) bool) { yield(r, nil) }
}

// randomBody returns a response with tool uses. Usage details from randomUsage may have
// unknown members.
func randomBody(random *rand.Rand, p models.Provider, model string) string {
	used := string(randomUsage(random, p))
	tool := []string{"code_interpreter_call", "image_generation_call", "web_search_call", "message"}[random.IntN(4)]
	switch p { //nolint:exhaustive // the others have one form
	case models.Gemini:
		return fmt.Sprintf(`{"modelVersion":%q,"candidates":[{"finishReason":"STOP","groundingMetadata":{"webSearchQueries":["a"]}}],"usageMetadata":%s}`, model, used)
	case models.OpenAI:
		return fmt.Sprintf(`{"object":"response","status":"completed","model":%q,"output":[{"type":%q,"container_id":"c"}],"usage":%s}`, model, tool, used)
	}
	return fmt.Sprintf(`{"model":%q,"stop_reason":"end_turn","choices":[{"finish_reason":"stop"}],"usage":%s}`, model, used)
}

func randomUsage(random *rand.Rand, p models.Provider) []byte {
	in, out, part := random.IntN(90_000)+1_000, random.IntN(9_000)+1, random.IntN(900)
	detail := []string{"audio_tokens", "image_tokens", "new_tokens", "cached_tokens"}[random.IntN(4)]
	modality := []string{"AUDIO", "IMAGE", "VIDEO", "DOCUMENT", "SMELL"}[random.IntN(5)]
	switch p { //nolint:exhaustive // the others have one form
	case models.Anthropic:
		return fmt.Appendf(nil, `{"input_tokens":%d,"output_tokens":%d,"new_tokens":%d,"cache_creation":{"ephemeral_1h_input_tokens":%d}}`, in, out, random.IntN(2), part)
	case models.Gemini:
		return fmt.Appendf(nil, `{"promptTokenCount":%d,"candidatesTokenCount":%d,"totalTokenCount":%d,"promptTokensDetails":[{"modality":%q,"tokenCount":%d}]}`, in, out, in+out, modality, part)
	case models.OpenAI:
		return fmt.Appendf(nil, `{"input_tokens":%d,"output_tokens":%d,"total_tokens":%d,"input_tokens_details":{%q:%d}}`, in, out, in+out, detail, part)
	case models.DeepSeek:
		return fmt.Appendf(nil, `{"prompt_tokens":%d,"completion_tokens":%d,"total_tokens":%d,"prompt_cache_hit_tokens":%d,"prompt_cache_miss_tokens":%d,"new_tokens":%d}`, in, out, in+out, part, in-part, random.IntN(2))
	}
	return fmt.Appendf(nil, `{"prompt_tokens":%d,"completion_tokens":%d,"total_tokens":%d,"prompt_tokens_details":{%q:%d}}`, in, out, in+out, detail, part)
}

// The code interpreter's fee is unknown. Its calls cost their tokens.
func TestABudgetLimitsCallsWithAnUnknownFee(t *testing.T) {
	t.Parallel()
	const body = `{"id":"r","object":"response","status":"completed","model":"gpt-5.2","output":[{"type":"code_interpreter_call","container_id":"c"}],` +
		`"usage":{"input_tokens":100000,"input_tokens_details":{"cached_tokens":0},"output_tokens":10000,"output_tokens_details":{"reasoning_tokens":0},"total_tokens":110000}}`
	for perCall, spent := range map[prices.USD]prices.USD{"": "0.63", "0.2": "0.315", "0.45": "0.45"} {
		url, m, records := metered(t, answer(body), meter.WithBudget(meter.Budget{USD: "0.5", PerCall: perCall}))
		sent := 0
		for range 5 {
			if refusal(t.Context(), t, m.Client(), url+"/v1/responses", `{"model":"gpt-5.2"}`) == nil {
				sent++
			}
		}
		assert.Len(t, records.all(), sent)
		for _, r := range records.all() {
			assert.Equal(t, []any{prices.USD(""), prices.USD("0.315"), false}, []any{r.USD, r.BoundUSD, r.Incomplete}, r.Unpriced)
		}
		assert.Equal(t, spent, m.Budgets()[0].SpentUSD, perCall)
	}
}
