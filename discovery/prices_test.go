package discovery_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
)

func TestWithPrices(t *testing.T) {
	t.Parallel()
	const day = "2026-11-20"
	own := []discovery.ProviderPricing{
		{Provider: "Open AI", ModelHint: "gpt-5.4", InputPerMTok: ref(1.0), OutputPerMTok: ref(2.0), Source: "our contract", VerifiedAt: ref("2026-11-01"), ValidFrom: ref("2026-11-01")},
		{Provider: discovery.OpenAI, ModelHint: "gpt-5.4", InputPerMTok: ref(3.0), OutputPerMTok: ref(4.0), ValidFrom: ref("2026-11-01"), TierThresholdTokens: 2_000},
		{Provider: discovery.OpenAI, ModelHint: "gpt-5.4", InputPerMTok: ref(0.1), OutputPerMTok: ref(0.2), ValidFrom: ref("2026-11-01"), Mode: discovery.ModeBatch},
		{Provider: discovery.OpenAI, ModelHint: "ft:gpt-4o-2024-08-06:acme::x1", InputPerMTok: ref(3.75), OutputPerMTok: ref(15.0)},
		{Provider: discovery.OpenAI, ModelHint: "odd", InputPerMTok: ref(1.25 / 3), OutputPerMTok: ref(1e-20)},
		{Provider: discovery.DeepSeek, ModelHint: "deepseek-flash", InputPerMTok: ref(1.0), OutputPerMTok: ref(1.0)},
		{Provider: discovery.Gemini, ModelHint: "free", InputPerMTok: ref(0.0), OutputPerMTok: ref(0.0)},
	}
	checkCosts(t, []costCase{
		{"before the table", discovery.OpenAI, "gpt-5.4", day, thousand, "", "0.003", ""},
		{"another spelling", discovery.OpenAI, "openai/GPT-5-4", day, thousand, "", "0.003", ""},
		{"a tier begins at its threshold", discovery.OpenAI, "gpt-5.4", day, discovery.Usage{Input: 2_000}, "", "0.006", ""},
		{"and not before", discovery.OpenAI, "gpt-5.4", day, discovery.Usage{Input: 1_999}, "", "0.001999", ""},
		{"a mode with a row", discovery.OpenAI, "gpt-5.4", day, thousand, "batch", "0.0003", ""},
		{"a mode without a row", discovery.OpenAI, "gpt-5.4", day, thousand, "flex", "", "mode"},
		{"an empty cell is not filled from the table", discovery.OpenAI, "gpt-5.4", day, discovery.Usage{CacheRead: 1}, "", "", "cache price"},
		{"before the contract the table counts", discovery.OpenAI, "gpt-5.4", "2026-10-31", thousand, "", "0.0175", ""},
		{"a fine-tune", discovery.OpenAI, "ft:gpt-4o-2024-08-06:acme::x1", day, thousand, "", "0.01875", ""},
		{"a float64 is its shortest decimal", discovery.OpenAI, "odd", day, discovery.Usage{Input: 3, Output: 1}, "", "0.00000125000000000000010001", ""},
		{"no hours off the peak", discovery.DeepSeek, "deepseek-flash", "2026-11-21", thousand, "", "0.002", ""},
		{"a price of 0 is a price", discovery.Gemini, "free", day, thousand, "", "0", ""},
		{"other models are those of the table", discovery.OpenAI, "gpt-4o", day, thousand, "", "0.0125", ""},
	}, discovery.WithPrices(own...))

	client, _ := pricing(discovery.WithPrices(own[0]), discovery.WithPrices(own[1]))
	rows, err := client.Prices(t.Context(), discovery.OpenAI, "gpt-5.4")
	require.NoError(t, err)
	require.Len(t, rows, 2)
	assert.Equal(t, []string{"our contract", "the caller's own price"}, []string{rows[0].Source, rows[1].Source})
	assert.Equal(t, discovery.OpenAI, rows[0].Provider)
	*rows[0].InputPerMTok = 99
	*own[0].InputPerMTok = 98
	cost, err := client.CostOf(t.Context(), discovery.CostQuery{Provider: discovery.OpenAI, Model: "gpt-5.4", Usage: thousand})
	require.NoError(t, err)
	assert.Equal(t, "0.003", cost.Exact, "neither the argument nor the result is shared")
	assert.Equal(t, "our contract", cost.Source)
}

