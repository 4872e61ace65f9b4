package discovery

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/internal/modelid"
	"github.com/mesh-gateway/mesh-go/discovery/models"
)

// CatalogOptions selects models and limits the age of the catalog. The zero value is valid.
type CatalogOptions struct {
	// Provider selects the models of one developer; "" selects all.
	Provider models.Provider
	// TTL is the maximum age of the catalog; 0 means [DefaultCatalogTTL]. To force a request, use Refresh.
	TTL time.Duration
	// Refresh requests the catalog again, regardless of its age.
	Refresh bool
}

func (o CatalogOptions) check() error {
	if o.Provider != "" && modelid.Lookup(o.Provider) == nil {
		return invalid("Provider", string(o.Provider), modelid.Unknown())
	}
	return notNegative("TTL", o.TTL)
}

// ListModels returns the models in the order of the catalog.
//
// The lists of the providers, which replace an unavailable catalog, are read with the keys from [WithKey] or the environment. If ctx ends
// first, the last good catalog is used. Each step is reported as a [Failure]. Without any models the list is empty, never nil. An unknown
// provider or a negative TTL is a [*ValueError].
func (c *Client) ListModels(ctx context.Context, opts CatalogOptions) ([]ModelInfo, error) {
	if err := cmp.Or(c.ready(ctx), opts.check()); err != nil {
		return nil, err
	}
	s, err := c.snapshot(ctx, "ListModels", opts)
	list := make([]ModelInfo, 0, len(s.models))
	for i := range s.models {
		if opts.Provider == "" || developedBy(opts.Provider, s.models[i].Developer) {
			list = append(list, *s.models[i].clone())
		}
	}
	return list, err
}

// IsModelSupported reports whether the catalog lists the id, as an id or as an alias. It looks the model up as
// [Client.GetModelInfo] does.
func (c *Client) IsModelSupported(ctx context.Context, id string, opts CatalogOptions) (bool, error) {
	m, err := c.find(ctx, "IsModelSupported", id, opts)
	return m != nil, err
}

// GetModelInfo returns the row of the catalog for an id or alias, or nil if there is none.
//
// An id that is not listed is looked up again in its provider's own spelling, and then without its build. The result is the row
// that matched: its ID may differ from id, and its limits may belong to another build of the model. A build that is not listed
// matches only if its date is valid and not in the future. The empty id matches nothing, and no request is sent for it.
func (c *Client) GetModelInfo(ctx context.Context, id string, opts CatalogOptions) (*ModelInfo, error) {
	m, err := c.find(ctx, "GetModelInfo", id, opts)
	if m == nil {
		return nil, err
	}
	return m.clone(), err
}

func (c *Client) find(ctx context.Context, operation, id string, opts CatalogOptions) (*ModelInfo, error) {
	if err := cmp.Or(c.ready(ctx), opts.check()); err != nil || id == "" {
		return nil, err
	}
	s, err := c.snapshot(ctx, operation, opts)
	return s.find(opts.Provider, id), err
}

// InvalidateCatalog makes the next call request the catalog again. The last good catalog is kept and used if that request
// fails.
func (c *Client) InvalidateCatalog() {
	if c != nil {
		c.catalog.current.Invalidate()
	}
}

// snapshot returns the catalog for an operation, cached or requested anew, and the error of the operation.
func (c *Client) snapshot(ctx context.Context, operation string, opts CatalogOptions) (*snapshot, error) {
	fresh := func(s *snapshot, loadedAt time.Time) bool {
		return !opts.Refresh && time.Since(loadedAt) < c.lifetime(s, opts.TTL)
	}
	s, cached := c.catalog.current.Cached(fresh)
	if !cached {
		var err error
		if s, _, err = c.catalog.current.Get(ctx, fresh, c.readCatalog); err != nil { // ctx ended
			s = c.lastGood([]*Failure{c.record(catalogRequest.interrupted(err))})
		}
		for _, f := range c.takeUnreported() {
			_ = c.report(ctx, f.of(operation)) // the snapshot has it, too
		}
	}
	var errs []error
	for _, f := range s.failures {
		errs = append(errs, c.strictError(f.of(operation)))
	}
	return s, errors.Join(errs...)
}

// lifetime returns how long a snapshot may be used.
func (c *Client) lifetime(s *snapshot, ttl time.Duration) time.Duration {
	if ttl == 0 {
		ttl = DefaultCatalogTTL
	}
	if !s.primary {
		return min(ttl, c.outageTTL)
	}
	return ttl
}
