package prices_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

func TestCostOfModes(t *testing.T) {
	t.Parallel()
	const day = "2026-11-20"
	batch := with(thousand, func(u *prices.Usage) { u.Mode = "batch" })
	audio := with(thousand, func(u *prices.Usage) { u.Mode = "audio" })
	long := with(thousand, func(u *prices.Usage) { u.Input = 300_000 })
	checkCosts(t, prices.BuiltIn(), []costCase{
		{"a batch", models.OpenAI, "gpt-4o", day, batch, "", "0.00625", ""},
		{"a batch of the query", models.Anthropic, "claude-opus-5-5", day, thousand, "Batch", "0.012", ""},
		{"the query beats the usage", models.OpenAI, "gpt-4o", day, batch, "standard", "0.0125", ""},
		{"standard names", models.OpenAI, "gpt-4o", day, thousand, "default", "0.0125", ""},
		{"a batch with a long prompt", models.OpenAI, "gpt-6-sol", day, long, "batch", "0.6075", ""},
		{"a batch halves cache writes", models.Anthropic, "claude-opus-5-5", day, prices.Usage{CacheWrite1h: 1_000}, "batch", "0.004", ""},
		{"flex", models.OpenAI, "gpt-5-nano", day, thousand, "flex", "0.000225", ""},
		{"flex of a model that does not offer it", models.OpenAI, "gpt-4o", day, thousand, "flex", "", "mode"},
		{"priority", models.OpenAI, "gpt-4o", day, thousand, "priority", "0.02125", ""},
		{"fast is priority", models.OpenAI, "gpt-5.5", day, thousand, "fast", "0.0875", ""},
		{"priority with a long prompt", models.OpenAI, "gpt-5.4", day, long, "priority", "", "mode"},
		{"fast with a long prompt", models.OpenAI, "gpt-6.2-sol", day, prices.Usage{Input: 300_000, Output: 100}, "fast", "2.403", ""},
		{"a region with a long prompt", models.OpenAI, "gpt-6-luna", day, prices.Usage{Input: 300_000, Output: 100}, "eu", "0.0660825", ""},
		{"Gemini's flex", models.Gemini, "gemini-3.1-flash-lite", day, prices.Usage{Input: 1_000}, "flex", "0.000125", ""},
		{"priority of one source", models.OpenAI, "gpt-5.1-codex-mini", day, thousand, "priority", "", "mode"},
		{"fast mode", models.Anthropic, "claude-opus-5-5", day, thousand, "fast", "0.048", ""},
		{"fast mode of one source", models.Anthropic, "claude-opus-4-7", day, thousand, "fast", "", "mode"},
		{"a region", models.Anthropic, "claude-opus-5-5", day, thousand, "us", "0.0264", ""},
		{"a region", models.XAI, "grok-4.7", day, thousand, "us", "0.0088", ""},
		{"two modes at once", models.OpenAI, "gpt-5.4", day, thousand, "batch+eu", "", "mode"},
		{"an unknown mode", models.OpenAI, "gpt-5.4", day, thousand, "teleport", "", "mode"},
		{"a mode of DeepSeek", models.DeepSeek, "deepseek-flash", day, thousand, "batch", "", "mode"},
		{"Gemini's batch", models.Gemini, "gemini-2.5-pro", day, thousand, "batch", "0.005625", ""},
		{"Gemini's batch with cached input", models.Gemini, "gemini-2.5-pro", day, prices.Usage{CacheRead: 1}, "batch", "", "cache_read"},
		{"audio", models.OpenAI, "gpt-4o-audio-preview", day, audio, "", "", "audio"},
		{"the query does not hide audio", models.OpenAI, "gpt-4o-audio-preview", day, audio, "batch", "", "audio"},
		{"nor does standard", models.OpenAI, "gpt-4o-audio-preview", day, audio, "standard", "", "audio"},
	})
}

func TestCostOfDeepSeekByTheHour(t *testing.T) {
	t.Parallel()
	checkCosts(t, prices.BuiltIn(), []costCase{
		{"flat before the peak prices, at a peak hour", models.DeepSeek, "deepseek-v4-flash", "2026-08-14T02:00:00Z", thousand, "", "0.00042", ""},
		{"flat off the peak too", models.DeepSeek, "deepseek-v4-flash", "2026-08-14T12:00:00Z", thousand, "", "0.00042", ""},
		{"peak", models.DeepSeek, "deepseek-v4-flash", "2026-08-17T01:00:00Z", thousand, "", "0.00176", ""},
		{"off the peak", models.DeepSeek, "deepseek-v4-flash", "2026-08-17T04:00:00Z", thousand, "", "0.00088", ""},
		{"a Saturday before weekends were off-peak", models.DeepSeek, "deepseek-v4-flash", "2026-08-22T01:00:00Z", thousand, "", "0.00176", ""},
		{"the first Sunday", models.DeepSeek, "deepseek-v4-flash", "2026-08-23T01:00:00Z", thousand, "", "0.00088", ""},
		{"a Saturday", models.DeepSeek, "deepseek-v4-pro", "2026-11-21T09:59:59Z", thousand, "", "0.00264", ""},
		{"the clock is UTC", models.DeepSeek, "deepseek-flash", "2026-11-18T09:00:00+08:00", thousand, "", "0.0015", ""},
		{"a peak price from before there were any", models.DeepSeek, "deepseek-v4-flash-vision-exp", "2026-08-16", thousand, "", "", "period"},
		{"the last second before a change", models.DeepSeek, "deepseek-v4-flash-vision-exp", "2026-09-10T03:59:59Z", thousand, "", "0.00176", ""},
		{"the change is an instant", models.DeepSeek, "deepseek-v4-flash-vision-exp", "2026-09-10T04:00:00Z", thousand, "", "0.00075", ""},
		{"a model before its first price", models.DeepSeek, "deepseek-flash", "2026-09-10T03:59:59Z", thousand, "", "", "period"},
		{"half of an odd price is exact", models.DeepSeek, "deepseek-flash", "2026-11-18T12:00:00Z", prices.Usage{CacheRead: 1}, "", "0.000000003", ""},
	})
}

func TestCostNamesItsTierAndMode(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		model string
		u     prices.Usage
		tier  int64
		mode  string
	}{
		{"gpt-5.4", prices.Usage{Input: 272_000}, 0, "standard"},
		{"gpt-5.4", prices.Usage{Input: 272_001}, 272_001, "standard"},
		{"gpt-5.4", prices.Usage{Input: 1, Mode: "Batch"}, 0, "batch"},
		{"gpt-5.4", prices.Usage{Input: 1, ChargedUSD: "1"}, 0, ""},
	} {
		cost, err := prices.BuiltIn().CostOf(prices.Call{Provider: models.OpenAI, Model: row.model, Usage: row.u, At: on(t, "2026-11-20")})
		require.NoError(t, err)
		assert.Equal(t, row.tier, cost.TierThresholdTokens, row)
		assert.Equal(t, row.mode, cost.Mode, row)
	}
}
