package discovery

import (
	"cmp"
	"context"
	"crypto/sha256"
	"time"

	"github.com/mesh-gateway/mesh-go/internal/cache"
)

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
	read func(context.Context) (T, *Failure),
) (listing[T], *Failure) {
	value, ttl := lists.Value(sha256.Sum256([]byte(r.key.Reveal()))), cmp.Or(opts.TTL, DefaultPricingTTL)
	usable := func(l listing[T]) bool { return !opts.Refresh && time.Since(l.readAt) < ttl }
	fresh := func(l listing[T], loadedAt time.Time) bool {
		return usable(l) || !opts.Refresh && l.failure != nil && time.Since(loadedAt) < c.outageTTL
	}
	list, _, err := value.Get(ctx, fresh, func(ctx context.Context) (listing[T], error) {
		prices, failure := read(ctx)
		switch {
		case failure == nil:
			return listing[T]{prices: prices, readAt: time.Now()}, nil
		case ctx.Err() != nil:
			return listing[T]{}, ctx.Err()
		}
		last, _ := value.Cached(func(listing[T], time.Time) bool { return true })
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
