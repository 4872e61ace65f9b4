package discovery_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mesh-gateway/mesh-go/discovery"
)

func TestZeroClientAndNilContextAreValueErrors(t *testing.T) {
	t.Parallel()
	operations := map[string]func(context.Context, *discovery.Client) error{
		"ListModels": func(ctx context.Context, c *discovery.Client) error {
			_, err := c.ListModels(ctx, discovery.CatalogOptions{})
			return err
		},
		"IsModelSupported": func(ctx context.Context, c *discovery.Client) error {
			_, err := c.IsModelSupported(ctx, "gpt-4o", discovery.CatalogOptions{})
			return err
		},
		"GetModelInfo": func(ctx context.Context, c *discovery.Client) error {
			_, err := c.GetModelInfo(ctx, "gpt-4o", discovery.CatalogOptions{})
			return err
		},
		"Retirements": func(ctx context.Context, c *discovery.Client) error {
			_, err := c.Retirements(ctx)
			return err
		},
		"FetchGeminiPricing": func(ctx context.Context, c *discovery.Client) error {
			_, err := c.FetchGeminiPricing(ctx, discovery.PricingOptions{})
			return err
		},
		"PricingForGeminiModel": func(ctx context.Context, c *discovery.Client) error {
			_, err := c.PricingForGeminiModel(ctx, "gemini-2.5-pro", discovery.GeminiPriceQuery{})
			return err
		},
		"LivePrices": func(ctx context.Context, c *discovery.Client) error {
			list, err := c.LivePrices(ctx, nil)
			assert.Same(t, discovery.BuiltInPrices(), list)
			return err
		},
		"FetchDeepSeekBalance": func(ctx context.Context, c *discovery.Client) error {
			_, err := c.FetchDeepSeekBalance(ctx, discovery.BalanceOptions{})
			return err
		},
		"FetchOpenAICostBuckets": func(ctx context.Context, c *discovery.Client) error {
			_, err := c.FetchOpenAICostBuckets(ctx, costQuery())
			return err
		},
		"FetchAnthropicCostBuckets": func(ctx context.Context, c *discovery.Client) error {
			_, err := c.FetchAnthropicCostBuckets(ctx, reportQuery())
			return err
		},
		"ReconcileAnthropicCost": func(ctx context.Context, c *discovery.Client) error {
			_, err := c.ReconcileAnthropicCost(ctx, reportQuery(), nil)
			return err
		},
		"ReconcileXAICost": func(ctx context.Context, c *discovery.Client) error {
			_, err := c.ReconcileXAICost(ctx, discovery.XAICostQuery{}, nil)
			return err
		},
	}
	var none context.Context
	for name, operation := range operations {
		var wrong *discovery.ValueError
		assert.ErrorAs(t, operation(t.Context(), &discovery.Client{}), &wrong, name)
		assert.Equal(t, "Client", wrong.Field, name)
		assert.ErrorAs(t, operation(t.Context(), nil), &wrong, name)
		assert.Equal(t, "Client", wrong.Field, name)
		assert.ErrorAs(t, operation(none, newFakeServer(nil).inProcess()), &wrong, name)
		assert.Equal(t, "ctx", wrong.Field, name)
	}
}
