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

// snapshot is a catalog with its index. It is immutable, so readers need no lock.
type snapshot struct {
	models []ModelInfo
	// byName maps ids and aliases to indexes into models. An id precedes an alias, and the first of two aliases the second.
	byName map[string]int
	// bySpelling maps the plainer spellings of the ids (without vendor prefix, with the provider's own dots and hyphens, with
	// the build) to the same indexes. It is built when a name is first not found, which in most programs never happens.
	bySpelling func() map[string]int
	// primary reports whether the catalog itself is the source, and not a substitute.
	primary bool
	etag    string
	readAt  time.Time // of a primary snapshot
	// unreadable is the number of rows that were left out.
	unreadable int
	// failures are why models are missing or the snapshot is a substitute. With WithStrictErrors every caller gets them.
	failures []*Failure
}

// newSnapshot merges rows of the same id and builds the index. It writes into rows.
func newSnapshot(rows []ModelInfo) *snapshot {
	s := &snapshot{models: rows[:0], byName: make(map[string]int)}
	for i := range rows {
		s.add(&rows[i])
	}
	for i := range s.models { // once, after all rows are merged, so that the work stays linear
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

// add appends a row, or merges it into the row of the same id.
func (s *snapshot) add(row *ModelInfo) {
	if i, listed := s.byName[row.ID]; listed {
		s.models[i].merge(*row)
		return
	}
	s.byName[row.ID] = len(s.models)
	s.models = append(s.models, *row)
}

// indexSpellings builds bySpelling. A spelling that two models share belongs to the first.
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

// find returns the model of an id or alias, or nil. An id that is not listed is tried in its other spellings, then in its
// normalized form, which drops the build, then with the provider's rewrites, and only a listed name is accepted. The spellings
// come first: a listed build must not be replaced by another.
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

// named returns the model of exactly that name or spelling if the provider develops it; "" is any provider.
func (s *snapshot) named(provider models.Provider, name string) *ModelInfo {
	if i, ok := s.byName[name]; ok && s.developedBy(provider, i) {
		return &s.models[i]
	}
	if provider == "" {
		return nil // the spelling rules are those of a provider
	}
	if i, ok := s.bySpelling()[name]; ok && s.developedBy(provider, i) {
		return &s.models[i]
	}
	return nil
}

func (s *snapshot) developedBy(provider models.Provider, i int) bool {
	return provider == "" || developedBy(provider, s.models[i].Developer)
}
