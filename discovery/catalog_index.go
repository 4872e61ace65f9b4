package discovery

import (
	"sync"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/internal/modelid"
	"github.com/mesh-gateway/mesh-go/discovery/models"
)

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
