package discovery

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/internal/geminisku"
	"github.com/mesh-gateway/mesh-go/discovery/internal/modelid"
	"github.com/mesh-gateway/mesh-go/discovery/internal/ptr"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/gen/cloudbilling"
	"github.com/mesh-gateway/mesh-go/internal/argument"
)

// geminiService is "Gemini API" in the billing catalog. Other services describe SKUs
// differently.
const geminiService = "AEFD-7695-64FA"

const (
	opPricingForGeminiModel = "PricingForGeminiModel"
)

// PricingOptions selects the key and limits the price list's age. The zero value is
// valid.
type PricingOptions struct {
	// APIKey is a key for the Cloud Billing catalog. It defaults to the key from
	// [WithKey], or else GOOGLE_CLOUD_BILLING_API_KEY, or else GOOGLE_CLOUD_API_KEY. The
	// chat keys GEMINI_API_KEY and GOOGLE_API_KEY are never used.
	APIKey Secret `json:"-" xml:"-"`
	// TTL is the maximum age of a cached price list. 0 means [DefaultPricingTTL].
	TTL time.Duration
	// Refresh requests the price list again, whatever its age.
	Refresh bool
}

// FetchGeminiPricing returns the prices of all of Google's Gemini SKUs, in the Cloud
// Billing catalog's order. docs/providers.md describes how SKUs are read.
//
// The list is cached for 24 hours ([PricingOptions]) per client and key, and concurrent
// callers share requests. If it can't be read, the result is empty, never nil, and the
// list is requested again once [WithOutageTTL] has passed, or with Refresh. If TTL is
// negative, FetchGeminiPricing returns a [*ValueError].
//
// # Prices
//
// Every SKU is listed, with the price valid when the list was read. The price is nil if
//
//   - the SKU isn't for tokens: storage, searches, images, videos
//   - it has another unit or currency, an invalid amount, or rates that depend on the
//     amount used
//   - its description has unknown words, which may change the price
//
// A SKU with a price of 0 has the mode [prices.ModeFree]. Google truncates token prices
// to a billionth of a dollar, so 0.0375 per million is listed as 0.037.
func (c *Client) FetchGeminiPricing(ctx context.Context, opts PricingOptions) ([]ProviderPricing, error) {
	if err := cmp.Or(c.ready(ctx), notNegative("TTL", opts.TTL)); err != nil {
		return nil, err
	}
	list, failure := c.keyedGeminiPrices(ctx, "FetchGeminiPricing", opts)
	if failure != nil {
		return []ProviderPricing{}, c.report(ctx, failure)
	}
	skus, readAt := list.prices.SKUs, list.verifiedAt().Format(time.RFC3339)
	pricings := make([]ProviderPricing, len(skus))
	for i := range skus {
		pricings[i] = pricingOfSKU(&skus[i], readAt)
	}
	return pricings, nil
}

func pricingOfSKU(s *geminisku.SKU, readAt string) ProviderPricing {
	pricing := ProviderPricing{
		Provider: models.Gemini, ModelHint: s.Model, SKUID: s.ID, SKUDescription: s.Description, TierThresholdTokens: s.Threshold,
		Source: SourceCloudBilling, VerifiedAt: &readAt, Modality: s.Modality, Mode: s.Mode, UsageUnit: ptr.Of(s.Unit),
	}
	if s.Direction == geminisku.Input {
		pricing.InputPerMTok = ptr.Copy(s.Price)
	} else {
		pricing.OutputPerMTok = ptr.Copy(s.Price)
	}
	return pricing
}

var errNoSKUs = errors.New("the response lists no SKU")

// fetchSKUs reads all pages. The last page's token is empty.
func (c *Client) fetchSKUs(ctx context.Context, r request) ([]cloudbilling.SKU, *Failure) {
	size, currency := int64(5000), "USD"
	skus, failure := pages(r, maxListPages, func(r request, cursor string) ([]cloudbilling.SKU, string, *Failure) {
		params := &cloudbilling.ListSkusParams{PageSize: &size, CurrencyCode: &currency, PageToken: ptr.Of(cursor)}
		page, failure := fetch[cloudbilling.SKUPage](ctx, c, r, func(ctx context.Context) (*http.Response, error) {
			return c.apis.cloudbilling.ListSkus(ctx, geminiService, params, header("X-Goog-Api-Key", r.key.Reveal()))
		})
		if failure == nil && isGoogleError(len(page.Skus), page.GetNextPageToken(), page.AdditionalProperties) {
			failure = r.undecodable(errNoSKUs)
		}
		return page.Skus, page.GetNextPageToken(), failure
	})
	if failure == nil && len(skus) == 0 {
		// proto3 omits empty fields, so {} and {"error":…} also decode as lists
		failure = r.undecodable(errNoSKUs)
	}
	return skus, failure
}

