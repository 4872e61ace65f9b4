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

// One list serves any number of goroutines.
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
