package discovery

import (
	"cmp"
	"context"
	"crypto/sha256"
	"strconv"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/facts"
	"github.com/mesh-gateway/mesh-go/discovery/internal/pricelist"
	"github.com/mesh-gateway/mesh-go/discovery/internal/ptr"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
	"github.com/mesh-gateway/mesh-go/internal/cache"
)

// ProviderPricing is a price list row. All prices are in USD per million tokens. A nil
// price is unknown or doesn't exist. Only a free SKU has the price 0.
//
// If a model's price depends on the prompt length, it has more than one row. They differ
// in TierThresholdTokens, and [PriceAt] picks one.
type ProviderPricing struct {
	Provider models.Provider `json:"provider"`
	// ModelHint names the model. It's an id, or the words in a Gemini SKU in lower case,
	// as in "gemini 3.5 flash lite", which [NormalizeModelID] converts to an id. It's ""
	// if the SKU names no Gemini model.
	ModelHint string `json:"model_hint"`
	// SKUID is the SKU's id. In a price list without SKUs, it's made from the model id
	// and tier.
	SKUID          string `json:"sku_id"`
	SKUDescription string `json:"sku_description"`
	// InputPerMTok is the input price. A Gemini SKU has either an input or an output
	// price. If Mode includes cached, it's the price for reading from the cache.
	InputPerMTok  *float64 `json:"input_per_mtok"`
	OutputPerMTok *float64 `json:"output_per_mtok"`
	// CacheReadPerMTok is the price for input read from the cache, or nil if unknown.
	// [prices.List.CostOf] uses this field and the next two, not RawPricing.
	CacheReadPerMTok *float64 `json:"cache_read_per_mtok"`
	// CacheWrite5mPerMTok and CacheWrite1hPerMTok are prices for input written to the
	// cache for five minutes and an hour. For OpenAI, it's 30 minutes and 12 hours. They
	// are nil if unknown.
	CacheWrite5mPerMTok *float64 `json:"cache_write_5m_per_mtok"`
	CacheWrite1hPerMTok *float64 `json:"cache_write_1h_per_mtok"`
	// TierThresholdTokens is the prompt length from which the row applies, or 0. In rows
	// from [Client.FetchGeminiPricing] it's the SKU's round number, and the row applies
	// above it.
	TierThresholdTokens int64 `json:"tier_threshold_tokens"`
	// UsageUnit is the provider's unit, as in "count", or nil.
	UsageUnit *string `json:"usage_unit"`
	// Source is [SourceCloudBilling], [SourceLanguageModels], or names the source and its
	// reliability.
	Source string `json:"source"`
	// VerifiedAt is when the source was read, as a date or RFC 3339 time, or nil. See
	// [ProviderPricing.Age].
	VerifiedAt *string `json:"verified_at"`
	// ValidFrom and ValidUntil (exclusive) limit the price's validity. Each is a UTC day,
	// as in "2026-12-01", or an RFC 3339 time. nil means no limit.
	ValidFrom  *string `json:"valid_from"`
	ValidUntil *string `json:"valid_until"`
	// RawPricing has an Anthropic model's cache prices, or is nil unless all three are
	// known.
	RawPricing *RawPricing `json:"raw_pricing"`
	// Modality is a constant such as [prices.ModalityAudio], or "" if the SKU doesn't name
	// one.
	Modality string `json:"modality"`
	// Mode is a constant such as [prices.ModeBatch], or more than one joined by hyphens, as
	// in flex-cached.
	Mode string `json:"mode"`
}

// RawPricing holds published cache prices in USD per million tokens. They can't be
// derived, because their ratio to the input price differs between models.
type RawPricing struct {
	// CacheWrite5m is the price for writing to the cache for five minutes.
	CacheWrite5m float64 `json:"cache_write_5m"`
	// CacheWrite1h is the price for writing to the cache for an hour.
	CacheWrite1h float64 `json:"cache_write_1h"`
	// CacheHit is the price for reading from the cache.
	CacheHit float64 `json:"cache_hit"`
}

// PricingOf converts a [prices.List] row's exact prices to float64. Use it to choose
// a row with [PriceAt], or to write rows as JSON like this package's other results.
func PricingOf(row prices.Row) ProviderPricing {
	p := ProviderPricing{
		Provider: row.Provider, ModelHint: row.ModelHint, SKUID: row.SKUID, SKUDescription: row.SKUDescription,
		InputPerMTok: float(row.InputPerMTok), OutputPerMTok: float(row.OutputPerMTok), CacheReadPerMTok: float(row.CacheReadPerMTok),
		CacheWrite5mPerMTok: float(row.CacheWrite5mPerMTok), CacheWrite1hPerMTok: float(row.CacheWrite1hPerMTok),
		TierThresholdTokens: row.TierThresholdTokens, UsageUnit: ptr.Of(row.UsageUnit), Source: row.Source, VerifiedAt: ptr.Of(row.VerifiedAt),
		ValidFrom: ptr.Of(row.ValidFrom), ValidUntil: ptr.Of(row.ValidUntil), Modality: row.Modality, Mode: row.Mode,
	}
	if row.Provider == models.Anthropic {
		p.RawPricing = p.rawPricing()
	}
	return p
}

