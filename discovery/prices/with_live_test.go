package prices_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

var liveReadAt = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

func liveRow(model string, input, output prices.USD) prices.Row {
	return prices.Row{Provider: models.XAI, ModelHint: model, InputPerMTok: input, OutputPerMTok: output, Source: "reseller"}
}

func costAt(t *testing.T, list *prices.List, model string, at time.Time) prices.Cost {
	t.Helper()
	cost, err := list.CostOf(prices.Call{Provider: models.XAI, Model: model, Usage: prices.Usage{Input: 100_000}, At: at})
	require.NoError(t, err)
	return cost
}

func TestWithLivePricesCallsOfOneDay(t *testing.T) {
	t.Parallel()
	builtIn := prices.BuiltIn()
	list, err := builtIn.WithLive(prices.Live{Provider: "x-ai", ReadAt: liveReadAt, Rows: []prices.Row{liveRow("grok-4.5", "7.25", "9")}})
	require.NoError(t, err)
	assert.EqualValues(t, "0.725", costAt(t, list, "grok-4.5", liveReadAt).USD)
	assert.Equal(t, "reseller", costAt(t, list, "x-ai/grok-4-5", liveReadAt.Add(23*time.Hour)).Source)
	later := liveReadAt.Add(24 * time.Hour)
	assert.Equal(t, costAt(t, builtIn, "grok-4.5", later), costAt(t, list, "grok-4.5", later))
	assert.NotContains(t, builtIn.ForModel(models.XAI, "grok-4.5")[0].Source, "reseller", "the list itself does not change")

	again, err := list.WithLive(prices.Live{Provider: models.XAI, ReadAt: liveReadAt, Rows: []prices.Row{liveRow("grok-4.5", "3", "9")}})
	require.NoError(t, err)
	assert.EqualValues(t, "0.3", costAt(t, again, "grok-4.5", liveReadAt).USD)
}

func TestWithLiveFindsModelsThatAreNotListed(t *testing.T) {
	t.Parallel()
	list, err := prices.BuiltIn().WithLive(prices.Live{
		Provider: models.XAI, ReadAt: liveReadAt,
		Find: func(model string) []prices.Row {
			if model != "grok-99" {
				return nil
			}
			return []prices.Row{liveRow(model, "1.5", "2")}
		},
	})
	require.NoError(t, err)
	assert.EqualValues(t, "0.15", costAt(t, list, "grok-99", liveReadAt).USD)
	assert.Empty(t, list.ForModel(models.XAI, "grok-98"))
	assert.NotContains(t, list.Models(models.XAI), "grok-99")
	assert.Contains(t, list.Models("x-ai"), "grok-4.5")
}

func TestWithLiveRefuses(t *testing.T) {
	t.Parallel()
	for field, live := range map[string]prices.Live{
		"Live.Provider": {Provider: "nobody", ReadAt: liveReadAt},
		"Live.ReadAt":   {Provider: models.XAI},
		"Provider":      {Provider: models.Gemini, ReadAt: liveReadAt, Rows: []prices.Row{liveRow("grok-4.5", "1", "1")}},
		"ModelHint":     {Provider: models.XAI, ReadAt: liveReadAt, Rows: []prices.Row{liveRow(" ", "1", "1")}},
		"InputPerMTok":  {Provider: models.XAI, ReadAt: liveReadAt, Rows: []prices.Row{{Provider: models.XAI, ModelHint: "m", InputPerMTok: "-1"}}},
	} {
		list, err := prices.BuiltIn().WithLive(live)
		var value *discovery.ValueError
		require.ErrorAs(t, err, &value, field)
		assert.Equal(t, field, value.Field)
		assert.Nil(t, list, field)
	}
}
