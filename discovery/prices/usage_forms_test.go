package prices_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// Usage objects outside each provider's main APIs.
func TestParseUsageOfOtherForms(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name     string
		provider models.Provider
		object   string
		want     prices.Usage
	}{
		{"an embedding has no completion", models.OpenAI, `{"prompt_tokens":7,"total_tokens":7}`, prices.Usage{Input: 7}},
		{
			"Codex: the input includes cached tokens, and the total may be missing", models.OpenAI,
			`{"input_tokens":24763,"cached_input_tokens":24448,"output_tokens":122,"reasoning_output_tokens":64}`,
			prices.Usage{Input: 315, CacheRead: 24448, Output: 122},
		},
		{
			"an image: the answer is images and text", models.OpenAI,
			`{"input_tokens":221,"input_tokens_details":{"image_tokens":194,"text_tokens":27},"output_tokens":1318,"output_tokens_details":{"image_tokens":1056,"text_tokens":262},"total_tokens":1539}`,
			prices.Usage{Input: 221, Output: 262, ImageOutput: 1056},
		},
		{
			"a session of the Realtime API counts media of the prompt and of the cache", models.OpenAI,
			`{"total_tokens":120,"input_tokens":100,"output_tokens":20,"input_token_details":{"text_tokens":20,"audio_tokens":50,"image_tokens":30,"cached_tokens":45,
			"cached_tokens_details":{"text_tokens":5,"audio_tokens":30,"image_tokens":10}},"output_token_details":{"text_tokens":5,"audio_tokens":15}}`,
			prices.Usage{Input: 15, CacheRead: 5, Output: 5, AudioInput: 20, AudioCacheRead: 30, AudioOutput: 15, ImageInput: 20, ImageCacheRead: 10},
		},
		{
			"DeepSeek's responses have OpenAI's counts", models.DeepSeek,
			`{"input_tokens":366,"input_tokens_details":{"cached_tokens":256},"output_tokens":63,"output_tokens_details":{"reasoning_tokens":18},"total_tokens":429}`,
			prices.Usage{Input: 110, CacheRead: 256, Output: 63},
		},
		{
			"DeepSeek's messages have Anthropic's counts", models.DeepSeek,
			`{"input_tokens":933,"cache_creation_input_tokens":0,"cache_read_input_tokens":350,"output_tokens":7241,"service_tier":"standard","server_tool_use":{"web_search_requests":2}}`,
			prices.Usage{Input: 933, CacheRead: 350, Output: 7241, ToolUses: map[string]int64{"web_search": 2}},
		},
		{
			"Gemini's endpoint that is compatible with OpenAI: the total has the thoughts", models.Gemini,
			`{"prompt_tokens":66,"completion_tokens":10,"total_tokens":100}`, prices.Usage{Input: 66, Output: 34},
		},
		{
			"Gemini's Live API has a response in place of candidates", models.Gemini,
			`{"promptTokenCount":25,"responseTokenCount":30,"totalTokenCount":55,"promptTokensDetails":[{"modality":"TEXT","tokenCount":608},{"modality":"AUDIO","tokenCount":25}],
			"responseTokensDetails":[{"modality":"AUDIO","tokenCount":25}]}`,
			prices.Usage{AudioInput: 25, Output: 5, AudioOutput: 25},
		},
		{
			"media of Gemini: audio and images of the answer are apart", models.Gemini,
			`{"promptTokenCount":1000,"cachedContentTokenCount":600,"candidatesTokenCount":70,"thoughtsTokenCount":130,"toolUsePromptTokenCount":250,"totalTokenCount":1450,
			"promptTokensDetails":[{"modality":"VIDEO","tokenCount":700},{"modality":"AUDIO","tokenCount":100},{"modality":"AUDIO","tokenCount":200}],
			"cacheTokensDetails":[{"modality":"AUDIO","tokenCount":200}],"toolUsePromptTokensDetails":[{"modality":"AUDIO","tokenCount":50}],
			"candidatesTokensDetails":[{"modality":"IMAGE","tokenCount":40},{"modality":"AUDIO","tokenCount":20}]}`,
			prices.Usage{Input: 300, ToolInput: 200, CacheRead: 400, Output: 140, AudioInput: 150, AudioCacheRead: 200, AudioOutput: 20, ImageOutput: 40},
		},
		{
			"cached audio without a list of the prompt", models.Gemini,
			`{"promptTokenCount":100,"cachedContentTokenCount":90,"cacheTokensDetails":[{"modality":"AUDIO","tokenCount":90}]}`,
			prices.Usage{Input: 10, AudioCacheRead: 90},
		},
		{
			"enums of Gemini may be numbers", models.Gemini,
			`{"promptTokenCount":1000,"candidatesTokenCount":10,"totalTokenCount":1010,"trafficType":1,"promptTokensDetails":[{"modality":4,"tokenCount":900},{"modality":1,"tokenCount":100}],
			"candidatesTokensDetails":[{"modality":2,"tokenCount":10}]}`,
			prices.Usage{Input: 100, AudioInput: 900, ImageOutput: 10},
		},
		{"another number of an enum is a mode", models.Gemini, `{"promptTokenCount":1,"trafficType":2}`, prices.Usage{Input: 1, Mode: "traffictype:2"}},
		{"a modality that is not known", models.Gemini, `{"promptTokenCount":9,"promptTokensDetails":[{"modality":"SMELL","tokenCount":8}]}`, prices.Usage{Input: 9, Mode: "count:smell"}},
		{"nor its number", models.Gemini, `{"promptTokenCount":9,"promptTokensDetails":[{"modality":77,"tokenCount":8}]}`, prices.Usage{Input: 9, Mode: "count:modality"}},
		{"a video of the answer", models.Gemini, `{"promptTokenCount":1,"candidatesTokenCount":9,"candidatesTokensDetails":[{"modality":"VIDEO","tokenCount":9}]}`, prices.Usage{Input: 1, Output: 9, Mode: "count:video"}},
		{"a blocked prompt without counts", models.Gemini, `{"totalTokenCount":0}`, prices.Usage{}},
		{
			"an embedding of Gemini", models.Gemini,
			`{"promptTokenCount":11,"promptTokenDetails":[{"modality":"AUDIO","tokenCount":4}]}`, prices.Usage{Input: 7, AudioInput: 4},
		},
		{
			"interactions count their tools", models.Gemini,
			`{"total_input_tokens":10,"total_output_tokens":1,"total_tokens":11,"grounding_tool_count":[{"type":"google_search","count":2},{"type":"google_maps","count":1},{"type":"x","count":0}]}`,
			prices.Usage{Input: 10, Output: 1, ToolUses: map[string]int64{"grounding": 2, "maps": 1}},
		},
		{
			"xAI's SDK has the details beside the counts", models.XAI,
			`{"prompt_tokens":204,"completion_tokens":1,"reasoning_tokens":82,"total_tokens":287,"prompt_text_tokens":200,"prompt_image_tokens":4,"cached_prompt_text_tokens":192}`,
			prices.Usage{Input: 12, CacheRead: 192, Output: 83},
		},
		{
			"tools of xAI, of which MCP is free", models.XAI,
			`{"input_tokens":5,"output_tokens":1,"total_tokens":6,"num_sources_used":3,"num_server_side_tools_used":5,"server_side_tool_usage_details":{"web_search_calls":2,"x_search_calls":1,"mcp_calls":1,"image_generation_calls":0}}`,
			prices.Usage{Input: 5, Output: 1, ToolUses: map[string]int64{"web_search": 2, "x_search": 1, "live_search": 3}},
		},
		{"tools of xAI without names", models.XAI, `{"input_tokens":5,"output_tokens":1,"total_tokens":6,"num_server_side_tools_used":2}`, prices.Usage{Input: 5, Output: 1, ToolUses: map[string]int64{"server_side_tools": 2}}},
		{"an image of xAI has a charge and no tokens", models.XAI, `{"cost_in_usd_ticks":200000000}`, prices.Usage{ChargedUSD: "0.02"}},
		{
			"a fetch of Anthropic is free, other tools have their names", models.Anthropic,
			`{"input_tokens":1,"output_tokens":1,"server_tool_use":{"web_search_requests":0,"web_fetch_requests":4,"telepathy_requests":2}}`,
			prices.Usage{Input: 1, Output: 1, ToolUses: map[string]int64{"telepathy": 2}},
		},
		{
			"a fetch of DeepSeek is not", models.DeepSeek, `{"input_tokens":1,"output_tokens":1,"server_tool_use":{"web_search_requests":1,"web_fetch_requests":4}}`,
			prices.Usage{Input: 1, Output: 1, ToolUses: map[string]int64{"web_search": 1, "web_fetch": 4}},
		},
		{"a tool whose name is text", models.Anthropic, `{"input_tokens":1,"output_tokens":1,"server_tool_use":{"my secret_requests":2}}`, prices.Usage{Input: 1, Output: 1, ToolUses: map[string]int64{"unknown": 2}}},
		{"a count that is not known", models.Anthropic, `{"input_tokens":1,"output_tokens":1,"service_tier":"batch","telepathy_tokens":3,"other_tokens":0}`, prices.Usage{Input: 1, Output: 1, Mode: "batch+count:telepathy_tokens"}},
		{"the same of Gemini", models.Gemini, `{"promptTokenCount":1,"dreamTokenCount":3,"calmTokenCount":0}`, prices.Usage{Input: 1, Mode: "count:dreamTokenCount"}},
		{"its name is shown only if it is one", models.OpenAI, `{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2,"my secret+batch_tokens":1e2}`, prices.Usage{Input: 1, Output: 1, Mode: "count:unknown"}},
		{
			"a count of the details that is not known", models.OpenAI,
			`{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10,"prompt_tokens_details":{"dream_tokens":0,"text_tokens":9},
			"completion_tokens_details":{"thinking_tokens":1,"accepted_prediction_tokens":1,"video_tokens":1}}`,
			prices.Usage{Input: 9, Output: 1, Mode: "count:video_tokens"},
		},
		{
			"nor are details in details", models.XAI,
			`{"input_tokens":9,"output_tokens":1,"total_tokens":10,"input_tokens_details":{"dreams":{"names":["x"],"text_tokens":1,"lucid":2}},"new_tokens_details":{"new":3},
			"context_details":{"input_tokens":9}}`,
			prices.Usage{Input: 9, Output: 1, Mode: "count:lucid+count:new"},
		},
		{"cache writes of a lifetime that is not known", models.Anthropic, `{"input_tokens":1,"output_tokens":1,"cache_creation":{"ephemeral_1d_input_tokens":4}}`, prices.Usage{Input: 1, Output: 1, Mode: "count:ephemeral_1d_input_tokens"}},
		{
			"cache writes of a web search are in none of the lifetimes", models.Anthropic,
			`{"input_tokens":1,"output_tokens":1,"cache_creation_input_tokens":100,"cache_creation":{"ephemeral_5m_input_tokens":10,"ephemeral_1h_input_tokens":20}}`,
			prices.Usage{Input: 1, Output: 1, CacheWrite5m: 80, CacheWrite1h: 20},
		},
		{
			"Anthropic's endpoint that is compatible with OpenAI", models.Anthropic,
			`{"prompt_tokens":20,"completion_tokens":10,"total_tokens":30,"prompt_tokens_details":null,"completion_tokens_details":null}`, prices.Usage{Input: 20, Output: 10},
		},
		{"a transcription by duration", models.OpenAI, `{"type":"duration","seconds":4}`, prices.Usage{Mode: "count:seconds"}},
		{"a transcription by tokens", models.OpenAI, `{"type":"tokens","input_tokens":4,"input_token_details":{"audio_tokens":4},"output_tokens":1,"total_tokens":5}`, prices.Usage{AudioInput: 4, Output: 1}},
		{"a traffic type that is a mode", models.Gemini, `{"promptTokenCount":1,"trafficType":"ON_DEMAND_FLEX"}`, prices.Usage{Input: 1, Mode: "flex"}},
		{"the same beside the tier", models.Gemini, `{"promptTokenCount":1,"serviceTier":"priority","trafficType":"ON_DEMAND_PRIORITY"}`, prices.Usage{Input: 1, Mode: "priority"}},
		{
			"tools of xAI that failed", models.XAI,
			`{"input_tokens":5,"output_tokens":1,"total_tokens":6,"num_server_side_tools_used":5,"server_side_tool_usage_details":{"web_search_calls":0}}`,
			prices.Usage{Input: 5, Output: 1},
		},
		{"a count of a compaction that is not known", models.Anthropic, `{"input_tokens":1,"output_tokens":1,"iterations":[{"type":"compaction","input_tokens":2,"output_tokens":3,"new_tokens":4}]}`, prices.Usage{Input: 3, Output: 4, Mode: "count:new_tokens"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			got, err := prices.ParseUsage(row.provider, []byte(row.object))
			require.NoError(t, err)
			assert.Equal(t, withoutMedia(row.want), withoutMedia(got))
		})
	}
}

