package discovery

import (
	"cmp"
	"context"
	"crypto/sha256"
	"slices"
	"sync"
	"time"

	"github.com/mesh-gateway/mesh-go/internal/cache"
	"github.com/mesh-gateway/mesh-go/internal/secret"
)

// pricingCache holds the price lists of a client by key, since two keys may see different prices. The zero value is empty.
type pricingCache struct {
	// service is the id of WithGeminiServiceID; "" is the default.
	service string

	mu    sync.Mutex
	lists map[keyHash]*cache.Value[cachedPrices]
}

// keyHash identifies a key without holding it.
type keyHash [sha256.Size]byte

// cachedPrices is the result of a load: a price list, or a failure and the last good list, if any.
type cachedPrices struct {
	list    *priceList
	failure *Failure
}

// maxPriceLists bounds how many price lists are cached. Programs have a key or two; the cache of one with many is emptied.
const maxPriceLists = 32

// value returns the cache of a key.
func (pc *pricingCache) value(key secret.Secret) *cache.Value[cachedPrices] {
	hash := keyHash(sha256.Sum256([]byte(key.Reveal())))
	pc.mu.Lock()
	defer pc.mu.Unlock()
	if v := pc.lists[hash]; v != nil {
		return v
	}
	if pc.lists == nil || len(pc.lists) >= maxPriceLists {
		pc.lists = make(map[keyHash]*cache.Value[cachedPrices])
	}
	pc.lists[hash] = new(cache.Value[cachedPrices])
	return pc.lists[hash]
}

func (pc *pricingCache) serviceID() string { return cmp.Or(pc.service, defaultGeminiService) }

// InvalidatePricing discards the cached prices of the given providers, or of all when none is given. Only the prices of
// [Gemini] are read over the network.
func (c *Client) InvalidatePricing(providers ...Provider) {
	if len(providers) != 0 && !slices.ContainsFunc(providers, func(p Provider) bool { return p.canonical() == Gemini }) {
		return
	}
	c.pricing.mu.Lock()
	defer c.pricing.mu.Unlock()
	c.pricing.lists = nil // a load in progress stores its result where no caller finds it
}

// geminiPrices returns the price list from the cache or the network. On failure it returns nil and the error of the operation.
func (c *Client) geminiPrices(ctx context.Context, operation string, opts PricingOptions) (*priceList, error) {
	key, err := c.key(ctx, ServiceCloudBilling, opts.APIKey)
	r := newRequest(operation, ServiceCloudBilling, key, listTimeout)
	if err != nil {
		return nil, c.report(ctx, r.missingKey(err))
	}
	value := c.pricing.value(key)
	ttl := cmp.Or(opts.TTL, DefaultPricingTTL)
	usable := func(p cachedPrices) bool { return !opts.Refresh && p.list != nil && time.Since(p.list.readAt) < ttl }
	fresh := func(p cachedPrices, loadedAt time.Time) bool {
		return usable(p) || !opts.Refresh && p.failure != nil && time.Since(loadedAt) < c.outageTTL
	}
	prices, _, err := value.Get(ctx, fresh, func(ctx context.Context) (cachedPrices, error) { return c.loadPrices(ctx, r, value) })
	switch {
	case err != nil:
		return nil, c.report(ctx, r.interrupted(err))
	case prices.failure == nil, usable(prices):
		return prices.list, nil
	}
	failure := *prices.failure
	failure.Operation = operation
	return nil, c.report(ctx, &failure)
}

// loadPrices fetches the price list. A failure is a result too, so that it is cached for a while and the last good list stays
// usable; but a load whose callers have all left is not.
func (c *Client) loadPrices(ctx context.Context, r request, value *cache.Value[cachedPrices]) (cachedPrices, error) {
	skus, failure := c.fetchSKUs(ctx, r)
	switch {
	case failure == nil:
		return cachedPrices{list: newPriceList(skus, time.Now())}, nil
	case ctx.Err() != nil:
		return cachedPrices{}, ctx.Err()
	}
	last, _ := value.Cached(func(cachedPrices, time.Time) bool { return true })
	return cachedPrices{list: last.list, failure: failure}, nil
}
