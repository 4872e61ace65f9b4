package prices_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

func TestCostOfWhatIsNotPriced(t *testing.T) {
	t.Parallel()
	const day = "2026-11-20"
	checkCosts(t, prices.BuiltIn(), []costCase{
		{"an unknown model", models.OpenAI, "gpt-99", day, thousand, "", "", "model"},
		{"a model of another provider", models.OpenAI, "claude-opus-5-5", day, thousand, "", "", "model"},
		{"a model that is listed without a price", models.Gemini, "gemini-pro-latest", day, thousand, "", "", "model"},
		{"the same, with nothing used", models.Anthropic, "claude-mythos-5-2", day, prices.Usage{}, "", "", "model"},
		{"a fine-tune is not its base", models.OpenAI, "ft:gpt-4o-2024-08-06:acme::x1", day, thousand, "", "", "model"},
		{"a build that is not listed", models.OpenAI, "gpt-4o-2026-02-03", day, thousand, "", "", "model"},
		{"a build of Claude costs what its model does", models.Anthropic, "claude-opus-4-6-20260205", day, thousand, "", "0.03", ""},
		{"an empty cell of cached input", models.OpenAI, "gpt-5-pro", day, prices.Usage{Input: 1, CacheRead: 1}, "", "", "cache_read"},
		{"the same without cached tokens", models.OpenAI, "gpt-5-pro", day, thousand, "", "0.135", ""},
		{"an empty cell of a cache write", models.OpenAI, "gpt-5.4", day, prices.Usage{CacheWrite5m: 1}, "", "", "cache_write_5m"},
		{"an empty cell of the longer write", models.OpenAI, "gpt-6-sol", day, prices.Usage{CacheWrite1h: 1}, "", "", "cache_write_1h"},
		{"an empty cell of the tier", models.XAI, "grok-4.5-latest", day, prices.Usage{Input: 200_000, CacheRead: 1}, "", "", "cache_read"},
		{"a price with one source is not billed by", models.Anthropic, "claude-3-sonnet-20240229", day, prices.Usage{CacheWrite1h: 1}, "", "", "cache_write_1h"},
		{"the hour of an old model", models.Anthropic, "claude-2.1", day, prices.Usage{CacheWrite1h: 1}, "", "", "cache_write_1h"},
		{"cached input that was filled in later", models.Gemini, "gemini-4-neon", day, prices.Usage{CacheRead: 1_000}, "", "0.00015", ""},
		{"a model whose prices have one source", models.Anthropic, "claude-mythos-5-2", day, thousand, "", "", "model"},
		{"a cached price with one source", models.OpenAI, "gpt-realtime-mini", day, prices.Usage{CacheRead: 1}, "", "", "cache_read"},
		{"a model with only a third party's price", models.OpenAI, "gpt-image-2.6-flare", day, thousand, "", "", "model"},
		{"the day from which a model is routed to its successor", models.Gemini, "gemini-2.5-pro", "2026-12-01", thousand, "", "", "period"},
		{"routed to its successor", models.Gemini, "gemini-2.5-pro", "2026-12-02", thousand, "", "0.0045", ""},
		{"routed to its successor, a long prompt", models.Gemini, "gemini-2.5-pro", "2026-12-02", prices.Usage{Input: 300_000}, "", "0.225", ""},
		{"routed to its successor after its promotion", models.Gemini, "gemini-2.5-pro", "2027-01-01", thousand, "", "0.009", ""},
		{"a search of the successor", models.Gemini, "gemini-2.5-pro", "2026-12-02", prices.Usage{ToolUses: map[string]int64{"grounding": 1}}, "", "", "tool"},
		{"writes that were filled in later", models.OpenAI, "gpt-6.2-astra", day, prices.Usage{CacheWrite5m: 1_000}, "", "0.01", ""},
		{"writes of a page without them", models.OpenAI, "gpt-4o", day, prices.Usage{CacheWrite5m: 1}, "", "", "cache_write_5m"},
		{"flex of a page without it", models.OpenAI, "gpt-6.2-sol", day, thousand, "flex", "", "mode"},
	})
}

// A cost never leaves out counts without a list price.
func TestCostOfCountsWithoutAPrice(t *testing.T) {
	t.Parallel()
	const day = "2026-11-20"
	for field, missing := range map[string]prices.Missing{
		"AudioInput": "audio", "AudioCacheRead": "audio", "AudioOutput": "audio", "ImageInput": "image", "ImageCacheRead": "image", "ImageOutput": "image",
	} {
		usage := thousand
		reflect.ValueOf(&usage).Elem().FieldByName(field).SetInt(1)
		checkCosts(t, prices.BuiltIn(), []costCase{{field, models.OpenAI, "gpt-4o", day, usage, "", "", missing}})
		checkCosts(t, mustWith(t, prices.Row{Provider: models.OpenAI, ModelHint: "gpt-4o", InputPerMTok: "1", OutputPerMTok: "1"}),
			[]costCase{{field + " with a price of our own", models.OpenAI, "gpt-4o", day, usage, "", "", missing}})
	}
	searched := with(thousand, func(u *prices.Usage) { u.ToolUses = map[string]int64{"web_search": 0, "xx_search": 1} })
	_, err := prices.BuiltIn().CostOf(prices.Call{Provider: models.XAI, Model: "grok-4.7", Usage: searched, At: on(t, day)})
	assert.Equal(t, &prices.UnpricedError{Provider: models.XAI, Model: "grok-4.7", Missing: prices.MissingTool, Name: "xx_search", BoundUSD: "0.008"}, err)
	searched.ToolUses = map[string]int64{"web_search": 0}
	_, err = prices.BuiltIn().CostOf(prices.Call{Provider: models.XAI, Model: "grok-4.7", Usage: searched, At: on(t, day)})
	require.NoError(t, err)
}

