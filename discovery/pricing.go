package discovery

import (
	"cmp"
	"context"
	"crypto/sha256"
	"strconv"
	"sync"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/internal/pricelist"
	"github.com/mesh-gateway/mesh-go/discovery/internal/ptr"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
	"github.com/mesh-gateway/mesh-go/internal/cache"
)

// ProviderPricing is a row of a price list. All prices are in USD per million tokens. A nil price does not exist or is unknown;
// only a free SKU has the price 0.
//
// A model whose price depends on the length of the prompt has several rows, which differ in TierThresholdTokens; [PriceAt]
// chooses one.
type ProviderPricing struct {
	// Provider is the provider that charges the price.
	Provider models.Provider `json:"provider"`
	// ModelHint names the model: an id, or the words of a Gemini SKU in lower case, as in "gemini 3.5 flash lite", which
	// [NormalizeModelID] converts to an id. It is "" if the SKU names no Gemini model.
	ModelHint string `json:"model_hint"`
	// SKUID is the id of the SKU. In a price list without SKUs it is the id of the model and its tier.
	SKUID string `json:"sku_id"`
	// SKUDescription is the provider's description.
	SKUDescription string `json:"sku_description"`
	// InputPerMTok is the price of input. A Gemini SKU is for input or for output, so it has only one of the two prices. In a
	// row whose Mode includes cached, it is the price of reading from the cache.
	InputPerMTok *float64 `json:"input_per_mtok"`
	// OutputPerMTok is the price of output.
	OutputPerMTok *float64 `json:"output_per_mtok"`
	// CacheReadPerMTok is the price of input that is read from the cache; nil if unknown. [prices.List.CostOf] uses this field and
	// the next two, not RawPricing.
	CacheReadPerMTok *float64 `json:"cache_read_per_mtok"`
	// CacheWrite5mPerMTok and CacheWrite1hPerMTok are the prices of input that is written to the cache for five minutes and for
	// an hour; for OpenAI, for 30 minutes and for 12 hours. They are nil if unknown.
	CacheWrite5mPerMTok *float64 `json:"cache_write_5m_per_mtok"`
	CacheWrite1hPerMTok *float64 `json:"cache_write_1h_per_mtok"`
	// TierThresholdTokens is the length of the prompt, in tokens, from which the row applies; 0 for any length. In the rows of
	// [Client.FetchGeminiPricing] it is the round number of the SKU, above which the row applies.
	TierThresholdTokens int64 `json:"tier_threshold_tokens"`
	// UsageUnit is the provider's unit, as in "count", or nil.
	UsageUnit *string `json:"usage_unit"`
	// Source is the source of the price: [SourceCloudBilling], [SourceLanguageModels], or a text that names what was read and
	// how reliable it is.
	Source string `json:"source"`
	// VerifiedAt is when the source was read, as a date or an RFC 3339 time; nil if unknown. See [ProviderPricing.Age].
	VerifiedAt *string `json:"verified_at"`
	// ValidFrom is the beginning of the price and ValidUntil the end, which is exclusive: a UTC day, as in "2026-12-01", or an
	// RFC 3339 time; nil means no limit.
	ValidFrom  *string `json:"valid_from"`
	ValidUntil *string `json:"valid_until"`
	// RawPricing has the cache prices of Anthropic's models, or is nil.
	RawPricing *RawPricing `json:"raw_pricing"`
	// Modality is one of the Modality constants, or "" if the SKU does not name one.
	Modality string `json:"modality"`
	// Mode is one of the Mode constants. Several are joined with a hyphen, as in flex-cached.
	Mode string `json:"mode"`
}

// RawPricing holds the cache prices of a model, in USD per million tokens. They are published prices and not derived, because
// their ratio to the input price differs between models.
type RawPricing struct {
	// CacheWrite5m is the price of writing to the cache for five minutes.
	CacheWrite5m float64 `json:"cache_write_5m"`
	// CacheWrite1h is the price of writing to the cache for an hour.
	CacheWrite1h float64 `json:"cache_write_1h"`
	// CacheHit is the price of reading from the cache.
	CacheHit float64 `json:"cache_hit"`
}

// PricingOf returns a row of a price list in the form of [ProviderPricing], with the prices as float64.
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

