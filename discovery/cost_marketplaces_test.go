package discovery_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
)

// Other vendors sell the models of DeepSeek and xAI at prices of their own, and a marketplace has several prices for one model.
func TestModelsOfOtherVendorsHaveNoListedPrice(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		provider discovery.Provider
		model    string
		priced   bool
	}{
		{discovery.DeepSeek, "deepseek-v4-pro", true},
		{discovery.DeepSeek, "deepseek/deepseek-v4-pro", true},
		{discovery.DeepSeek, "deepseek-ai/DeepSeek-V4-Pro", true},
		{discovery.DeepSeek, "fireworks/deepseek-v4-pro", false},
		{discovery.DeepSeek, "Azure/DeepSeek-V4-Pro", false},
		{discovery.DeepSeek, "together/deepseek-ai/deepseek-v4-pro", false},
		{discovery.DeepSeek, "deepseek/deepseek-v4-pro:free", false},
		{discovery.XAI, "grok-4.7", true},
		{discovery.XAI, " X-AI/Grok-4.7\n", true},
		{discovery.XAI, "xai/grok-4-7", true},
		{discovery.XAI, "azure/grok-4.7", false},
		{discovery.XAI, "x-ai/grok-4.7:free", false},
		{discovery.OpenAI, "openai/gpt-4o", true},
		{discovery.OpenAI, "azure/gpt-4o", false},
		{discovery.OpenAI, "openai/gpt-4o:nitro", false},
		{discovery.OpenAI, "gpt-4o:FREE", false},
		{discovery.Anthropic, "anthropic/claude-opus-4.8", true},
		{discovery.Anthropic, "anthropic/claude-opus-4.8:thinking", false},
		{discovery.Gemini, "models/gemini-2.5-pro", true},
		{discovery.Gemini, "google/gemini-2.5-pro:free", false},
	} {
		client, failures := pricing()
		cost, err := client.CostOf(t.Context(), discovery.CostQuery{Provider: row.provider, Model: row.model, Usage: discovery.Usage{Input: 1_000}, At: on(t, "2026-10-20")})
		require.NoError(t, err)
		assert.Equal(t, row.priced, cost != nil, row)
		prices, err := client.Prices(t.Context(), row.provider, row.model)
		require.NoError(t, err)
		assert.Equal(t, row.priced, len(prices) > 0, row)
		assert.Equal(t, row.priced, len(*failures) == 0, row)

		own, failures := pricing(discovery.WithPrices(discovery.ProviderPricing{Provider: row.provider, ModelHint: row.model, InputPerMTok: ref(1_000.0)}))
		cost, err = own.CostOf(t.Context(), discovery.CostQuery{Provider: row.provider, Model: row.model, Usage: discovery.Usage{Input: 1_000}, At: on(t, "2026-10-20")})
		require.NoError(t, err)
		assert.Empty(t, *failures, row)
		if assert.NotNil(t, cost, row) {
			assert.Equal(t, "1", cost.Exact, row)
		}
	}
}

// A live list has the prices of the provider itself.
func TestLivePricesAreNotThoseOfOtherVendors(t *testing.T) {
	t.Parallel()
	s := newFakeServer(map[string]http.HandlerFunc{"xai": respond(grok)})
	c := s.client(t, keyOf(discovery.ServiceXAI))
	for model, want := range map[string]string{"x-ai/grok-4.7": "0.0035", "grok-new": "0.0035", "azure/grok-4.7": "", "azure/grok-new": "", "grok-4.7:free": ""} {
		usd, _ := exact(t, c, discovery.XAI, model, thousand, time.Time{})
		assert.Equal(t, want, usd, model)
	}
}