// Parts that exceed their whole are refused, not clipped.
func TestParseUsageRejectsInvalidForms(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		provider models.Provider
		object   string
		field    string
	}{
		{models.OpenAI, `{"prompt_tokens":9,"completion_tokens":2,"total_tokens":11,"completion_tokens_details":{"audio_tokens":2,"image_tokens":1}}`, "audio_tokens"},
		{models.OpenAI, `{"input_tokens":9,"cached_input_tokens":10,"output_tokens":1}`, "cached_tokens"},
		{models.OpenAI, `{"input_tokens":9,"cached_input_tokens":2,"output_tokens":1,"total_tokens":11}`, "total_tokens"},
		{models.OpenAI, `{"input_tokens":9,"cached_input_tokens":2,"input_tokens_details":{"cached_tokens":3},"output_tokens":1}`, "cached_tokens"},
		{models.OpenAI, `{"input_tokens":9,"output_tokens":1,"total_tokens":10,"input_token_details":{"audio_tokens":1,"cached_tokens":5,"cached_tokens_details":{"audio_tokens":5}}}`, "cached_tokens_details"},
		{models.Gemini, `{"promptTokenCount":9,"promptTokensDetails":[{"modality":"AUDIO","tokenCount":10}]}`, "promptTokensDetails"},
		{models.Gemini, `{"promptTokenCount":9,"candidatesTokenCount":5,"thoughtsTokenCount":5,"candidatesTokensDetails":[{"modality":"AUDIO","tokenCount":3},{"modality":"IMAGE","tokenCount":3}]}`, "candidatesTokensDetails"},
		{models.Gemini, `{"promptTokenCount":9,"candidatesTokenCount":5,"responseTokenCount":5}`, "responseTokenCount"},
		{models.Gemini, `{"totalTokenCount":9602}`, "totalTokenCount"},
		{models.Gemini, `{"trafficType":"ON_DEMAND"}`, "promptTokenCount"},
		{models.XAI, `{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10,"prompt_tokens_details":{"audio_tokens":5,"cached_tokens":6}}`, "cached_tokens"},
		{models.XAI, `{"input_tokens":5,"output_tokens":1,"total_tokens":6,"server_side_tool_usage_details":{"web_search_calls":-2}}`, "server_side_tool_usage_details"},
		{models.Anthropic, `{"input_tokens":5,"output_tokens":1,"server_tool_use":{"web_search_requests":0.5}}`, "server_tool_use"},
		{models.DeepSeek, `{"input_tokens":5,"output_tokens":1,"total_tokens":6,"cache_read_input_tokens":1}`, "cache_read_input_tokens"},
	} {
		got, err := prices.ParseUsage(row.provider, []byte(row.object))
		var wrong *discovery.ValueError
		if assert.ErrorAs(t, err, &wrong, row.object) {
			assert.Contains(t, wrong.Field, row.field, row.object)
		}
		assert.Zero(t, got, row.object)
	}
}