// InvalidatePricing discards cached prices for the given providers, or for all if none
// are given. Only prices for Gemini and XAI are cached.
func (c *Client) InvalidatePricing(providers ...models.Provider) {
	if c == nil {
		return
	}
	if len(providers) == 0 {
		providers = []models.Provider{models.Gemini, models.XAI}
	}
	for _, p := range providers {
		if p = modelid.Canonical(p); p == models.Gemini {
			c.gemini.Clear()
		} else if p == models.XAI {
			c.xai.Clear()
		}
	}
}

// keyedGeminiPrices uses the key from opts, or else the client's.
func (c *Client) keyedGeminiPrices(ctx context.Context, operation string, opts PricingOptions) (listing[*geminisku.List], *Failure) {
	key, err := c.key(ctx, ServiceCloudBilling, opts.APIKey)
	r := newRequest(operation, ServiceCloudBilling, key, listTimeout)
	if err != nil {
		return listing[*geminisku.List]{}, r.missingKey(err)
	}
	return c.geminiPrices(ctx, r, opts)
}

func (c *Client) geminiPrices(ctx context.Context, r request, opts PricingOptions) (listing[*geminisku.List], *Failure) {
	return readListing(ctx, c, &c.gemini, r, opts, func(ctx context.Context, _ *geminisku.List) (*geminisku.List, *Failure) {
		skus, failure := c.fetchSKUs(ctx, r)
		return geminisku.NewList(skus, time.Now()), failure
	})
}

// Direction is a token direction, input or output. The zero value means [Output].
type Direction string

// Directions.
const (
	Output Direction = "output"
	Input  Direction = "input"
)

// GeminiPriceQuery selects a model's price. The zero value means the output price for
// short prompts.
type GeminiPriceQuery struct {
	// Direction is [Input] or [Output]. "" means Output.
	Direction Direction
	// TierThresholdTokens is the prompt length in tokens, or a tier's threshold, such as
	// 200,000 for the prices above 200K.
	TierThresholdTokens int64
	PricingOptions
}

func (q GeminiPriceQuery) check(hint []string) error {
	switch {
	case len(hint) == 0:
		return invalid("hint", "", "must not be empty")
	case q.Direction != "" && q.Direction != Input && q.Direction != Output:
		return invalid("Direction", string(q.Direction), "must be input or output")
	case q.TierThresholdTokens < 0:
		return invalid("TierThresholdTokens", fmt.Sprint(q.TierThresholdTokens), "must not be negative")
	}
	return notNegative("TTL", q.TTL)
}

// PricingForGeminiModel returns the list price for a standard text request, in USD per
// million tokens, or nil. It never returns a price for another modality or mode, such as
// batch or the Live API.
//
// # Arguments
//
// hint is an API id, as in "gemini-3-flash-preview", or words from SKUs, as in "3.1 flash
// lite". For the matching rules, see "Gemini prices" in docs/providers.md. A hint that
// matches more than one model has no price. TierThresholdTokens picks the tier, as in
// [PriceAt].
//
// If the hint is empty, the direction unknown, or the threshold or TTL negative,
// PricingForGeminiModel returns a [*ValueError].
//
// # Failures
//
// If the price is nil, a [Failure] has the reason. [ReasonPartial] means that no SKU or
// more than one model matches, or that the matching SKUs disagree or aren't understood.
// Any other Failure comes from [Client.FetchGeminiPricing].
func (c *Client) PricingForGeminiModel(ctx context.Context, hint string, q GeminiPriceQuery) (*float64, error) {
	words := geminisku.Words(hint)
	if err := cmp.Or(c.ready(ctx), q.check(words)); err != nil {
		return nil, err
	}
	list, failure := c.keyedGeminiPrices(ctx, opPricingForGeminiModel, q.PricingOptions)
	if failure != nil {
		return nil, c.report(ctx, failure)
	}
	price, err := list.prices.Price(words, geminisku.Direction(cmp.Or(q.Direction, Output)), q.TierThresholdTokens)
	if err != nil {
		if name := argument.Shown(strings.Join(words, " ")); errors.Is(err, geminisku.ErrNoModel) && name != "" {
			err = fmt.Errorf("%w: %s", err, name)
		}
		return nil, c.report(ctx, newRequest(opPricingForGeminiModel, ServiceCloudBilling, Secret{}, 0).partial(err))
	}
	return price, nil
}
