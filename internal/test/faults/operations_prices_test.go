package faults_test

import (
	"context"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// livePriceOperations read xAI's prices. If that fails, the built-in list is returned.
func livePriceOperations() []*operation {
	return []*operation{{
		name: "LivePrices", method: "LivePrices", provider: models.XAI, service: discovery.ServiceXAI, byContext: true, shared: true, keyed: true,
		empty: prices.BuiltIn().Rows(models.XAI),
		discover: func(ctx context.Context, c *discovery.Client, _ time.Duration) (any, error) {
			list, err := c.LivePrices(ctx, nil)
			rows := list.Rows(models.XAI)
			for i := range rows {
				if rows[i].Source == discovery.SourceLanguageModels {
					rows[i].VerifiedAt, rows[i].ValidFrom, rows[i].ValidUntil = "", "", "" // the current time
				}
			}
			return rows, err
		},
		text: path{"models", 0, "owned_by"}, integer: path{"models", 0, "prompt_text_token_price"}, object: path{"models", 0},
		nulls:      map[string]outcome{"": decode, "models": decode, "models[]": decode, "models[].id": decode, "models[].aliases[]": decode},
		exceptions: []exception{xaiKey},
	}}
}
