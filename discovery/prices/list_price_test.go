package prices_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

func TestPriceIsTheStandardRow(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]struct {
		provider      models.Provider
		model, at     string
		input, output prices.USD
	}{
		"a spelling":                  {provider: "Open AI", model: "openai/gpt-5-2", at: "2026-11-20", input: "1.75", output: "14"},
		"the shortest prompt":         {provider: models.Anthropic, model: "claude-haiku-5-5", at: "2026-11-20", input: "0.1", output: "0.5"},
		"an earlier period":           {provider: models.DeepSeek, model: "deepseek-v4-pro", at: "2026-04-24", input: "1.74", output: "3.48"},
		"a later period":              {provider: models.DeepSeek, model: "deepseek-v4-pro", at: "2026-07-01", input: "0.435", output: "0.87"},
		"the hour":                    {provider: models.DeepSeek, model: "deepseek-v4-pro", at: "2026-11-20T02:00:00Z", input: "1.32", output: "3.96"},
		"another hour":                {provider: models.DeepSeek, model: "deepseek-v4-pro", at: "2026-11-20T12:00:00Z", input: "0.66", output: "1.98"},
		"before its first price":      {provider: models.DeepSeek, model: "deepseek-v4-pro", at: "2026-04-01"},
		"an unknown model":            {provider: models.OpenAI, model: "gpt-99", at: "2026-11-20"},
		"an unknown provider":         {provider: "nobody", model: "gpt-5.2", at: "2026-11-20"},
		"a listed model, no price":    {provider: models.OpenAI, model: unpricedModel(t), at: "2026-11-20"},
		"a factor is not in the row":  {provider: models.Anthropic, model: "us.anthropic.claude-haiku-5-5", at: "2026-11-20", input: "0.1", output: "0.5"},
		"a model of another provider": {provider: models.Anthropic, model: "gpt-5.2", at: "2026-11-20"},
	} {
		row, ok := prices.BuiltIn().Price(want.provider, want.model, on(t, want.at))
		assert.Equal(t, want.input != "", ok, name)
		assert.Equal(t, [2]prices.USD{want.input, want.output}, [2]prices.USD{row.InputPerMTok, row.OutputPerMTok}, name)
	}
	_, ok := prices.BuiltIn().Price(models.OpenAI, "gpt-5.2", time.Time{})
	assert.False(t, ok, "a price has a day")
	_, ok = (&prices.List{}).Price(models.OpenAI, "gpt-5.2", on(t, "2026-11-20"))
	assert.False(t, ok)
}

// unpricedModel returns a model whose only row has no price.
func unpricedModel(t *testing.T) string {
	t.Helper()
	for _, row := range prices.BuiltIn().Rows(models.OpenAI) {
		if row.InputPerMTok+row.OutputPerMTok == "" && len(prices.BuiltIn().ForModel(models.OpenAI, row.ModelHint)) == 1 {
			return row.ModelHint
		}
	}
	t.Fatal("the list has no unpriced model")
	return ""
}

// Price returns the row that prices a call, for every model: at a peak hour, off-peak,
// and next year.
func TestPriceIsWhatACallCosts(t *testing.T) {
	t.Parallel()
	list := prices.BuiltIn()
	priced := 0
	for _, row := range list.Rows("") {
		for _, at := range []string{"2026-11-20T02:00:00Z", "2026-11-21T12:00:00Z", "2027-01-01"} {
			call := prices.Call{Provider: row.Provider, Model: row.ModelHint, Usage: prices.Usage{Input: 1_000_000}, At: on(t, at)}
			price, ok := list.Price(row.Provider, row.ModelHint, call.At)
			if price.TierThresholdTokens = 0; !ok || price.InputPerMTok == "" || len(tiers(list, price)) > 1 {
				continue
			}
			cost, err := list.CostOf(call)
			if err != nil { // its requests have a fee that no response counts
				continue
			}
			assert.Equal(t, price.InputPerMTok, cost.USD, row.SKUID)
			priced++
		}
	}
	assert.Greater(t, priced, 500)
}

// tiers returns the prompt lengths at which a model's price changes.
func tiers(list *prices.List, row prices.Row) map[int64]bool {
	lengths := map[int64]bool{}
	for _, r := range list.ForModel(row.Provider, row.ModelHint) {
		lengths[r.TierThresholdTokens] = true
	}
	return lengths
}

func TestPriceFollowsTheOrderOfTheLists(t *testing.T) {
	t.Parallel()
	live, err := prices.BuiltIn().WithLive(prices.Live{Provider: models.XAI, ReadAt: liveReadAt, Rows: []prices.Row{liveRow("grok-4.5", "7.25", "9")}})
	require.NoError(t, err)
	own, err := live.With(prices.Row{Provider: models.XAI, ModelHint: "grok-4.5", InputPerMTok: "5", ValidUntil: "2026-11-22", Source: "contract"})
	require.NoError(t, err)
	for at, want := range map[time.Time]prices.USD{liveReadAt.Add(-24 * time.Hour): "5", liveReadAt.Add(time.Hour): "7.25"} {
		row, ok := own.Price(models.XAI, "x-ai/grok-4-5", at)
		require.True(t, ok)
		assert.Equal(t, want, row.InputPerMTok)
	}
	later, ok := own.Price(models.XAI, "grok-4.5", liveReadAt.Add(48*time.Hour))
	listed, known := prices.BuiltIn().Price(models.XAI, "grok-4.5", liveReadAt.Add(48*time.Hour))
	assert.True(t, ok && known)
	assert.Equal(t, listed, later)
}
