package discovery

import (
	"context"
	"net/http"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/internal/decimal"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
	"github.com/mesh-gateway/mesh-go/gen/xai"
)

// SourceLanguageModels is the Source of prices from xAI's GET /v1/language-models.
const SourceLanguageModels = "language-models"

// liveXAI returns xAI's prices under its own ids and aliases.
func (c *Client) liveXAI(ctx context.Context, r request, _ *prices.List) (*prices.Live, *Failure) {
	sent, failure := c.xaiPrices(ctx, r)
	if failure != nil {
		return nil, failure
	}
	return &prices.Live{Provider: models.XAI, ReadAt: sent.verifiedAt(), Rows: xaiRows(sent.prices, sent.verifiedAt())}, nil
}

// xaiPrices returns xAI's list of models from the cache or the network.
func (c *Client) xaiPrices(ctx context.Context, r request) (listing[[]xai.LanguageModel], *Failure) {
	return readListing(ctx, c, &c.xai, r, PricingOptions{}, func(ctx context.Context) ([]xai.LanguageModel, *Failure) {
		sent, failure := fetch[xai.LanguageModelList](ctx, c, r, func(ctx context.Context) (*http.Response, error) {
			return c.apis.xai.ListLanguageModels(ctx, bearer(r.key))
		})
		return sent.Models, failure
	})
}

// xaiRows returns the text prices of xAI's models, under their ids and aliases. A model without both prices of text has no
// row: those of images are listed with 0. An id that is listed twice has the prices of its first model.
func xaiRows(list []xai.LanguageModel, readAt time.Time) []prices.Row {
	var rows []prices.Row
	listed := make(map[string]bool)
	for _, m := range list {
		if m.GetPromptTextTokenPrice() <= 0 || m.GetCompletionTextTokenPrice() <= 0 {
			continue
		}
		base := prices.Row{
			Provider: models.XAI, Source: SourceLanguageModels, VerifiedAt: readAt.Format(time.RFC3339),
			InputPerMTok: xaiPrice(m.GetPromptTextTokenPrice()), CacheReadPerMTok: xaiPrice(m.GetCachedPromptTextTokenPrice()),
			OutputPerMTok: xaiPrice(m.GetCompletionTextTokenPrice()),
		}
		long := base
		long.TierThresholdTokens = m.GetLongContextThreshold()
		long.InputPerMTok, long.CacheReadPerMTok = xaiPrice(m.GetPromptTextTokenPriceLongContext()), xaiPrice(m.GetCachedPromptTextTokenPriceLongContext())
		long.OutputPerMTok = xaiPrice(m.GetCompletionTextTokenPriceLongContext())
		for _, id := range append([]string{m.ID}, m.Aliases...) {
			if listed[id] {
				continue
			}
			listed[id], base.ModelHint, long.ModelHint = true, id, id
			rows = append(rows, base)
			if long.TierThresholdTokens > 0 {
				rows = append(rows, long)
			}
		}
	}
	return rows
}

// xaiPrice reads a price in cents per 100 million tokens. 0 is what xAI lists where there is no price.
func xaiPrice(cents int64) string {
	if cents <= 0 {
		return ""
	}
	const places = 4 // to dollars, and to one million
	return decimal.New(cents, places).String()
}
