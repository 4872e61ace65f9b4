package discovery

import (
	"context"
	"errors"
	"fmt"
	"github.com/mesh-gateway/mesh-go/discovery/internal/geminisku"
	"net/http"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/gen/cloudbilling"
)

// DefaultPricingTTL is how long a price list is relied on (SPEC.md, Limits).
const DefaultPricingTTL = 24 * time.Hour

// defaultGeminiService is "Gemini API" in the billing catalog (WIRE.md section 8).
const defaultGeminiService = "AEFD-7695-64FA"

const (
	opFetchGeminiPricing    = "FetchGeminiPricing"
	opPricingForGeminiModel = "PricingForGeminiModel"
)

// WithGeminiServiceID sets which service of the billing catalog has the prices of Gemini's models. The default is
// AEFD-7695-64FA, "Gemini API". Others describe their SKUs in other words, and what is not understood has no price.
func WithGeminiServiceID(id string) Option {
	id = strings.TrimSpace(id)
	if id == "" || len(id) > maxShownName || strings.Trim(id, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-") != "" {
		panic(&ValueError{Field: "Gemini service id", Value: showable(id), Reason: "has to be letters, digits and hyphens, as in " + defaultGeminiService})
	}
	return func(c *Client) { c.pricing.service = id }
}

// PricingOptions says with which key the price list is read, and how fresh it has to be.
type PricingOptions struct {
	// APIKey may read the Cloud Billing catalog; "" means GOOGLE_CLOUD_BILLING_API_KEY, else GOOGLE_CLOUD_API_KEY.
	// The chat keys GEMINI_API_KEY and GOOGLE_API_KEY are never used.
	APIKey string `json:"-" xml:"-"`
	// TTL is how old the price list may be; 0 means [DefaultPricingTTL]. Use Refresh to ask in any case.
	TTL time.Duration
	// Refresh asks for the price list again, however fresh it is (ttl_seconds=0 of SPEC.md).
	Refresh bool
}

// Format prints the options without the key.
func (o PricingOptions) Format(f fmt.State, verb rune) {
	type plain PricingOptions
	o.APIKey = hidden(o.APIKey)
	_, _ = fmt.Fprintf(f, fmt.FormatString(f, verb), plain(o))
}

func (o PricingOptions) check() error {
	if o.TTL < 0 {
		return &ValueError{Field: "TTL", Value: o.TTL.String(), Reason: "is negative"}
	}
	return nil
}

// FetchGeminiPricing lists the prices of all of Google's Gemini SKUs, in the order of the Cloud Billing catalog (SPEC.md,
// fetch_gemini_pricing; WIRE.md section 8). The slice is the caller's own.
//
// Every SKU is listed. Its price is nil where it is none of tokens (storage, searches, images and videos), and where
// anything about it is not understood: a unit that is not a plain count, a currency other than USD, rates that differ by the
// amount used, an unreadable amount, unknown words. The price is the one in force when the list was read. Google writes whole
// billionths of a dollar for a token and cuts the rest off, so a price of 0.0375 per million is listed as 0.037.
//
// SKUs for short prompts have the threshold 0 and those for long ones 200,000, those for prompts up to and over 128k 0 and
// 128,000. A SKU of a price of 0 is [ModeFree].
//
// The list is kept for 24 hours ([PricingOptions]), per client and key; however many ask for it at the same time, there is one
// request for each of its pages. The key goes in a header. Without a key, and when a page cannot be had, the list is empty,
// never nil, and a [Failure] is reported. A negative TTL is a [*ValueError].
func (c *Client) FetchGeminiPricing(ctx context.Context, opts PricingOptions) ([]ProviderPricing, error) {
	if err := opts.check(); err != nil {
		return nil, err
	}
	list := c.geminiPrices(ctx, opFetchGeminiPricing, opts)
	records := make([]ProviderPricing, len(list.skus))
	for i := range list.skus {
		records[i] = list.skus[i].record.clone()
	}
	return records, list.failure
}

// priceList is the prices that one key gets. It is never changed once made.
type priceList struct {
	skus   []sku
	models geminisku.ModelNames
	readAt time.Time
	// failure is what strict callers get.
	failure error
}

// geminiPrices returns the price list, from the cache or anew; an empty one when it cannot be had.
func (c *Client) geminiPrices(ctx context.Context, operation string, opts PricingOptions) *priceList {
	key, err := c.key(ctx, ServiceCloudBilling, opts.APIKey)
	r := newRequest(operation, ServiceCloudBilling, key, listTimeout)
	if err != nil {
		return &priceList{failure: c.report(ctx, r.missingKey(err))}
	}
	shelf := c.pricing.shelf(key)
	if list := shelf.fresh(opts); list != nil {
		return list
	}
	list, _, err := shelf.flight.Do(ctx, func(ctx context.Context) (*priceList, error) {
		// Between our look at the cache and the start of this request another one may have ended.
		if list := shelf.fresh(opts); list != nil {
			return list, nil
		}
		return c.readPrices(ctx, r, shelf), nil
	})
	if err != nil {
		return &priceList{failure: c.report(ctx, r.interrupted(err))}
	}
	return list
}

// readPrices asks for the price list and keeps it, if it is one.
func (c *Client) readPrices(ctx context.Context, r request, shelf *priceShelf) *priceList {
	skus, failure := c.listSKUs(ctx, r)
	switch {
	case failure != nil && ctx.Err() != nil:
		return &priceList{} // for nobody: all who asked have left, each with a Failure of its own
	case failure != nil:
		return &priceList{failure: c.report(ctx, failure)}
	}
	now := time.Now()
	list := &priceList{skus: make([]sku, 0, len(skus)), readAt: now}
	for i := range skus {
		list.skus = append(list.skus, readSKU(&skus[i], now))
	}
	hints := make([]string, len(list.skus))
	for i := range list.skus {
		hints[i] = list.skus[i].record.ModelHint
	}
	list.models = geminisku.Models(hints)
	shelf.list.Store(list)
	return list
}

var errNoSKUs = errors.New("the answer lists no SKU")

// listSKUs asks for the SKUs, page after page (GET /v1/services/{serviceId}/skus). The token of the last page is empty.
func (c *Client) listSKUs(ctx context.Context, r request) ([]cloudbilling.SKU, *Failure) {
	size, currency := int64(5000), "USD"
	skus, failure := pages(r, maxListPages, func(cursor string) ([]cloudbilling.SKU, string, *Failure) {
		params := &cloudbilling.ListSkusParams{PageSize: &size, CurrencyCode: &currency, PageToken: nonZero(&cursor)}
		page, failure := fetch[cloudbilling.SKUPage](ctx, c, r, func(ctx context.Context) (*http.Response, error) {
			return c.apis.cloudbilling.ListSkus(ctx, c.pricing.serviceID(), params, header("X-Goog-Api-Key", r.key.Reveal()))
		})
		if failure == nil && isGoogleError(len(page.Skus), page.NextPageToken, page.AdditionalProperties) {
			failure = r.undecodable(errNoSKUs)
		}
		return page.Skus, deref(page.NextPageToken), failure
	})
	if failure == nil && len(skus) == 0 {
		// proto3 leaves out what is empty, so that {} and {"error":…} are lists too, by the document.
		failure = r.undecodable(errNoSKUs)
	}
	return skus, failure
}