// A contract is for a model, in whatever spelling it and the answer have the id.
func TestWithPricesHoldForEverySpelling(t *testing.T) {
	t.Parallel()
	own := []discovery.ProviderPricing{
		{Provider: discovery.Anthropic, ModelHint: "claude-opus-4-5"},
		{Provider: discovery.Anthropic, ModelHint: "anthropic/claude-opus-4.8"},
		{Provider: discovery.Anthropic, ModelHint: "claude-haiku-4-5-20251001"},
		{Provider: discovery.OpenAI, ModelHint: "GPT-4o", ValidFrom: ref("2026-11-01")},
		{Provider: discovery.Gemini, ModelHint: "models/gemini-2.5-pro"},
		{Provider: discovery.XAI, ModelHint: "grok-4"},
		{Provider: discovery.OpenAI, ModelHint: "My-Model"},
	}
	for i := range own {
		own[i].InputPerMTok, own[i].OutputPerMTok = ref(1_000.0), ref(1_000.0)
	}
	const day, contract = "2026-11-20", "2"
	checkCosts(t, []costCase{
		{"a build of Claude", discovery.Anthropic, "claude-opus-4-5-20251101", day, thousand, "", contract, ""},
		{"the same on Bedrock", discovery.Anthropic, "us.anthropic.claude-opus-4-5-20251101-v1:0", day, thousand, "", contract, ""},
		{"a hint with a prefix and a dot", discovery.Anthropic, "claude-opus-4-8", day, thousand, "", contract, ""},
		{"a model is not one of its builds", discovery.Anthropic, "claude-haiku-4-5", day, thousand, "", "0.006", ""},
		{"a hint in capital letters", discovery.OpenAI, "gpt-4o", day, thousand, "", contract, ""},
		{"its own spelling", discovery.OpenAI, "GPT-4o", day, thousand, "", contract, ""},
		{"its own spelling before the contract", discovery.OpenAI, "GPT-4o", "2026-10-31", thousand, "", "0.0125", ""},
		{"a build of OpenAI", discovery.OpenAI, "gpt-4o-2024-08-06", day, thousand, "", "0.0125", ""},
		{"a hint that is a path", discovery.Gemini, "gemini-2.5-pro", day, thousand, "", contract, ""},
		{"a moving alias", discovery.XAI, "grok-4-latest", day, thousand, "", contract, ""},
		{"a model that the table lacks", discovery.OpenAI, "my-model", day, thousand, "", contract, ""},
	}, discovery.WithPrices(own...))
}

func TestWithPricesRejectsInvalidTables(t *testing.T) {
	t.Parallel()
	good := discovery.ProviderPricing{Provider: discovery.OpenAI, ModelHint: "m", InputPerMTok: ref(1.0)}
	for name, change := range map[string]func(*discovery.ProviderPricing){
		"provider":              func(p *discovery.ProviderPricing) { p.Provider = "nobody" },
		"model hint of a price": func(p *discovery.ProviderPricing) { p.ModelHint = " " },
		"price":                 func(p *discovery.ProviderPricing) { p.CacheReadPerMTok = ref(-1.0) },
		"tier threshold":        func(p *discovery.ProviderPricing) { p.TierThresholdTokens = -1 },
		"price date":            func(p *discovery.ProviderPricing) { p.ValidUntil = ref("2026-13-01") },
	} {
		row := good
		change(&row)
		func() {
			defer func() {
				wrong, _ := recover().(*discovery.ValueError)
				if assert.NotNil(t, wrong, name) {
					assert.Equal(t, name, wrong.Field)
				}
			}()
			discovery.WithPrices(row)
		}()
	}
	for _, usd := range []float64{math.NaN(), math.Inf(1)} {
		row := good
		row.OutputPerMTok = &usd
		assert.Panics(t, func() { discovery.WithPrices(row) })
	}
	swapped := good
	swapped.ValidFrom, swapped.ValidUntil = ref("2026-05-01"), ref("2026-05-01")
	assert.Panics(t, func() { discovery.WithPrices(swapped) })
	assert.NotPanics(t, func() { discovery.New(discovery.WithPrices(good)) })
}

func TestPricesOfTheTable(t *testing.T) {
	t.Parallel()
	client, failures := pricing()
	rows, err := client.Prices(t.Context(), discovery.OpenAI, "openai/gpt-5.6-luna")
	require.NoError(t, err)
	require.Len(t, rows, 4)
	for _, r := range rows {
		assert.NotEmpty(t, r.Source)
		assert.NotNil(t, r.VerifiedAt)
	}
	assert.Equal(t, []int64{0, 0, 272_001, 272_001}, []int64{rows[0].TierThresholdTokens, rows[1].TierThresholdTokens, rows[2].TierThresholdTokens, rows[3].TierThresholdTokens})
	assert.Equal(t, "2026-07-30", *rows[0].ValidUntil)
	assert.Equal(t, "2026-07-30", *rows[1].ValidFrom)
	assert.Empty(t, *failures)

	rows, err = client.Prices(t.Context(), discovery.OpenAI, "gpt-99")
	require.NoError(t, err)
	assert.Equal(t, []discovery.ProviderPricing{}, rows)
	assert.Len(t, *failures, 1)
	_, err = client.Prices(t.Context(), "nobody", "m")
	assert.Error(t, err)
	_, err = client.Prices(t.Context(), discovery.OpenAI, "")
	assert.Error(t, err)
}

func TestListPrices(t *testing.T) {
	t.Parallel()
	assert.Len(t, discovery.ListPrices("claude"), 55)
	assert.Empty(t, discovery.ListPrices("nobody"))
	for _, p := range []discovery.Provider{discovery.OpenAI, discovery.DeepSeek, discovery.Anthropic, discovery.Gemini, discovery.XAI} {
		ids := map[string]bool{}
		for _, r := range discovery.ListPrices(p) {
			assert.False(t, ids[r.SKUID], r.SKUID)
			ids[r.SKUID] = true
			assert.Equal(t, p, r.Provider)
			assert.Equal(t, r.InputPerMTok == nil, r.OutputPerMTok == nil, r.SKUID)
			assert.Contains(t, r.SKUDescription, r.ModelHint)
		}
	}
	spoilt := discovery.ListPrices(discovery.XAI)
	*spoilt[0].InputPerMTok = -1
	assert.NotEqual(t, spoilt, discovery.ListPrices(discovery.XAI))
}
