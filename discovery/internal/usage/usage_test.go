package usage_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery/internal/usage"
)

// Package discovery's tests cover each API's rules. These cover the package itself: how
// an object is recognized, what an error shows, and how modes are combined.

func TestParseRecognizesTheAPI(t *testing.T) {
	t.Parallel()
	for object, want := range map[string]usage.Usage{
		`openai {"prompt_tokens":5,"completion_tokens":1,"total_tokens":6}`:                                           {Input: 5, Output: 1},
		`openai {"input_tokens":5,"output_tokens":1,"total_tokens":6}`:                                                {Input: 5, Output: 1},
		`deepseek {"prompt_tokens":5,"prompt_cache_hit_tokens":2,"prompt_cache_miss_tokens":3,"completion_tokens":1}`: {Input: 3, CacheRead: 2, Output: 1},
		`anthropic {"input_tokens":5,"output_tokens":1}`:                                                              {Input: 5, Output: 1},
		`gemini {"promptTokenCount":5,"candidatesTokenCount":1,"totalTokenCount":6}`:                                  {Input: 5, Output: 1},
		`gemini {"total_input_tokens":5,"total_output_tokens":1,"total_tokens":6}`:                                    {Input: 5, Output: 1},
		`xai {"prompt_tokens":5,"completion_tokens":1,"total_tokens":6}`:                                              {Input: 5, Output: 1},
		`xai {"input_tokens":5,"output_tokens":1,"total_tokens":6,"cost_in_usd_ticks":10000000001}`:                   {Input: 5, Output: 1, ChargedUSD: "1.0000000001"},
		// unknown fields are ignored, whatever they hold
		`anthropic {"new":{"deep":[1,{"input_tokens":9}]},"input_tokens":5,"output_tokens":1}`: {Input: 5, Output: 1},
	} {
		provider, text, _ := strings.Cut(object, " ")
		got, err := usage.Parse(provider, []byte(text))
		require.NoError(t, err, object)
		assert.Equal(t, want, got, object)
	}
}

func TestParseErrorsNameTheField(t *testing.T) {
	t.Parallel()
	for object, field := range map[string]string{
		`nobody {}`: "usage",
		`openai {"prompt_tokens":5,"total_tokens":6}`:                                                            "total_tokens",
		`openai {"prompt_tokens":5,"completion_tokens":1,"total_tokens":6,"promptTokenCount":5}`:                 "promptTokenCount",
		`anthropic {"input_tokens":-1,"output_tokens":1}`:                                                        "input_tokens",
		`anthropic {"input_tokens":1,"output_tokens":1,"iterations":[{"type":"compaction","input_tokens":0.5}]}`: "iterations.input_tokens",
		`xai {"prompt_tokens":1,"completion_tokens":1,"total_tokens":9}`:                                         "total_tokens",
	} {
		provider, text, _ := strings.Cut(object, " ")
		got, err := usage.Parse(provider, []byte(text))
		var wrong *usage.Error
		require.ErrorAs(t, err, &wrong, object)
		assert.Equal(t, field, wrong.Field, object)
		assert.NotEmpty(t, wrong.Reason)
		assert.Zero(t, got, object)
	}
}

func TestParseRefusesTextAfterTheObject(t *testing.T) {
	t.Parallel()
	for provider, object := range map[string]string{
		"openai":    `{"prompt_tokens":5,"completion_tokens":1,"total_tokens":6}`,
		"anthropic": `{"input_tokens":5,"output_tokens":1}`,
		"gemini":    `{"total_input_tokens":0}`,
	} {
		for _, after := range []string{"}", "]", ",", "x", ":", "\x00", "\u00a0", "{}", "[]", "null", "0", `"`, "\n}", object} {
			_, err := usage.Parse(provider, []byte(object+after))
			assert.EqualError(t, err, "usage field usage must be one JSON object", "%s %q", provider, after)
		}
		_, err := usage.Parse(provider, []byte(object+" \t\r\n"))
		assert.NoError(t, err, provider)
	}
}

func TestMode(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ query, used, want string }{
		{"", "", ""},
		{"", "standard", ""},
		{"", "batch+standard+us", "batch+us"},
		{"", "ON_DEMAND", ""},
		{"Batch", "", "batch"},
		{" flex ", "priority", "flex"},
		{"standard", "batch", ""},
		{"default", "", ""},
		{"batch", "batch+audio", "batch+audio"},
		{"standard", "audio", "audio"},
		{"audio", "audio", "audio"},
		{"standard", "flex+count:newTokenCount", "count:newTokenCount"},
		{"batch", "other-model", "batch+other-model"},
	} {
		assert.Equal(t, row.want, usage.Mode(row.query, row.used), row)
	}
}
