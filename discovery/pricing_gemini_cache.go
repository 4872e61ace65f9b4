package discovery

import (
	"cmp"
	"crypto/sha256"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mesh-gateway/mesh-go/internal/flight"
	"github.com/mesh-gateway/mesh-go/internal/secret"
)

// pricingCache is the price lists of a client, by key: two keys may see different prices. The zero value is empty.
type pricingCache struct {
	// service is the id that WithGeminiServiceID set; "" is the default.
	service string

	mu      sync.Mutex
	shelves map[keyHash]*priceShelf
}

// keyHash stands for a key: what is kept for a day must not hold one.
type keyHash [sha256.Size]byte

// priceShelf is the price list of one key.
type priceShelf struct {
	list   atomic.Pointer[priceList]
	flight flight.Flight[*priceList]
}

// mostKeys bounds how many price lists are kept. A program has a key or two; one that goes through many starts over.
const mostKeys = 32

// shelf returns the place of the key's price list.
func (pc *pricingCache) shelf(key secret.Secret) *priceShelf {
	hash := keyHash(sha256.Sum256([]byte(key.Reveal())))
	pc.mu.Lock()
	defer pc.mu.Unlock()
	if s := pc.shelves[hash]; s != nil {
		return s
	}
	if pc.shelves == nil || len(pc.shelves) >= mostKeys {
		pc.shelves = make(map[keyHash]*priceShelf)
	}
	pc.shelves[hash] = new(priceShelf)
	return pc.shelves[hash]
}

// clear forgets all price lists. A request that is under way keeps its old shelf, so that what it brings goes to nobody who
// asks from now on.
func (pc *pricingCache) clear() {
	pc.mu.Lock()
	defer pc.mu.Unlock()
	pc.shelves = nil
}

func (pc *pricingCache) serviceID() string { return cmp.Or(pc.service, defaultGeminiService) }

// fresh returns the price list if it is young enough.
func (s *priceShelf) fresh(opts PricingOptions) *priceList {
	list := s.list.Load()
	if list == nil || opts.Refresh || time.Since(list.readAt) >= cmp.Or(opts.TTL, DefaultPricingTTL) {
		return nil
	}
	return list
}

// InvalidatePricing makes the next question about prices ask again: of the given providers, or of all when none is given
// (SPEC.md, invalidate_pricing). Only [Gemini]'s prices are read over the network; Anthropic's are part of the package.
func (c *Client) InvalidatePricing(providers ...Provider) {
	if len(providers) == 0 || slices.ContainsFunc(providers, func(p Provider) bool { return p.canonical() == Gemini }) {
		c.pricing.clear()
	}
}
