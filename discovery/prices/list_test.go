package prices_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

func TestBuiltIn(t *testing.T) {
	t.Parallel()
	list := prices.BuiltIn()
	assert.Len(t, list.Rows("claude"), 61)
	assert.Equal(t, []prices.Row{}, list.Rows("nobody"))
	total := 0
	for _, p := range models.Providers() {
		ids := map[string]bool{}
		for _, r := range list.Rows(p) {
			assert.False(t, ids[r.SKUID], r.SKUID)
			ids[r.SKUID] = true
			assert.Equal(t, p, r.Provider)
			assert.Contains(t, r.SKUDescription, r.ModelHint)
			total++
		}
	}
	assert.Len(t, list.Rows(""), total)
	assert.Equal(t, on(t, "2026-11-28"), list.AsOf())
	spoilt := list.Rows(models.XAI)
	spoilt[0].InputPerMTok = "-1"
	assert.NotEqual(t, spoilt, list.Rows(models.XAI))
}

func TestOfReturnsEveryPeriodAndTier(t *testing.T) {
	t.Parallel()
	list := prices.BuiltIn()
	rows := list.ForModel("Open AI", "openai/gpt-5.6-luna")
	require.Len(t, rows, 4)
	for _, r := range rows {
		assert.NotEmpty(t, r.Source)
		assert.NotEmpty(t, r.VerifiedAt)
	}
	assert.Equal(t, []int64{0, 0, 272_001, 272_001}, []int64{rows[0].TierThresholdTokens, rows[1].TierThresholdTokens, rows[2].TierThresholdTokens, rows[3].TierThresholdTokens})
	assert.Equal(t, "2026-07-30", rows[0].ValidUntil)
	assert.Equal(t, "2026-07-30", rows[1].ValidFrom)

	for _, none := range [][]prices.Row{list.ForModel(models.OpenAI, "gpt-99"), list.ForModel("nobody", "gpt-4o"), list.ForModel(models.OpenAI, "")} {
		assert.NotNil(t, none)
		assert.Empty(t, none)
	}
}

func TestZeroPriceListIsEmpty(t *testing.T) {
	t.Parallel()
	var list prices.List
	assert.Empty(t, list.Rows(""))
	assert.Empty(t, list.ForModel(models.OpenAI, "gpt-4o"))
	assert.Zero(t, list.AsOf())
	checkCosts(t, &list, []costCase{{"no price", models.OpenAI, "gpt-4o", "2026-11-20", thousand, "", "", "model"}})
	own, err := list.With(prices.Row{Provider: models.OpenAI, ModelHint: "gpt-4o", InputPerMTok: "1", OutputPerMTok: "1"})
	require.NoError(t, err)
	checkCosts(t, own, []costCase{{"a price of our own", models.OpenAI, "openai/gpt-4o", "2026-11-20", thousand, "", "0.002", ""}})
}

func TestPriceListIsSafeForConcurrentUse(t *testing.T) {
	t.Parallel()
	base := prices.BuiltIn()
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			list, err := base.With(prices.Row{Provider: models.OpenAI, ModelHint: "gpt-4o", InputPerMTok: "1", OutputPerMTok: "1"})
			assert.NoError(t, err)
			for _, l := range []*prices.List{base, list} {
				cost, err := l.CostOf(prices.Call{Provider: models.OpenAI, Model: "openai/gpt-4o", Usage: thousand, At: on(t, "2026-11-20")})
				assert.NoError(t, err)
				assert.Equal(t, l == list, cost.USD == "0.002")
				assert.NotEmpty(t, l.ForModel(models.Gemini, "gemini-2.5-pro"))
			}
		})
	}
	wait.Wait()
}

func TestFees(t *testing.T) {
	t.Parallel()
	list := prices.BuiltIn()
	all := list.Fees("")
	assert.Len(t, all, 28)
	assert.Equal(t, prices.Fee{
		Provider: models.XAI, Tool: "live_search", Unit: "source", USDPerUse: "0.025",
		Models:    []string{"grok-2*", "grok-3*", "grok-4", "grok-4-0709", "grok-4-latest", "grok-4-fast*"},
		ValidFrom: ptr("2025-07-01"), ValidUntil: ptr("2025-12-15"), VerifiedAt: ptr("2026-08-06"),
		Source: "third-party tables (litellm, pages that quote the provider), not confirmed on xAI's pricing page",
	}, list.Fees("grok")[4])
	for _, fee := range all {
		assert.Contains(t, list.Fees(fee.Provider), fee)
		assert.NotEmpty(t, fee.Source)
	}
	all[0].Models[0] = "spoilt"
	assert.NotEqual(t, all, list.Fees(""))
	assert.Empty(t, new(prices.List).Fees(""))
	assert.Empty(t, list.Fees("nobody"))
}

