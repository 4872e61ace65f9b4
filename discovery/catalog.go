package discovery

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/mesh-gateway/mesh-go/internal/flight"
)

// CatalogOptions says which models are meant and how fresh the catalog has to be. The zero value means all of them, from a
// catalog of the last 24 hours.
type CatalogOptions struct {
	// Provider leaves out the models of other developers; "" means everybody's.
	Provider Provider
	// TTL is how old the catalog may be; 0 means [DefaultCatalogTTL]. Use Refresh to ask in any case.
	TTL time.Duration
	// Refresh asks the catalog again, however fresh it is (ttl_seconds=0 of SPEC.md, list_models).
	Refresh bool
}

func (o CatalogOptions) check() error {
	if o.TTL < 0 {
		return &ValueError{Field: "TTL", Value: o.TTL.String(), Reason: "is negative"}
	}
	if o.Provider == "" {
		return nil
	}
	if _, err := ParseProvider(string(o.Provider)); err != nil {
		return err
	}
	return nil
}

// ListModels lists the models, in the order of the catalog (SPEC.md, list_models). The slice is the caller's own.
//
// When the catalog cannot be had, the providers themselves are asked, each with its key from the environment; when that
// gives nothing either, or ctx ends first, the last good catalog is used. All of it is reported as a [Failure]. The list is
// empty, and never nil, when nothing could be had. An unknown provider and a negative TTL are a [*ValueError].
func (c *Client) ListModels(ctx context.Context, opts CatalogOptions) ([]ModelInfo, error) {
	if err := opts.check(); err != nil {
		return nil, err
	}
	s := c.snapshot(ctx, opts)
	list := make([]ModelInfo, 0, len(s.models))
	for i := range s.models {
		if opts.Provider == "" || developedBy(opts.Provider, s.models[i].Developer) {
			list = append(list, *s.models[i].clone())
		}
	}
	return list, s.failure
}

// IsModelSupported reports whether the catalog lists the id, as an id or as an alias (SPEC.md, is_model_supported). An id
// it does not list is tried again in the normalized spelling of its provider. The empty id is not supported, and nothing
// is asked.
func (c *Client) IsModelSupported(ctx context.Context, id string, opts CatalogOptions) (bool, error) {
	m, err := c.find(ctx, id, opts)
	return m != nil, err
}

// GetModelInfo returns what the catalog knows of the id or alias, nil when it does not list it (SPEC.md, get_model_info).
// It looks the id up as [Client.IsModelSupported] does. The result is the caller's own.
func (c *Client) GetModelInfo(ctx context.Context, id string, opts CatalogOptions) (*ModelInfo, error) {
	m, err := c.find(ctx, id, opts)
	if m == nil {
		return nil, err
	}
	return m.clone(), err
}

func (c *Client) find(ctx context.Context, id string, opts CatalogOptions) (*ModelInfo, error) {
	if err := opts.check(); err != nil || id == "" {
		return nil, err
	}
	s := c.snapshot(ctx, opts)
	return s.find(opts.Provider, id), s.failure
}

// InvalidateCatalog makes the next question ask the catalog again (SPEC.md, invalidate_catalog). The last good catalog is
// kept for the case that it cannot be had.
func (c *Client) InvalidateCatalog() { c.catalog.era.Store(new(era)) }

// catalogCache is what a client knows of the catalog.
type catalogCache struct {
	// era changes with every invalidation: what a request from before it brings goes to nobody who asks after it.
	era atomic.Pointer[era]
	// good is the last snapshot that the catalog itself gave.
	good atomic.Pointer[snapshot]
}

type era struct {
	current atomic.Pointer[snapshot]
	flight  flight.Flight[*snapshot]
}

func (cc *catalogCache) now() *era {
	if e := cc.era.Load(); e != nil {
		return e
	}
	cc.era.CompareAndSwap(nil, new(era))
	return cc.era.Load()
}

// snapshot returns the catalog, from the cache or anew. However many ask at the same time, there is one request.
func (c *Client) snapshot(ctx context.Context, opts CatalogOptions) *snapshot {
	e := c.catalog.now()
	if s := c.fresh(e, opts); s != nil {
		return s
	}
	s, _, err := e.flight.Do(ctx, func(ctx context.Context) (*snapshot, error) {
		// Between our look at the cache and the start of this request another one may have ended.
		if s := c.fresh(e, opts); s != nil {
			return s, nil
		}
		s := c.readCatalog(ctx)
		if ctx.Err() == nil { // otherwise nobody waits any more, and it failed for that
			e.current.Store(s)
		}
		return s, nil
	})
	if err != nil {
		return c.remembered(ctx, c.report(ctx, catalogRequest.interrupted(err)))
	}
	return s
}

// fresh returns the cached snapshot if it is young enough for opts.
func (c *Client) fresh(e *era, opts CatalogOptions) *snapshot {
	s := e.current.Load()
	if s == nil || opts.Refresh || time.Since(s.readAt) >= c.lifetime(s, opts.TTL) {
		return nil
	}
	return s
}

// lifetime is how long a snapshot may be used.
func (c *Client) lifetime(s *snapshot, ttl time.Duration) time.Duration {
	if ttl == 0 {
		ttl = DefaultCatalogTTL
	}
	if !s.primary {
		return min(ttl, c.outageTTL)
	}
	return ttl
}
