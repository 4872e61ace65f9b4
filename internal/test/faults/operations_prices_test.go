package faults_test

import (
	"context"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery"
)

// livePriceOperations read xAI's list of prices. When they cannot, the built-in table is used.
func livePriceOperations() []*operation {
	prices := &operation{
		name: "Prices", method: "Prices", provider: discovery.XAI, service: discovery.ServiceXAI, byContext: true, shared: true, keyed: true,
		empty: tablePrices(),
		discover: func(ctx context.Context, c *discovery.Client, _ time.Duration) (any, error) {
			rows, err := c.Prices(ctx, discovery.XAI, "grok-4.7")
			for i := range rows {
				rows[i].VerifiedAt = nil // the current time
			}
			return rows, err
		},
		text: path{"models", 0, "owned_by"}, integer: path{"models", 0, "prompt_text_token_price"}, object: path{"models", 0},
		nulls:      map[string]outcome{"": decode, "models": decode, "models[]": decode, "models[].id": decode, "models[].aliases[]": decode},
		exceptions: []exception{xaiKey},
	}
	cost := *prices
	cost.name, cost.method, cost.empty = "CostOf", "CostOf", tablePrices()[0].Source
	cost.discover = func(ctx context.Context, c *discovery.Client, _ time.Duration) (any, error) {
		of, err := c.CostOf(ctx, discovery.CostQuery{Provider: discovery.XAI, Model: "grok-4.7", Usage: discovery.Usage{Input: 1}})
		if of == nil {
			return "", err
		}
		return of.Source, err
	}
	return []*operation{prices, &cost}
}

func tablePrices() []discovery.ProviderPricing {
	var rows []discovery.ProviderPricing
	for _, row := range discovery.ListPrices(discovery.XAI) {
		if row.ModelHint == "grok-4.7" {
			row.VerifiedAt = nil
			rows = append(rows, row)
		}
	}
	return rows
}