// After a fallback, one model was asked and another answered, so pricing both alike would
// be wrong. The same goes for an advisor without a model.
func TestIterationsOfAnotherModelMakeTheCostUnknown(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ name, iterations, mode string }{
		{"a fallback", `{"type":"message","model":"claude-fable-5","input_tokens":10,"output_tokens":0},{"type":"fallback_message","model":"claude-sonnet-5","input_tokens":10,"output_tokens":9}`, "other-model"},
		{"a type that is not known", `{"type":"something_new","input_tokens":1,"output_tokens":1}`, "other-model"},
		{"two advisors", `{"type":"advisor_message","input_tokens":1,"output_tokens":1},{"type":"advisor_message","input_tokens":1,"output_tokens":1}`, "other-model"},
		{"no type", `{"input_tokens":10,"output_tokens":9}`, ""},
		{"none", ``, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			used, err := prices.ParseUsage(models.Anthropic, []byte(`{"input_tokens":10,"output_tokens":9,"iterations":[`+row.iterations+`]}`))
			require.NoError(t, err)
			assert.Equal(t, prices.Usage{Input: 10, Output: 9, Mode: row.mode}, used)
			for _, mode := range []string{"", "standard", "batch"} {
				_, err := prices.BuiltIn().CostOf(prices.Call{Provider: models.Anthropic, Model: "claude-sonnet-5", Usage: used, At: on(t, "2026-11-20"), Mode: mode})
				if row.mode == "" {
					assert.NoError(t, err, "mode %q", mode)
					continue
				}
				var unpriced *prices.UnpricedError
				require.ErrorAs(t, err, &unpriced, "mode %q", mode)
				assert.Equal(t, prices.MissingMode, unpriced.Missing)
				assert.Contains(t, unpriced.Name, row.mode)
			}
		})
	}
}