// singleSources is the built-in list with its prices of a single source, which a [prices.Row] does not have.
var singleSources = sync.OnceValue(func() *pricelist.List {
	table, _ := prices.BuiltIn().Table()
	return pricelist.BuiltIn(table)
})

// rawPricing returns the cache prices of an Anthropic model, nil unless all three are listed.
func (p *ProviderPricing) rawPricing() *RawPricing {
	if p.CacheReadPerMTok == nil || p.CacheWrite5mPerMTok == nil {
		return nil
	}
	hour := p.CacheWrite1hPerMTok
	if hour == nil {
		for _, listed := range singleSources().Model(string(models.Anthropic), p.ModelHint) {
			hour = cmp.Or(hour, pricelist.Float64(listed.SingleSourceWrite1h))
		}
	}
	if hour == nil {
		return nil
	}
	return &RawPricing{CacheWrite5m: *p.CacheWrite5mPerMTok, CacheWrite1h: *hour, CacheHit: *p.CacheReadPerMTok}
}

// float returns a price as float64, nil for one that is not known.
func float(price string) *float64 { return pricelist.Float64(pricelist.ParsePrice(price)) }

// priceText returns a price as its shortest decimal, "" for one that is not known.
func priceText(usd *float64) string {
	if usd == nil {
		return ""
	}
	return strconv.FormatFloat(*usd, 'f', -1, 64)
}

// PriceAt returns the row for a prompt with the given number of tokens: the row with the highest threshold that is not above
// it. It returns false if there is none. Of rows with the same threshold it returns the first, so pass only rows of one model,
// mode and modality. The result points into records.
//
// The thresholds of a [prices.List] and of Anthropic are exact: the row for prompts over 100,000 tokens has the threshold 100,001.
// The thresholds of [Client.FetchGeminiPricing] are the round numbers in the SKUs, 128,000 and 200,000, but a prompt of exactly that
// length is billed at the lower row. For these rows, therefore subtract one from the length of a prompt.
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

// Age returns how long before now the source of the row was read. A date means its beginning in UTC, and a time in the future
// gives 0. Age returns false if VerifiedAt is nil or invalid.
func (p ProviderPricing) Age(now time.Time) (time.Duration, bool) {
	return prices.Row{VerifiedAt: ptr.Value(p.VerifiedAt)}.Age(now)
}

// PricingForAnthropicModel returns today's list price of an Anthropic model from the built-in list, and reports whether the
// list has the model.
//
// The id is looked up unchanged, then in lower case without vendor prefix and platform suffix, then without its build
// ([NormalizeModelID]), because a build of Claude has the price of its model. The price is the price of a standard request to
// Anthropic, even if the prefix names another platform. Variants with -fast are not in the list.
//
// The price of claude-haiku-5-5 depends on the length of the prompt (input, cache reads and cache writes together). Its row is
// the one for up to 100,000 tokens; [PriceAt] chooses among the rows of [ListAnthropicPricing].
func PricingForAnthropicModel(id string) (*ProviderPricing, bool) {
	row, ok := prices.PricingForAnthropicModel(id)
	if !ok {
		return nil, false
	}
	pricing := PricingOf(row)
	return &pricing, true
}

// ListAnthropicPricing returns the rows of the built-in list for Anthropic that are in force today: one for each priced id, or
// two if the price depends on the length of the prompt, the row for shorter prompts first. [prices.List.Rows] returns all periods.
func ListAnthropicPricing() []ProviderPricing {
	rows := prices.ListAnthropicPricing()
	pricings := make([]ProviderPricing, len(rows))
	for i, row := range rows {
		pricings[i] = PricingOf(row)
	}
	return pricings
}

// keyHash identifies a price list: two keys may see different prices. It is a hash, since what is kept for a day must not hold a
// key.
type keyHash [sha256.Size]byte

// listing is a provider's price list as one key sees it: the last one that was read, and the failure of a later request, if any.
type listing[T any] struct {
	prices  T
	readAt  time.Time // the zero time if no list was read
	failure *Failure
}

// verifiedAt returns the time of the list as its rows show it.
func (l listing[T]) verifiedAt() time.Time { return l.readAt.UTC().Truncate(time.Second) }

// readListing returns a price list from the cache, or reads it. A failure is cached too, beside the last list; one whose callers
// have all left is not.
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
	return list, list.failure.of(r.operation) // the request may have been that of another operation
}
