package discovery

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/internal/modelid"
	"github.com/mesh-gateway/mesh-go/discovery/models"
)

// CatalogOptions selects models and limits the catalog's age. The zero value is valid.
type CatalogOptions struct {
	// Provider selects one developer's models. If "", all models are selected.
	Provider models.Provider
	// TTL is the catalog's maximum age. 0 means [DefaultCatalogTTL]. To force a request,
	// set Refresh.
	TTL time.Duration
	// Refresh requests the catalog again, whatever its age.
	Refresh bool
}

func (o CatalogOptions) check() error {
	if o.Provider != "" && modelid.Lookup(o.Provider) == nil {
		return invalid("Provider", string(o.Provider), modelid.Unknown())
	}
	return notNegative("TTL", o.TTL)
}

// ListModels returns models in the catalog's order. If no models are known, the list is
// empty, never nil.
//
// If the catalog is unavailable, the providers' own lists replace it, with keys from
// [WithKey] or the environment. If ctx ends first, the last good catalog is used. Each
// step is reported as a [Failure].
//
// If the provider is unknown or TTL is negative, ListModels returns a [*ValueError].
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

// IsModelSupported reports whether the catalog lists a model. It looks it up like
// [Client.GetModelInfo].
func (c *Client) IsModelSupported(ctx context.Context, id string, opts CatalogOptions) (bool, error) {
	m, err := c.find(ctx, "IsModelSupported", id, opts)
	return m != nil, err
}

// GetModelInfo returns the catalog row for an id or alias, or nil.
//
// If id isn't listed, it's tried in the provider's own spelling, and then without its
// build. So the row's ID may differ from id, and its limits may apply to another build.
// An unlisted build matches only if its date is valid and not in the future. The empty id
// matches nothing and sends no request.
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

// InvalidateCatalog makes the next call request the catalog. If that fails, the last good
// catalog is still used.
func (c *Client) InvalidateCatalog() {
	if c != nil {
		c.catalog.current.Invalidate()
	}
}

// snapshot returns the cached catalog if it's fresh, or else requests a new one. The
// error is nil unless [WithStrictErrors] is set.
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
			_ = c.report(ctx, f.of(operation)) // the snapshot has the error, too
		}
	}
	var errs []error
	for _, f := range s.failures {
		errs = append(errs, c.strictError(f.of(operation)))
	}
	return s, errors.Join(errs...)
}

func (c *Client) lifetime(s *snapshot, ttl time.Duration) time.Duration {
	if ttl == 0 {
		ttl = DefaultCatalogTTL
	}
	if !s.primary {
		return min(ttl, c.outageTTL)
	}
	return ttl
}

// snapshot is a catalog with its index. It's immutable, so readers need no lock.
type snapshot struct {
	models []ModelInfo
	// byName maps ids and aliases to indexes in models. Ids take precedence over aliases,
	// and earlier aliases over later ones.
	byName map[string]int
	// bySpelling maps simpler spellings of ids (no vendor prefix, the provider's dots and
	// hyphens, with the build) to indexes. It's built when a name is first not found,
	// which rarely happens.
	bySpelling func() map[string]int
	// primary is false if the source isn't the catalog but a substitute.
	primary bool
	etag    string
	readAt  time.Time // of a primary snapshot
	// unreadable counts skipped rows.
	unreadable int
	// failures explain missing models or the substitute. With WithStrictErrors, every
	// caller gets them.
	failures []*Failure
}

// newSnapshot merges rows with the same id and builds the index. It modifies rows.
func newSnapshot(rows []ModelInfo) *snapshot {
	s := &snapshot{models: rows[:0], byName: make(map[string]int)}
	for i := range rows {
		s.add(&rows[i])
	}
	for i := range s.models { // once, after merging, to stay linear
		m := &s.models[i]
		m.Aliases, m.Tags = unique(m.Aliases), unique(m.Tags)
		for _, alias := range m.Aliases {
			if _, taken := s.byName[alias]; !taken && alias != "" {
				s.byName[alias] = i
			}
		}
	}
	s.bySpelling = sync.OnceValue(s.indexSpellings)
	return s
}

// add appends a row, or merges it with the row that has the same id.
func (s *snapshot) add(row *ModelInfo) {
	if i, listed := s.byName[row.ID]; listed {
		s.models[i].merge(*row)
		return
	}
	s.byName[row.ID] = len(s.models)
	s.models = append(s.models, *row)
}

// indexSpellings builds bySpelling. If two models share a spelling, the first keeps it.
func (s *snapshot) indexSpellings() map[string]int {
	index := make(map[string]int)
	for i := range s.models {
		p := modelid.Lookup(s.models[i].Developer)
		if p == nil {
			continue
		}
		for _, name := range p.Rules.Spellings(s.models[i].ID) {
			if _, taken := index[name]; !taken {
				index[name] = i
			}
		}
	}
	return index
}

// find returns a model by id or alias, or nil. It tries the name itself, other spellings,
// the normalized form (which drops the build), and the provider's rewrites, and accepts
// only listed names. Spellings come first, because a listed build must not be replaced by
// another.
func (s *snapshot) find(provider models.Provider, id string) *ModelInfo {
	if m := s.named(provider, id); m != nil {
		return m
	}
	for _, p := range modelid.Providers() {
		if provider != "" && p != modelid.Lookup(provider) {
			continue
		}
		for _, name := range p.Rules.Candidates(id, time.Now()) {
			if m := s.named(models.Provider(p.ID), name); m != nil {
				return m
			}
		}
	}
	return nil
}

// named finds a model by its exact name or spelling. If provider is "", any provider will
// do.
func (s *snapshot) named(provider models.Provider, name string) *ModelInfo {
	if i, ok := s.byName[name]; ok && s.developedBy(provider, i) {
		return &s.models[i]
	}
	if provider == "" {
		return nil // spelling rules depend on the provider
	}
	if i, ok := s.bySpelling()[name]; ok && s.developedBy(provider, i) {
		return &s.models[i]
	}
	return nil
}

func (s *snapshot) developedBy(provider models.Provider, i int) bool {
	return provider == "" || developedBy(provider, s.models[i].Developer)
}
