package discovery

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/internal/geminisku"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
	"github.com/mesh-gateway/mesh-go/gen/xai"
	"github.com/mesh-gateway/mesh-go/internal/decimal"
)

// LivePrices returns base with the prices that Google (Gemini) and xAI publish now, which precede the prices of its table. A nil base
// is [prices.BuiltIn]. The result is never nil.
//
// A live row prices calls within 24 hours of the time it was read (VerifiedAt), unless the table has a change of the price in
// between; ValidFrom and ValidUntil are that period. So a program that runs for long calls LivePrices again: the provider's list
// is cached for 24 hours. Your own prices in base ([prices.List.With]) still take precedence.
//
// The lists are read with the keys of [ServiceCloudBilling] and [ServiceXAI]. Without a key a list is not read, and that is not a
// [Failure]. A list that cannot be read is one, and the rows of base stay; with [WithStrictErrors] the error is returned beside
// the list.
//
// The Source of a live row is [SourceCloudBilling] or [SourceLanguageModels]. Google's SKUs are matched to the ids of base; the
// models that base does not have are listed under the names of the SKUs. Google truncates prices to billionths of a dollar per
// token, so where table and live list differ by less than 0.001 USD per million tokens, the live row has the price of the table.
func (c *Client) LivePrices(ctx context.Context, base *prices.List) (*prices.List, error) {
	base = cmp.Or(base, prices.BuiltIn())
	if err := c.ready(ctx); err != nil {
		return base, err
	}
	list := base
	var errs []error
	for _, source := range liveLists {
		with, failure := c.withLive(ctx, source, base, list)
		if failure != nil {
			errs = append(errs, c.report(ctx, failure))
			continue
		}
		list = with
	}
	return list, errors.Join(errs...)
}

// liveList is a service that publishes the prices of a provider.
type liveList struct {
	service Service
	read    func(*Client, context.Context, request, *prices.List) (prices.Live, *Failure)
}

var liveLists = []liveList{
	{ServiceCloudBilling, (*Client).liveGemini},
	{ServiceXAI, (*Client).liveXAI},
}

// withLive returns list with the prices of one source; list itself without a key.
func (c *Client) withLive(ctx context.Context, source liveList, base, list *prices.List) (*prices.List, *Failure) {
	r, failure := c.listRequest(ctx, "LivePrices", source.service)
	if failure != nil || r == nil {
		return list, failure
	}
	live, failure := source.read(c, ctx, *r, base)
	if failure != nil {
		return nil, failure
	}
	with, err := list.WithLive(live)
	if err != nil { // a price above the limit
		return nil, r.undecodable(err)
	}
	return with, nil
}

// liveGemini returns Google's prices under the ids of base, and those of other models under the names of their SKUs.
func (c *Client) liveGemini(ctx context.Context, r request, base *prices.List) (live prices.Live, failure *Failure) {
	sent, failure := c.geminiPrices(ctx, r, PricingOptions{})
	if failure != nil {
		return live, failure
	}
	skus := geminiLive{sent.prices, sent.verifiedAt()}
	live = prices.Live{Provider: models.Gemini, ReadAt: skus.readAt}
	listed := make(map[string]bool) // names of SKUs
	for _, id := range base.Models(models.Gemini) {
		live.Rows = append(live.Rows, skus.rows(id, listed)...)
	}
	for _, name := range skus.list.Models() {
		if !listed[name] {
			live.Rows = append(live.Rows, skus.rows(name, listed)...)
		}
	}
	live.Find = func(model string) []prices.Row { return skus.rows(model, nil) }
	return live, nil
}

// geminiLive has Google's SKUs as they were read at one time.
type geminiLive struct {
	list   *geminisku.List
	readAt time.Time
}

// rows returns the standard text prices of a Gemini model, a row for each tier; nil when the list has no such model, or the
// name is ambiguous. A tier whose price is not understood is a row without prices. The SKUs that are used are marked in seen.
func (live geminiLive) rows(model string, seen map[string]bool) []prices.Row {
	tiers, names := live.list.Tiers(geminisku.Words(model))
	for name := range names {
		if seen != nil {
			seen[name] = true
		}
	}
	readAt := live.readAt.Format(time.RFC3339)
	rows := make([]prices.Row, len(tiers))
	for i, tier := range tiers {
		rows[i] = prices.Row{
			Provider: models.Gemini, ModelHint: model, Source: SourceCloudBilling, VerifiedAt: readAt,
			InputPerMTok: priceText(tier.Input), OutputPerMTok: priceText(tier.Output), CacheReadPerMTok: priceText(tier.CacheRead),
		}
		if tier.Threshold > 0 { // a round figure, above which the prices hold
			rows[i].TierThresholdTokens = tier.Threshold + 1
		}
	}
	return rows
}

// liveXAI returns xAI's prices under its own ids and aliases.
func (c *Client) liveXAI(ctx context.Context, r request, _ *prices.List) (prices.Live, *Failure) {
	sent, failure := readListing(ctx, c, &c.xai, r, PricingOptions{}, func(ctx context.Context, _ []xai.LanguageModel) ([]xai.LanguageModel, *Failure) {
		sent, failure := fetch[xai.LanguageModelList](ctx, c, r, func(ctx context.Context) (*http.Response, error) {
			return c.apis.xai.ListLanguageModels(ctx, bearer(r.key))
		})
		return sent.Models, failure
	})
	return prices.Live{Provider: models.XAI, ReadAt: sent.verifiedAt(), Rows: xaiRows(sent.prices, sent.verifiedAt())}, failure
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
