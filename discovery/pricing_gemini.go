package discovery

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/internal/geminisku"
	"github.com/mesh-gateway/mesh-go/gen/cloudbilling"
	"github.com/mesh-gateway/mesh-go/internal/cache"
	"github.com/mesh-gateway/mesh-go/internal/secret"
)

// DefaultPricingTTL is how long a price list is cached.
const DefaultPricingTTL = 24 * time.Hour

// defaultGeminiService is the service "Gemini API" in the billing catalog.
const defaultGeminiService = "AEFD-7695-64FA"

const (
	opFetchGeminiPricing    = "FetchGeminiPricing"
	opPricingForGeminiModel = "PricingForGeminiModel"
)

// WithGeminiServiceID sets the service of the billing catalog that has the prices of Gemini models. The default is
// AEFD-7695-64FA, "Gemini API". The SKUs of other services have other descriptions, and a SKU that is not understood has no
// price.
func WithGeminiServiceID(id string) Option {
	id = strings.TrimSpace(id)
	if id == "" || len(id) > maxShownName || strings.Trim(id, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-") != "" {
		panic(&ValueError{Field: "Gemini service id", Value: showable(id), Reason: "must be letters, digits and hyphens, as in " + defaultGeminiService})
	}
	return func(c *Client) { c.geminiService = id }
}

// PricingOptions selects the key and limits the age of the price list. The zero value is valid.
type PricingOptions struct {
	// APIKey is a key for the Cloud Billing catalog. "" means the key of [WithKey], else GOOGLE_CLOUD_BILLING_API_KEY, else
	// GOOGLE_CLOUD_API_KEY. The chat keys GEMINI_API_KEY and GOOGLE_API_KEY are never used.
	APIKey string `json:"-" xml:"-"`
	// TTL is the maximum age of a cached price list. 0 means [DefaultPricingTTL].
	TTL time.Duration
	// Refresh requests the price list again, regardless of its age.
	Refresh bool
}

// Format prints the options without the key.
func (o PricingOptions) Format(f fmt.State, verb rune) {
	type plain PricingOptions
	o.APIKey = hidden(o.APIKey)
	_, _ = fmt.Fprintf(f, fmt.FormatString(f, verb), plain(o))
}

// GobEncode encodes the options without their key.
func (o PricingOptions) GobEncode() ([]byte, error) { return json.Marshal(o) }

// GobDecode decodes options. APIKey is "".
func (o *PricingOptions) GobDecode(data []byte) error { return decodeWithoutKey(data, o) }

func (o PricingOptions) check() error {
	if o.TTL < 0 {
		return &ValueError{Field: "TTL", Value: o.TTL.String(), Reason: "is negative"}
	}
	return nil
}

// FetchGeminiPricing returns the prices of all of Google's Gemini SKUs, in the order of the Cloud Billing catalog.
// docs/providers.md describes how SKUs are read.
//
// Every SKU is listed. Its price is nil if it does not price tokens (storage, searches, images, videos), or if it is not fully
// understood: another unit or currency, rates that depend on the amount used, an invalid amount, unknown words. The price is
// the one that was in force when the list was read. Google truncates the price of a token to a billionth of a dollar, so 0.0375
// per million is listed as 0.037. A SKU with a price of 0 has [ModeFree].
//
// The list is cached for 24 hours ([PricingOptions]) per client and key, and concurrent callers share one request for each
// page. Without a key, or if a page fails, the list is empty, never nil, and a [Failure] is reported. A failed list is
// requested again after the time of [WithOutageTTL], or with Refresh. A negative TTL is a [*ValueError].
func (c *Client) FetchGeminiPricing(ctx context.Context, opts PricingOptions) ([]ProviderPricing, error) {
	if err := c.ready(ctx); err != nil {
		return nil, err
	}
	if err := opts.check(); err != nil {
		return nil, err
	}
	list, failure := c.geminiPrices(ctx, opFetchGeminiPricing, opts)
	if failure != nil {
		return []ProviderPricing{}, c.report(ctx, failure)
	}
	pricings, readAt := make([]ProviderPricing, len(list.SKUs)), list.verifiedAt()
	for i := range list.SKUs {
		pricings[i] = pricingOfSKU(&list.SKUs[i], readAt)
	}
	return pricings, nil
}

// pricingOfSKU returns a SKU as callers see it.
func pricingOfSKU(s *geminisku.SKU, readAt string) ProviderPricing {
	pricing := ProviderPricing{
		Provider: Gemini, ModelHint: s.Model, SKUID: s.ID, SKUDescription: s.Description, TierThresholdTokens: s.Threshold,
		Source: SourceCloudBilling, VerifiedAt: &readAt, Modality: s.Modality, Mode: s.Mode, UsageUnit: nonEmpty(s.Unit),
	}
	if s.Direction == geminisku.Input {
		pricing.InputPerMTok = copied(s.Price)
	} else {
		pricing.OutputPerMTok = copied(s.Price)
	}
	return pricing
}

