package prices_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// These usage objects aren't in testdata/usage_cases.jsonl.
func TestCostOfOtherFormsOfUsage(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		costCase

		object string
	}{
		{
			// 2679×1 + 510×5
			costCase{name: "the last message_delta of a stream", provider: models.Anthropic, model: "claude-haiku-4-5", date: "2026-11-20", want: "0.005229"},
			`{"input_tokens":2679,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":510}`,
		},
		{
			// (1000×4 + 100×20) / 2
			costCase{name: "a batch", provider: models.Anthropic, model: "claude-opus-5-5", date: "2026-11-20", want: "0.003"},
			`{"input_tokens":1000,"output_tokens":100,"service_tier":"batch"}`,
		},
		{
			// (4000+400)×0.75 + 6000×0.075 + (700+1300)×3.75
			costCase{name: "an interaction", provider: models.Gemini, model: "gemini-3.8-flash", date: "2026-11-20", want: "0.01125"},
			`{"total_input_tokens":10000,"total_cached_tokens":6000,"total_output_tokens":700,"total_thought_tokens":1300,"total_tool_use_tokens":400,"total_tokens":12400}`,
		},
		{
			// 1000×0.435 + 9000×0.003625 + 500×0.87, at an hour that is off-peak since
			// August
			costCase{name: "DeepSeek off the peak, before there was one", provider: models.DeepSeek, model: "deepseek-v4-pro", date: "2026-07-01T12:00:00Z", want: "0.000902625"},
			`{"prompt_tokens":10000,"prompt_cache_hit_tokens":9000,"prompt_cache_miss_tokens":1000,"completion_tokens":500,"total_tokens":10500}`,
		},
		{
			// 37756000 / 10^10, although the table's row for long prompts would apply
			costCase{name: "a charge in ticks", provider: models.XAI, model: "grok-4.7", date: "2026-11-20", want: "0.0037756"},
			`{"input_tokens":300000,"input_tokens_details":{"cached_tokens":0},"output_tokens":48,"total_tokens":300048,"cost_in_usd_ticks":37756000}`,
		},
		{
			costCase{name: "cached input without a price", provider: models.OpenAI, model: "gpt-5-pro", date: "2026-11-20", missing: "cache_read"},
			`{"input_tokens":10,"input_tokens_details":{"cached_tokens":1},"output_tokens":1,"total_tokens":11}`,
		},
		{
			// 10×15 + 1×120
			costCase{name: "the same without cached input", provider: models.OpenAI, model: "gpt-5-pro", date: "2026-11-20", want: "0.00027"},
			`{"input_tokens":10,"input_tokens_details":{"cached_tokens":0},"output_tokens":1,"total_tokens":11}`,
		},
		{
			// 100×2 + 10×6
			costCase{name: "images of xAI have the price of text", provider: models.XAI, model: "grok-4.7", date: "2026-11-20", want: "0.00026"},
			`{"prompt_tokens":100,"completion_tokens":10,"total_tokens":110,"prompt_tokens_details":{"text_tokens":40,"image_tokens":60}}`,
		},
		{
			costCase{name: "audio of xAI", provider: models.XAI, model: "grok-4.7", date: "2026-11-20", missing: "audio"},
			`{"prompt_tokens":100,"completion_tokens":10,"total_tokens":110,"completion_tokens_details":{"audio_tokens":5}}`,
		},
		{
			// 9×0.75
			costCase{name: "a document of Gemini has the price of text", provider: models.Gemini, model: "gemini-3.8-flash", date: "2026-11-20", want: "0.00000675"},
			`{"promptTokenCount":9,"totalTokenCount":9,"promptTokensDetails":[{"modality":"DOCUMENT","tokenCount":9}]}`,
		},
		{
			costCase{name: "a count that is not known", provider: models.Anthropic, model: "claude-opus-5-5", date: "2026-11-20", missing: "count"},
			`{"input_tokens":1,"output_tokens":1,"telepathy_tokens":1}`,
		},
		{
			costCase{name: "Anthropic's priority tier", provider: models.Anthropic, model: "claude-opus-5-5", date: "2026-11-20", missing: "mode"},
			`{"input_tokens":1,"output_tokens":1,"service_tier":"priority"}`,
		},
	} {
		usage, err := prices.ParseUsage(row.provider, []byte(row.object))
		require.NoError(t, err, row.name)
		row.usage = usage
		checkCosts(t, prices.BuiltIn(), []costCase{row.costCase})
	}
}
