package prices_test

import (
	"math/big"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

func TestWith(t *testing.T) {
	t.Parallel()
	const day = "2026-11-20"
	own := []prices.Row{
		{Provider: "Open AI", ModelHint: "gpt-5.4", InputPerMTok: "1", OutputPerMTok: "2", Source: "our contract", VerifiedAt: "2026-11-01", ValidFrom: "2026-11-01"},
		{Provider: models.OpenAI, ModelHint: "gpt-5.4", InputPerMTok: "3", OutputPerMTok: "4", ValidFrom: "2026-11-01", TierThresholdTokens: 2_000},
		{Provider: models.OpenAI, ModelHint: "gpt-5.4", InputPerMTok: "0.1", OutputPerMTok: "0.2", ValidFrom: "2026-11-01", Mode: prices.ModeBatch},
		{Provider: models.OpenAI, ModelHint: "ft:gpt-4o-2024-08-06:acme::x1", InputPerMTok: "3.75", OutputPerMTok: "15"},
		{Provider: models.OpenAI, ModelHint: "odd", InputPerMTok: "0.4166666666666667", OutputPerMTok: "0.00000000000000000001"},
		{Provider: models.DeepSeek, ModelHint: "deepseek-flash", InputPerMTok: "1", OutputPerMTok: "1"},
		{Provider: models.Gemini, ModelHint: "free", InputPerMTok: "0", OutputPerMTok: "0"},
	}
	checkCosts(t, mustWith(t, own...), []costCase{
		{"before the table", models.OpenAI, "gpt-5.4", day, thousand, "", "0.003", ""},
		{"another spelling", models.OpenAI, "openai/GPT-5-4", day, thousand, "", "0.003", ""},
		{"a tier begins at its threshold", models.OpenAI, "gpt-5.4", day, prices.Usage{Input: 2_000}, "", "0.006", ""},
		{"and not before", models.OpenAI, "gpt-5.4", day, prices.Usage{Input: 1_999}, "", "0.001999", ""},
		{"a mode with a row", models.OpenAI, "gpt-5.4", day, thousand, "batch", "0.0003", ""},
		{"a mode without a row", models.OpenAI, "gpt-5.4", day, thousand, "flex", "", "mode"},
		{"an empty cell is not filled from the table", models.OpenAI, "gpt-5.4", day, prices.Usage{CacheRead: 1}, "", "", "cache_read"},
		{"before the contract the table counts", models.OpenAI, "gpt-5.4", "2026-10-31", thousand, "", "0.0175", ""},
		{"a fine-tune", models.OpenAI, "ft:gpt-4o-2024-08-06:acme::x1", day, thousand, "", "0.01875", ""},
		{"many places", models.OpenAI, "odd", day, prices.Usage{Input: 3, Output: 1}, "", "0.00000125000000000000010001", ""},
		{"no hours off the peak", models.DeepSeek, "deepseek-flash", "2026-11-21", thousand, "", "0.002", ""},
		{"a price of 0 is a price", models.Gemini, "free", day, thousand, "", "0", ""},
		{"other models are those of the table", models.OpenAI, "gpt-4o", day, thousand, "", "0.0125", ""},
	})

}

func TestWithChangesNothingThatIsShared(t *testing.T) {
	t.Parallel()
	first := prices.Row{Provider: "Open AI", ModelHint: " gpt-5.4 ", InputPerMTok: "1", OutputPerMTok: "2", Source: "our contract"}
	base := mustWith(t, first)
	list, err := base.With(prices.Row{Provider: models.OpenAI, ModelHint: "gpt-5.4", InputPerMTok: "3", TierThresholdTokens: 2_000})
	require.NoError(t, err)
	rows := list.ForModel(models.OpenAI, "gpt-5.4")
	require.Greater(t, len(rows), 2)
	assert.Equal(t, []string{"the caller's own price", "our contract"}, []string{rows[0].Source, rows[1].Source}, "rows from the later With come first")
	assert.Equal(t, []any{models.OpenAI, "gpt-5.4"}, []any{rows[1].Provider, rows[1].ModelHint})
	assert.Equal(t, prices.BuiltIn().ForModel(models.OpenAI, "gpt-5.4"), rows[2:])
	assert.Equal(t, rows[1:], base.ForModel(models.OpenAI, "gpt-5.4"), "the base has no new row")

	rows[1].InputPerMTok, first.InputPerMTok = "99", "98"
	cost, err := list.CostOf(prices.Call{Provider: models.OpenAI, Model: "gpt-5.4", Usage: thousand, At: on(t, "2026-11-20")})
	require.NoError(t, err)
	assert.EqualValues(t, "0.003", cost.USD, "neither the argument nor the result is shared")
	assert.Equal(t, "our contract", cost.Source)
}

func TestLaterWithWins(t *testing.T) {
	t.Parallel()
	row := prices.Row{Provider: models.OpenAI, ModelHint: "gpt-5.4", InputPerMTok: "1", OutputPerMTok: "1"}
	list := mustWith(t, row)
	row.InputPerMTok = "7"
	list, err := list.With(row)
	require.NoError(t, err)
	checkCosts(t, list, []costCase{{"the later row", models.OpenAI, "gpt-5.4", "2026-11-20", thousand, "", "0.008", ""}})
}

// A list with its own rows added gives the same costs: thresholds mean the same in both.
func TestWithTheRowsOfTheListChangesNoCost(t *testing.T) {
	t.Parallel()
	base := prices.BuiltIn()
	list := mustWith(t, base.Rows("")...)
	for _, row := range base.Rows("") {
		if row.Provider == models.DeepSeek {
			continue
		}
		for _, tokens := range []int64{1, max(row.TierThresholdTokens-1, 0), row.TierThresholdTokens, row.TierThresholdTokens + 1} {
			call := prices.Call{Provider: row.Provider, Model: row.ModelHint, Usage: prices.Usage{Input: tokens, Output: 1}, At: on(t, "2026-11-20")}
			want, wantErr := base.CostOf(call)
			got, err := list.CostOf(call)
			require.Equal(t, wantErr == nil, err == nil, "%s, %d tokens: %v, %v", row.SKUID, tokens, wantErr, err)
			require.Equal(t, want.USD, got.USD, "%s, %d tokens", row.SKUID, tokens)
		}
	}
}

// TierThresholdTokens is a row's shortest prompt; 1 is allowed.
func TestWithThresholds(t *testing.T) {
	t.Parallel()
	for _, threshold := range []int64{1, 2, 200_000, 200_001, 1 << 53} {
		low := prices.Row{Provider: models.OpenAI, ModelHint: "m", InputPerMTok: "1", OutputPerMTok: "1"}
		high := prices.Row{Provider: models.OpenAI, ModelHint: "m", InputPerMTok: "2", OutputPerMTok: "2", TierThresholdTokens: threshold}
		list := mustWith(t, low, high)
		for tokens, want := range map[int64]string{threshold - 1: "0.000001", threshold: "0.000002"} {
			cost, err := list.CostOf(prices.Call{Provider: models.OpenAI, Model: "m", Usage: prices.Usage{CacheRead: 0, Input: tokens, Output: 1}, At: time.Now()})
			require.NoError(t, err)
			assert.EqualValues(t, want, cost.Lines[len(cost.Lines)-1].USD, "%d tokens, from %d", tokens, threshold)
		}
	}
}

func TestWithExtremePrices(t *testing.T) {
	t.Parallel()
	for _, price := range []float64{5e-324, 1e-300, 1e-20, 1.25 / 3, 0.1, 12345.678901, 1e15} {
		text := strconv.FormatFloat(price, 'f', -1, 64)
		usd := prices.USD(text)
		list := mustWith(t, prices.Row{Provider: models.OpenAI, ModelHint: "m", InputPerMTok: usd, OutputPerMTok: usd})
		usage := prices.Usage{Input: 1 << 53, Output: 7}
		cost, err := list.CostOf(prices.Call{Provider: models.OpenAI, Model: "m", Usage: usage, At: time.Now()})
		require.NoError(t, err, usd)
		want, _ := new(big.Rat).SetString(text)
		want.Mul(want, new(big.Rat).SetFrac64(1<<53+7, 1_000_000))
		got, ok := new(big.Rat).SetString(string(cost.USD))
		require.True(t, ok)
		assert.Zero(t, want.Cmp(got), "%s: %s", usd, cost.USD)
		assert.NotContains(t, cost.USD, "e")
		nearest, _ := want.Float64()
		assert.InDelta(t, nearest, cost.Float64(), 0)
	}
	for _, usd := range []prices.USD{"1100000000000000", prices.USD("1" + strings.Repeat("0", 308)), "Inf", "NaN", "-0.1", "1e3", "1,5", " 1", "."} {
		_, err := prices.BuiltIn().With(prices.Row{Provider: models.OpenAI, ModelHint: "m", OutputPerMTok: usd})
		var wrong *discovery.ValueError
		require.ErrorAs(t, err, &wrong, usd)
		assert.Equal(t, "OutputPerMTok", wrong.Field)
	}
}

// Rows for other modalities don't price text.
func TestWithRowsOfOtherModalities(t *testing.T) {
	t.Parallel()
	for modality, want := range map[string]string{"": "0.002", prices.ModalityText: "0.002", prices.ModalityAudio: "0.0125"} {
		list := mustWith(t, prices.Row{Provider: models.OpenAI, ModelHint: "gpt-4o", InputPerMTok: "1", OutputPerMTok: "1", Modality: modality})
		checkCosts(t, list, []costCase{{modality, models.OpenAI, "gpt-4o", "2026-11-20", thousand, "", want, ""}})
	}
}

// A period may start and end at any time of day.
func TestWithPeriodsOfTimes(t *testing.T) {
	t.Parallel()
	list := mustWith(t, prices.Row{
		Provider: models.OpenAI, ModelHint: "gpt-4o", InputPerMTok: "1", OutputPerMTok: "1",
		ValidFrom: "2026-11-20T14:00:00+02:00", ValidUntil: "2026-11-21",
	})
	checkCosts(t, list, []costCase{
		{"before", models.OpenAI, "gpt-4o", "2026-11-20T11:59:59Z", thousand, "", "0.0125", ""},
		{"the first moment", models.OpenAI, "gpt-4o", "2026-11-20T12:00:00Z", thousand, "", "0.002", ""},
		{"the last second", models.OpenAI, "gpt-4o", "2026-11-20T23:59:59Z", thousand, "", "0.002", ""},
		{"after", models.OpenAI, "gpt-4o", "2026-11-21", thousand, "", "0.0125", ""},
	})
}

// A contract row matches its model in every spelling, both its own and the response's.
func TestWithHoldsForEverySpelling(t *testing.T) {
	t.Parallel()
	own := []prices.Row{
		{Provider: models.Anthropic, ModelHint: "claude-opus-4-5"},
		{Provider: models.Anthropic, ModelHint: "anthropic/claude-opus-4.8"},
		{Provider: models.Anthropic, ModelHint: "claude-haiku-4-5-20251001"},
		{Provider: models.OpenAI, ModelHint: "GPT-4o", ValidFrom: "2026-11-01"},
		{Provider: models.Gemini, ModelHint: "models/gemini-2.5-pro"},
		{Provider: models.XAI, ModelHint: "grok-4"},
		{Provider: models.OpenAI, ModelHint: "My-Model"},
	}
	for i := range own {
		own[i].InputPerMTok, own[i].OutputPerMTok = "1000", "1000"
	}
	const day, contract = "2026-11-20", "2"
	checkCosts(t, mustWith(t, own...), []costCase{
		{"a build of Claude", models.Anthropic, "claude-opus-4-5-20251101", day, thousand, "", contract, ""},
		{"the same on Bedrock", models.Anthropic, "us.anthropic.claude-opus-4-5-20251101-v1:0", day, thousand, "", contract, ""},
		{"a hint with a prefix and a dot", models.Anthropic, "claude-opus-4-8", day, thousand, "", contract, ""},
		{"a model is not one of its builds", models.Anthropic, "claude-haiku-4-5", day, thousand, "", "0.006", ""},
		{"a hint in capital letters", models.OpenAI, "gpt-4o", day, thousand, "", contract, ""},
		{"its own spelling", models.OpenAI, "GPT-4o", day, thousand, "", contract, ""},
		{"its own spelling before the contract", models.OpenAI, "GPT-4o", "2026-10-31", thousand, "", "0.0125", ""},
		{"a build of OpenAI", models.OpenAI, "gpt-4o-2024-08-06", day, thousand, "", "0.0125", ""},
		{"a hint that is a path", models.Gemini, "gemini-2.5-pro", day, thousand, "", contract, ""},
		{"a moving alias", models.XAI, "grok-4-latest", day, thousand, "", contract, ""},
		{"a model that the table lacks", models.OpenAI, "my-model", day, thousand, "", contract, ""},
	})
}

func TestWithRejectsInvalidRows(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		field  string
		change func(*prices.Row)
	}{
		"an unknown provider": {"Provider", func(p *prices.Row) { p.Provider = "No_Body" }},
		"no model":            {"ModelHint", func(p *prices.Row) { p.ModelHint = " " }},
		"a negative price":    {"CacheReadPerMTok", func(p *prices.Row) { p.CacheReadPerMTok = "-1" }},
		"a price of NaN":      {"CacheWrite1hPerMTok", func(p *prices.Row) { p.CacheWrite1hPerMTok = "NaN" }},
		"a tier":              {"TierThresholdTokens", func(p *prices.Row) { p.TierThresholdTokens = -1 }},
		"a date":              {"ValidUntil", func(p *prices.Row) { p.ValidUntil = "2026-13-01" }},
		"a swapped period": {"ValidUntil", func(p *prices.Row) {
			p.ValidFrom, p.ValidUntil = "2026-05-01", "2026-05-01"
		}},
	} {
		good := prices.Row{Provider: models.OpenAI, ModelHint: "m", InputPerMTok: "1"}
		bad := good
		row.change(&bad)
		list, err := prices.BuiltIn().With(good, bad)
		var wrong *discovery.ValueError
		if assert.ErrorAs(t, err, &wrong, name) {
			assert.Equal(t, row.field, wrong.Field, name)
		}
		assert.Nil(t, list, name)
	}
}
