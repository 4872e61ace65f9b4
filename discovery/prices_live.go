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

// LivePrices returns base with the prices that Google (Gemini) and xAI publish now, which
// take precedence over its table. A nil base means the list from [WithFacts]. The result
// is never nil.
//
// The lists are read with the keys for [ServiceCloudBilling] and [ServiceXAI]. If a key
// isn't set, that list is skipped. If a list can't be read, that's a [Failure], and
// base's rows stay. With [WithStrictErrors], LivePrices returns the list and the error.
//
// # Validity
//
// A live row prices calls within 24 hours of the time it was read (VerifiedAt), unless
// the table changes the price in between. ValidFrom and ValidUntil give that period. So
// in a long-running program, call LivePrices again: the provider's list is cached for 24
// hours. Your own prices in base ([prices.List.With]) still take precedence.
//
// # Rows
//
// A live row's Source is [SourceCloudBilling] or [SourceLanguageModels]. Google's SKUs
// are matched to ids in base. Models that base doesn't have are listed under their SKU
// names. Google truncates prices to billionths of a dollar per token. So if table and
// live list differ by less than 0.001 USD per million tokens, the live row has the
// table's price.
func (c *Client) LivePrices(ctx context.Context, base *prices.List) (*prices.List, error) {
	if err := c.ready(ctx); err != nil {
		return cmp.Or(base, prices.BuiltIn()), err
	}
	if base == nil {
		base = prices.Of(c.facts)
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

// liveList is a service that publishes a provider's prices.
type liveList struct {
	service Service
	read    func(*Client, context.Context, request, *prices.List) (prices.Live, *Failure)
}

var liveLists = []liveList{
	{ServiceCloudBilling, (*Client).liveGemini},
	{ServiceXAI, (*Client).liveXAI},
}

// withLive adds one source's prices to list. If the key isn't set, it returns list.
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
	if err != nil { // a price exceeds the limit
		return nil, r.undecodable(err)
	}
	return with, nil
}

// liveGemini returns Google's prices under base's ids, and other models under their SKU
// names.
func (c *Client) liveGemini(ctx context.Context, r request, base *prices.List) (live prices.Live, failure *Failure) {
	sent, failure := c.geminiPrices(ctx, r, PricingOptions{})
	if failure != nil {
		return live, failure
	}
	skus := geminiLive{sent.prices, sent.verifiedAt()}
	live = prices.Live{Provider: models.Gemini, ReadAt: skus.readAt}
	listed := make(map[string]bool) // SKU names
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

// geminiLive has Google's SKUs at one time.
type geminiLive struct {
	list   *geminisku.List
	readAt time.Time
}

// rows returns a Gemini model's standard text prices, one row per tier, or nil if the
// model is unknown or the name ambiguous. If a tier's price isn't understood, its row has
// no prices. Used SKUs are marked in seen.
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
		if tier.Threshold > 0 { // a round number, above which the prices apply
			rows[i].TierThresholdTokens = tier.Threshold + 1
		}
	}
	return rows
}

func (c *Client) liveXAI(ctx context.Context, r request, _ *prices.List) (prices.Live, *Failure) {
	sent, failure := readListing(ctx, c, &c.xai, r, PricingOptions{}, func(ctx context.Context, _ []xai.LanguageModel) ([]xai.LanguageModel, *Failure) {
		sent, failure := fetch[xai.LanguageModelList](ctx, c, r, func(ctx context.Context) (*http.Response, error) {
			return c.apis.xai.ListLanguageModels(ctx, bearer(r.key))
		})
		return sent.Models, failure
	})
	return prices.Live{Provider: models.XAI, ReadAt: sent.verifiedAt(), Rows: xaiRows(sent.prices, sent.verifiedAt())}, failure
}

// xaiRows returns text prices under the models' ids and aliases. A model needs both text
// prices to have rows: image models list them as 0. If an id is listed twice, the first
// model's prices apply.
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

// xaiPrice converts cents per 100 million tokens. xAI lists 0 where there is no price.
func xaiPrice(cents int64) prices.USD {
	if cents <= 0 {
		return ""
	}
	const places = 4 // cents to dollars, and 100 million to one million
	return prices.USD(decimal.New(cents, places).String())
}