// rawPricing returns an Anthropic model's cache prices, or nil unless all three are
// listed.
func (p *ProviderPricing) rawPricing() *RawPricing {
	if p.CacheReadPerMTok == nil || p.CacheWrite5mPerMTok == nil {
		return nil
	}
	hour := p.CacheWrite1hPerMTok
	if hour == nil {
		list, _ := pricelist.Of(facts.BuiltIn()) // with prices from a single source, which prices.Row lacks
		for _, listed := range list.Model(string(models.Anthropic), p.ModelHint) {
			hour = cmp.Or(hour, pricelist.Float64(listed.SingleSourceWrite1h))
		}
	}
	if hour == nil {
		return nil
	}
	return &RawPricing{CacheWrite5m: *p.CacheWrite5mPerMTok, CacheWrite1h: *hour, CacheHit: *p.CacheReadPerMTok}
}

// float returns nil for an unknown price.
func float(price prices.USD) *float64 { return pricelist.Float64(pricelist.ParsePrice(price)) }

// priceText returns the shortest decimal, or "" for an unknown price.
func priceText(usd *float64) prices.USD {
	if usd == nil {
		return ""
	}
	return prices.USD(strconv.FormatFloat(*usd, 'f', -1, 64))
}

// PriceAt returns the row for a prompt with the given number of tokens: the one with the
// highest threshold up to that number. If no row fits, it returns false. Of rows with the
// same threshold it returns the first, so pass rows for one model, mode and modality
// only. The result points into records.
//
// Thresholds in a [prices.List] and for Anthropic are exact: the row for prompts over
// 100,000 tokens has the threshold 100,001. Thresholds from [Client.FetchGeminiPricing]
// are round numbers, 128,000 and 200,000, but a prompt of exactly that length is billed
// by the lower row. So for these rows, subtract one from the prompt length.
func PriceAt(records []ProviderPricing, tokens int64) (*ProviderPricing, bool) {
	var best *ProviderPricing
	for i := range records {
		r := &records[i]
		if r.TierThresholdTokens <= tokens && (best == nil || r.TierThresholdTokens > best.TierThresholdTokens) {
			best = r
		}
	}
	return best, best != nil
}

// Age returns how long before now the row's source was read. A date counts from its start
// in UTC, and a future time gives 0. If VerifiedAt is nil or invalid, Age returns false.
func (p ProviderPricing) Age(now time.Time) (time.Duration, bool) {
	return prices.Row{VerifiedAt: ptr.Value(p.VerifiedAt)}.Age(now)
}

// PricingForAnthropicModel returns an Anthropic model's list price today, from the
// built-in list. It reports false if the list doesn't have the model.
//
// These spellings of the id are tried, in this order:
//
//   - unchanged
//   - in lower case, without vendor prefix and platform suffix
//   - also without its build ([NormalizeModelID]): a Claude build costs the same as its
//     model
//
// The price is for a standard request to Anthropic, even if the prefix names another
// platform. Variants with -fast aren't in the list.
//
// If the price depends on the prompt length, as for claude-haiku-5-5, the result is the
// row for short prompts. [PriceAt] picks among the rows from [ListAnthropicPricing].
func PricingForAnthropicModel(id string) (*ProviderPricing, bool) {
	row, ok := prices.PricingForAnthropicModel(id)
	if !ok {
		return nil, false
	}
	pricing := PricingOf(row)
	return &pricing, true
}

// ListAnthropicPricing returns the built-in rows for Anthropic that are valid today: one
// per priced id, or two if the price depends on the prompt length, shorter prompts first.
// For all periods, see [prices.List.Rows].
func ListAnthropicPricing() []ProviderPricing {
	rows := prices.ListAnthropicPricing()
	pricings := make([]ProviderPricing, len(rows))
	for i, row := range rows {
		pricings[i] = PricingOf(row)
	}
	return pricings
}

// keyHash identifies a price list, because keys may see different prices. It's a hash,
// because cached data must not hold a key.
type keyHash [sha256.Size]byte

// listing is the last price list that was read with a key. failure is set if a later
// request failed.
type listing[T any] struct {
	prices  T
	readAt  time.Time // zero if no list was read
	failure *Failure
}

func (l listing[T]) verifiedAt() time.Time { return l.readAt.UTC().Truncate(time.Second) }

// readListing returns a cached or new price list. A failure is cached with the last list,
// unless all callers have left.
func readListing[T any](ctx context.Context, c *Client, lists *cache.Map[keyHash, listing[T]], r request, opts PricingOptions,
	read func(ctx context.Context, last T) (T, *Failure),
) (listing[T], *Failure) {
	value, ttl := lists.Value(sha256.Sum256([]byte(r.key.Reveal()))), cmp.Or(opts.TTL, DefaultPricingTTL)
	usable := func(l listing[T]) bool { return !opts.Refresh && time.Since(l.readAt) < ttl }
	fresh := func(l listing[T], loadedAt time.Time) bool {
		return usable(l) || !opts.Refresh && l.failure != nil && time.Since(loadedAt) < c.outageTTL
	}
	list, _, err := value.Get(ctx, fresh, func(ctx context.Context) (listing[T], error) {
		last, _ := value.Cached(func(listing[T], time.Time) bool { return true })
		prices, failure := read(ctx, last.prices)
		switch {
		case failure == nil:
			return listing[T]{prices: prices, readAt: time.Now()}, nil
		case ctx.Err() != nil:
			return listing[T]{}, ctx.Err()
		}
		last.failure = failure
		return last, nil
	})
	switch {
	case err != nil:
		return list, r.interrupted(err)
	case list.failure == nil, usable(list):
		return list, nil
	}
	return list, list.failure.of(r.operation) // another operation may have sent the request
}