// A tool use costs the fee at its time, in the unit that the provider bills. Factors
// don't change it.
func TestCostOfUsesOfTools(t *testing.T) {
	t.Parallel()
	uses := func(tool string, n int64) prices.Usage {
		return prices.Usage{ToolUses: map[string]int64{tool: n}}
	}
	const day = "2026-11-20"
	checkCosts(t, prices.BuiltIn(), []costCase{
		{"each request", models.Anthropic, "claude-opus-5", day, uses("web_search", 3), "", "0.03", ""},
		{"a batch", models.Anthropic, "claude-opus-5", day, uses("web_search", 3), "batch", "0.03", ""},
		{"a region", models.Anthropic, "us.anthropic.claude-opus-5", day, uses("web_search", 3), "", "0.03", ""},
		{"a free tool", models.Anthropic, "claude-opus-5", day, uses("web_fetch", 3), "", "0", ""},
		{"each query of Gemini 3", models.Gemini, "gemini-3.8-flash", day, uses("grounding", 3), "", "0.042", ""},
		{"the prompt of Gemini 2.5", models.Gemini, "gemini-2.5-flash", day, uses("grounding", 3), "", "0.035", ""},
		{"a model that the fee is not for", models.Gemini, "gemini-2.0-flash-lite", day, uses("grounding", 1), "", "", "tool"},
		{"before the first source", models.XAI, "grok-4.3", "2026-07-13", uses("x_search", 1), "", "", "tool"},
		{"its first day", models.XAI, "grok-4.3", "2026-07-14", uses("x_search", 1), "", "0.005", ""},
		{"before a price", models.DeepSeek, "deepseek-flash", "2026-10-31T15:59:59Z", uses("web_search", 1), "", "", "tool"},
		{"at its first second", models.DeepSeek, "deepseek-flash", "2026-10-31T16:00:00Z", uses("web_search", 1), "", "0.00075", ""},
		{"a tool that has ended", models.XAI, "grok-3", "2025-12-15", uses("live_search", 1), "", "", "tool"},
		{"a container", models.OpenAI, "gpt-5.4", day, uses("code_interpreter", 1), "", "", "tool"},
		{"a longer pattern", models.OpenAI, "gpt-5-search-api", day, thousand, "", "", "tool"},
		{"a tool of no list", models.OpenAI, "gpt-5.4", day, uses("teleport", 1), "", "", "tool"},
	})
	own := mustWith(t, prices.Row{Provider: models.OpenAI, ModelHint: "gpt-5.4", InputPerMTok: "1", OutputPerMTok: "1"})
	searched := with(thousand, func(u *prices.Usage) { u.ToolUses = map[string]int64{"web_search": 1} })
	checkCosts(t, own, []costCase{{"prices of our own", models.OpenAI, "gpt-5.4", day, searched, "", "0.012", ""}})
}

