package discovery

import (
	"sync"
	"time"
)

// snapshot is a catalog with its index. It is never changed once made, so any number of readers need no lock.
type snapshot struct {
	models []ModelInfo
	// byName leads from an id or an alias to the place in models. An id comes before an alias, and of two aliases the
	// first one listed.
	byName map[string]int
	// bySpelling leads from the plainer spellings of the ids (without vendor prefix, with the provider's own dots and
	// hyphens, build and all) to the same places. It is made when a name is first not found: most never ask for it.
	bySpelling func() map[string]int
	// primary is whether the catalog itself answered; otherwise this is what took its place.
	primary bool
	etag    string
	readAt  time.Time
	// failure is what strict callers get together with the models.
	failure error
}

// newSnapshot merges rows of the same id and builds the index.
func newSnapshot(rows []ModelInfo) *snapshot {
	s := &snapshot{byName: make(map[string]int, 2*len(rows)), models: mergedByID(rows)}
	for i := range s.models {
		s.byName[s.models[i].ID] = i
	}
	for i := range s.models {
		for _, alias := range s.models[i].Aliases {
			if _, taken := s.byName[alias]; !taken && alias != "" {
				s.byName[alias] = i
			}
		}
	}
	s.bySpelling = sync.OnceValue(s.spell)
	return s
}

// mergedByID makes one row of those that share an id, in the place of the first. It writes into rows.
func mergedByID(rows []ModelInfo) []ModelInfo {
	at := make(map[string]int, len(rows))
	distinct := rows[:0]
	for _, row := range rows {
		if i, listed := at[row.ID]; listed {
			distinct[i].merge(row)
			continue
		}
		at[row.ID] = len(distinct)
		distinct = append(distinct, row)
	}
	return distinct
}

// spell makes the index of plainer spellings. The first model listed keeps one that two share.
func (s *snapshot) spell() map[string]int {
	index := make(map[string]int)
	for i := range s.models {
		provider, err := ParseProvider(s.models[i].Developer)
		if err != nil {
			continue
		}
		for _, name := range dialect(provider).Spellings(s.models[i].ID) {
			if _, taken := index[name]; !taken {
				index[name] = i
			}
		}
	}
	return index
}

// find returns the model of an id or alias, or nil. An id that is not listed is tried in its other spellings, then in its
// normalized form, which drops the build, then with the provider's rewrites, and only a listed name is accepted. The spellings
// come first: a build that is listed must not be answered with another.
func (s *snapshot) find(provider Provider, id string) *ModelInfo {
	if m := s.named(provider, id); m != nil {
		return m
	}
	for i := range providers {
		row := &providers[i]
		if provider != "" && row != lookupProvider(string(provider)) {
			continue
		}
		names := append(append(row.ids.Spellings(id), row.ids.Normalize(id)), row.ids.Rewrites(id)...)
		for _, name := range names {
			if m := s.named(row.provider, name); m != nil {
				return m
			}
		}
	}
	return nil
}

// named returns the model of exactly that name, or spelling, if the provider (any, when it is "") develops it.
func (s *snapshot) named(provider Provider, name string) *ModelInfo {
	if i, ok := s.byName[name]; ok && s.developedBy(provider, i) {
		return &s.models[i]
	}
	if provider == "" {
		return nil // a plainer spelling means something for a provider only
	}
	if i, ok := s.bySpelling()[name]; ok && s.developedBy(provider, i) {
		return &s.models[i]
	}
	return nil
}

func (s *snapshot) developedBy(provider Provider, i int) bool {
	return provider == "" || developedBy(provider, s.models[i].Developer)
}