// Other vendors sell DeepSeek and xAI models at their own prices, and a marketplace has
// several prices for one model.
func TestModelsOfOtherVendorsHaveNoListedPrice(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		provider models.Provider
		model    string
		priced   bool
	}{
		{models.DeepSeek, "deepseek-v4-pro", true},
		{models.DeepSeek, "deepseek/deepseek-v4-pro", true},
		{models.DeepSeek, "deepseek-ai/DeepSeek-V4-Pro", true},
		{models.DeepSeek, "fireworks/deepseek-v4-pro", false},
		{models.DeepSeek, "Azure/DeepSeek-V4-Pro", false},
		{models.DeepSeek, "together/deepseek-ai/deepseek-v4-pro", false},
		{models.DeepSeek, "deepseek/deepseek-v4-pro:free", false},
		{models.XAI, "grok-4.7", true},
		{models.XAI, " X-AI/Grok-4.7\n", true},
		{models.XAI, "xai/grok-4-7", true},
		{models.XAI, "azure/grok-4.7", false},
		{models.XAI, "x-ai/grok-4.7:free", false},
		{models.OpenAI, "openai/gpt-4o", true},
		{models.OpenAI, "azure/gpt-4o", false},
		{models.OpenAI, "openai/gpt-4o:nitro", false},
		{models.OpenAI, "gpt-4o:FREE", false},
		{models.Anthropic, "anthropic/claude-opus-4.8", true},
		{models.Anthropic, "anthropic/claude-opus-4.8:thinking", false},
		{models.Gemini, "models/gemini-2.5-pro", true},
		{models.Gemini, "google/gemini-2.5-pro:free", false},
	} {
		call := prices.Call{Provider: row.provider, Model: row.model, Usage: prices.Usage{Input: 1_000}, At: on(t, "2026-10-20")}
		_, err := prices.BuiltIn().CostOf(call)
		assert.Equal(t, row.priced, err == nil, row)
		assert.Equal(t, row.priced, len(prices.BuiltIn().ForModel(row.provider, row.model)) > 0, row)

		own := mustWith(t, prices.Row{Provider: row.provider, ModelHint: row.model, InputPerMTok: "1000"})
		cost, err := own.CostOf(call)
		require.NoError(t, err, row)
		assert.EqualValues(t, "1", cost.USD, row)
	}
}

func TestUnpricedErrorNamesWhatIsMissing(t *testing.T) {
	t.Parallel()
	usage := with(thousand, func(u *prices.Usage) { u.Mode = "count:future_tokens" })
	for _, row := range []struct {
		call prices.Call
		want prices.UnpricedError
		text string
	}{
		{
			prices.Call{Provider: "claude", Model: "claude-99"},
			prices.UnpricedError{Provider: models.Anthropic, Model: "claude-99", Missing: prices.MissingModel},
			"prices: unknown cost: model: claude-99 has no price in the list",
		},
		{
			prices.Call{Provider: models.OpenAI, Model: "gpt-5.4", Mode: "Teleport"},
			prices.UnpricedError{Provider: models.OpenAI, Model: "gpt-5.4", Missing: prices.MissingMode, Name: "teleport"},
			"prices: unknown cost: mode teleport: gpt-5.4 has no known price in this mode",
		},
		{
			prices.Call{Provider: models.OpenAI, Model: "gpt-5.4", Usage: usage},
			prices.UnpricedError{Provider: models.OpenAI, Model: "gpt-5.4", Missing: prices.MissingCount, Name: "future_tokens", BoundUSD: "0.0175"},
			"prices: unknown cost: count future_tokens: gpt-5.4 has no known price for this count",
		},
		{
			prices.Call{Provider: models.OpenAI, Model: "whisper-1", Usage: prices.Usage{Mode: "count:seconds"}},
			prices.UnpricedError{Provider: models.OpenAI, Model: "whisper-1", Missing: prices.MissingDuration},
			"prices: unknown cost: duration: whisper-1 is billed by duration",
		},
		{
			prices.Call{Provider: models.OpenAI, Model: "gpt-5-pro", Usage: prices.Usage{CacheRead: 1}},
			prices.UnpricedError{Provider: models.OpenAI, Model: "gpt-5-pro", Missing: prices.MissingCacheRead},
			"prices: unknown cost: cache_read: gpt-5-pro has no known cache_read price",
		},
	} {
		row.call.At = on(t, "2026-11-20")
		_, err := prices.BuiltIn().CostOf(row.call)
		assert.Equal(t, &row.want, err)
		assert.EqualError(t, err, row.text)
		assert.ErrorIs(t, err, prices.ErrUnpriced)
	}
}

// A key pasted in place of a model or mode must not appear in the error.
func TestUnpricedErrorShowsNoKey(t *testing.T) {
	t.Parallel()
	pasted := strings.Repeat("k", 40)
	for _, call := range []prices.Call{{Model: pasted}, {Model: "gpt-4o", Mode: pasted}} {
		call.Provider, call.At = models.OpenAI, on(t, "2026-11-20")
		_, err := prices.BuiltIn().CostOf(call)
		require.ErrorIs(t, err, prices.ErrUnpriced)
		assert.NotContains(t, err.Error(), pasted)
	}
}