// The platform and region in an id multiply the token prices, or the price is unknown.
func TestCostOfRegions(t *testing.T) {
	t.Parallel()
	const day = "2026-11-20"
	input := prices.Usage{Input: 1_000_000}
	cases := []costCase{
		{"fast in the US", models.Anthropic, "claude-opus-5", day, input, "us+fast", "11", ""},
		{"a batch in the US", models.Anthropic, "claude-opus-5", day, input, "batch+us", "", "mode"},
		{"a batch is never fast", models.Anthropic, "claude-opus-5", day, input, "batch+fast", "", "mode"},
		{"an old speed", models.Anthropic, "claude-opus-4-7", "2026-08-21", input, "fast", "30", ""},
		{"which has ended", models.Anthropic, "claude-opus-4-7", "2026-08-22", input, "fast", "", "mode"},
		{"the region counts once", models.Anthropic, "us.anthropic.claude-opus-5", day, input, "us", "5.5", ""},
		{"a batch in a region", models.Anthropic, "us.anthropic.claude-opus-5", day, input, "batch", "", "mode"},
		{"a batch of all regions", models.Anthropic, "global.anthropic.claude-opus-5", day, input, "batch", "2.5", ""},
		{"a price of no finite factor", models.OpenAI, "gpt-4o-mini", day, input, "fast", "0.25", ""},
	}
	for id, usd := range map[string]string{
		"us.anthropic.claude-opus-5": "5.5", "US.anthropic.claude-opus-5-v1:0": "5.5", "eu.anthropic.claude-opus-5": "5.5", "jp.anthropic.claude-opus-5": "5.5",
		"au.anthropic.claude-opus-5": "5.5", "global.anthropic.claude-opus-5": "5", "claude-opus-5": "5", "anthropic/claude-opus-5": "5",
		"us-gov.anthropic.claude-sonnet-4-5": "3.6", "eu.anthropic.claude-3-haiku-20240307-v1:0": "0.25", "claude-3-haiku@20240307": "0.25",
		"us.anthropic.claude-opus-4-6-v1": "5.5", "global.anthropic.claude-opus-4-6-v1": "5", "anthropic.claude-opus-4-6-v1": "",
		"anthropic.claude-opus-5": "", "eu.anthropic.claude-opus-4-5": "5.5", "apac.anthropic.claude-opus-5": "5.5", "sa.anthropic.claude-opus-5": "", "us-gov.anthropic.claude-opus-5": "",
		"anthropic/us.anthropic.claude-opus-5": "", "claude-opus-5@20260724": "", "publishers/anthropic/models/claude-opus-5": "", "bedrock/us.anthropic.claude-opus-5": "",
	} {
		missing := prices.Missing("")
		if usd == "" {
			missing = prices.MissingRegion
		}
		cases = append(cases, costCase{id, models.Anthropic, id, day, input, "", usd, missing})
	}
	cases = append(
		cases, costCase{"Azure", models.OpenAI, "azure/us/gpt-5.4", day, input, "", "", "region"}, costCase{"Oracle", models.XAI, "oci/xai.grok-4.3", day, input, "", "", "region"},
		costCase{"a region of Vertex", models.Gemini, "projects/p/locations/us-east5/publishers/google/models/gemini-3.8-flash", day, input, "", "", "region"},
		costCase{"all regions of Vertex", models.Gemini, "projects/p/locations/global/publishers/google/models/gemini-3.8-flash", day, prices.Usage{Input: 1000}, "", "0.00075", ""},
	)
	for i := range cases {
		if cases[i].model == "claude-3-haiku@20240307" {
			cases[i].date = "2026-01-01"
		}
	}
	checkCosts(t, prices.BuiltIn(), cases)
}

// The caller's own DeepSeek rows are chosen by the hour, like the built-in ones.
func TestOwnRowsByTheHour(t *testing.T) {
	t.Parallel()
	rows := prices.BuiltIn().ForModel(models.DeepSeek, "deepseek-flash")
	require.Len(t, rows, 2)
	for _, list := range []*prices.List{prices.BuiltIn(), mustWith(t, rows...)} {
		for at, mode := range map[string]string{"2026-11-18T02:00:00Z": prices.ModePeak, "2026-11-18T04:00:00Z": prices.ModeOffPeak} {
			cost, err := list.CostOf(prices.Call{Provider: models.DeepSeek, Model: "deepseek-flash", Usage: thousand, At: on(t, at)})
			require.NoError(t, err)
			assert.Equal(t, mode, cost.Mode)
			assert.EqualValues(t, map[string]string{prices.ModePeak: "0.0015", prices.ModeOffPeak: "0.00075"}[mode], cost.USD)
		}
	}
}

// In own rows, audio and images are priced by rows with that modality.
func TestOwnRowsOfMedia(t *testing.T) {
	t.Parallel()
	text := prices.Row{Provider: models.Gemini, ModelHint: "gemini-2.5-flash", InputPerMTok: "1", OutputPerMTok: "2"}
	audio := text
	audio.Modality, audio.InputPerMTok = prices.ModalityAudio, "7"
	heard := prices.Usage{Input: 1_000_000, AudioInput: 1_000_000}
	checkCosts(t, mustWith(t, text, audio), []costCase{{"own rows", models.Gemini, "gemini-2.5-flash", "2026-11-20", heard, "", "8", ""}})
	fast := text
	fast.Mode = prices.ModePriority
	checkCosts(t, mustWith(t, text, audio, fast), []costCase{{"audio of another mode", models.Gemini, "gemini-2.5-flash", "2026-11-20", heard, "priority", "", "audio"}})
	checkCosts(t, mustWith(t, text), []costCase{{"text only", models.Gemini, "gemini-2.5-flash", "2026-11-20", heard, "", "", "audio"}})
}