// geminiList is the price list of one key. It is read-only once made.
type geminiList struct {
	*geminisku.List
	readAt time.Time
}

// verifiedAt returns the time of the list as its rows show it.
func (l *geminiList) verifiedAt() string { return l.readAt.UTC().Format(time.RFC3339) }

var errNoSKUs = errors.New("the response lists no SKU")

// fetchSKUs reads all pages of the catalog. The page token of the last page is empty.
func (c *Client) fetchSKUs(ctx context.Context, r request) ([]cloudbilling.SKU, *Failure) {
	size, currency := int64(5000), "USD"
	skus, failure := pages(r, maxListPages, func(r request, cursor string) ([]cloudbilling.SKU, string, *Failure) {
		params := &cloudbilling.ListSkusParams{PageSize: &size, CurrencyCode: &currency, PageToken: nonZero(&cursor)}
		page, failure := fetch[cloudbilling.SKUPage](ctx, c, r, func(ctx context.Context) (*http.Response, error) {
			return c.apis.cloudbilling.ListSkus(ctx, cmp.Or(c.geminiService, defaultGeminiService), params, header("X-Goog-Api-Key", r.key.Reveal()))
		})
		if failure == nil && isGoogleError(len(page.Skus), page.GetNextPageToken(), page.AdditionalProperties) {
			failure = r.undecodable(errNoSKUs)
		}
		return page.Skus, page.GetNextPageToken(), failure
	})
	if failure == nil && len(skus) == 0 {
		// proto3 omits what is empty, so {} and {"error":…} decode as lists too.
		failure = r.undecodable(errNoSKUs)
	}
	return skus, failure
}

// priceKey identifies a price list: two keys may see different prices. It has the hash of the key, since what is kept for a day
// must not hold a key.
type priceKey struct {
	provider Provider
	hash     [sha256.Size]byte
}

func priceKeyOf(p Provider, key secret.Secret) priceKey {
	return priceKey{p, sha256.Sum256([]byte(key.Reveal()))}
}

// cachedPrices is the result of a load: a price list, or a failure and the last good list, if any.
type cachedPrices struct {
	list    *geminiList
	failure *Failure
}

// InvalidatePricing discards the cached prices of the given providers, or of all providers without an argument. Only the prices
// of Gemini and XAI are cached.
func (c *Client) InvalidatePricing(providers ...Provider) {
	match := func(k priceKey) bool {
		return len(providers) == 0 || slices.ContainsFunc(providers, func(p Provider) bool { return p.canonical() == k.provider })
	}
	c.gemini.Delete(match)
	c.live.Delete(match)
}

// geminiPrices returns the price list from the cache or the network.
func (c *Client) geminiPrices(ctx context.Context, operation string, opts PricingOptions) (*geminiList, *Failure) {
	key, err := c.key(ctx, ServiceCloudBilling, opts.APIKey)
	r := newRequest(operation, ServiceCloudBilling, key, listTimeout)
	if err != nil {
		return nil, r.missingKey(err)
	}
	value := c.gemini.Value(priceKeyOf(Gemini, key))
	ttl := cmp.Or(opts.TTL, DefaultPricingTTL)
	usable := func(p cachedPrices) bool { return !opts.Refresh && p.list != nil && time.Since(p.list.readAt) < ttl }
	fresh := func(p cachedPrices, loadedAt time.Time) bool {
		return usable(p) || !opts.Refresh && p.failure != nil && time.Since(loadedAt) < c.outageTTL
	}
	prices, _, err := value.Get(ctx, fresh, func(ctx context.Context) (cachedPrices, error) { return c.loadPrices(ctx, r, value) })
	switch {
	case err != nil:
		return nil, r.interrupted(err)
	case prices.failure == nil, usable(prices):
		return prices.list, nil
	}
	failure := *prices.failure
	failure.Operation = operation
	return nil, &failure
}

// loadPrices fetches the price list. A failure is cached too, with the last good list. A load whose callers have all left caches
// nothing.
func (c *Client) loadPrices(ctx context.Context, r request, value *cache.Value[cachedPrices]) (cachedPrices, error) {
	skus, failure := c.fetchSKUs(ctx, r)
	switch {
	case failure == nil:
		now := time.Now()
		return cachedPrices{list: &geminiList{geminisku.NewList(skus, now), now}}, nil
	case ctx.Err() != nil:
		return cachedPrices{}, ctx.Err()
	}
	last, _ := value.Cached(func(cachedPrices, time.Time) bool { return true })
	return cachedPrices{list: last.list, failure: failure}, nil
}
