package models

import (
	"encoding/json"
	"iter"
	"maps"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/facts"
	"github.com/mesh-gateway/mesh-go/discovery/internal/modelid"
	"github.com/mesh-gateway/mesh-go/discovery/internal/retirements"
	"github.com/mesh-gateway/mesh-go/internal/calendar"
)

// Registry maps models to retirement dates: YYYY-MM-DD, or "deprecated" for a model
// that will be retired but has no date yet. It is immutable, and the zero Registry is
// empty. [Retirements] returns the built-in one. In JSON it is an object with keys such
// as "openai/gpt-4o".
//
// # Names
//
// Methods accept any spelling for provider and id. They look up the id unchanged, then
// in lower case without spaces, vendor prefix, variant (":free"), "-latest" and
// platform suffix, and with the provider's own dots and hyphens.
//
// They never use another build's date, because one model's builds retire on different
// days. Only if the provider retires a whole line (gemini-1.5-*, gpt-4o-audio-preview*,
// fine-tunes from gpt-4), builds without their own date have the line's. A fine-tune,
// such as ft:gpt-4-0613:acme::1, retires with its model's fine-tunes, not with the
// model.
//
// # Platforms
//
// The dates apply to the provider's own API. See [Registry.CheckOn] for Bedrock, Google
// Cloud and Azure.
type Registry struct {
	dates map[retirements.Key]string
	facts *retirements.Table // nil for one without replacements, lines and platforms
}

// Of returns the registry in facts. [Retirements] is the one in [facts.BuiltIn].
func Of(f *facts.Facts) Registry {
	table := retirements.Of(f)
	return Registry{table.Dates, table}
}

// Retirements returns the built-in registry, which was compiled from the providers'
// pages, their SDKs and public copies of both. See [RetirementsAsOf] for its age, and
// [github.com/mesh-gateway/mesh-go/discovery.Client.Retirements] for live dates.
func Retirements() Registry { return Of(facts.BuiltIn()) }

// RetirementsAsOf returns the day on which the built-in registry was last compared with
// its sources, YYYY-MM-DD.
func RetirementsAsOf() string { return Retirements().AsOf() }

// IsRetired is [Registry.IsRetired] for the built-in registry.
func IsRetired(p Provider, id string) bool { return Retirements().IsRetired(p, id) }

// IsRetiredOn is [Registry.IsRetiredOn] for the built-in registry.
func IsRetiredOn(p Provider, id string, day time.Time) bool {
	return Retirements().IsRetiredOn(p, id, day)
}

// RetirementDate is [Registry.RetirementDate] for the built-in registry.
func RetirementDate(p Provider, id string) (string, bool) {
	return Retirements().RetirementDate(p, id)
}

// With returns a registry in which entries replace r's dates. The date "" removes an
// entry. Replacements and platforms stay. The keys must be the providers' own ids.
func (r Registry) With(entries map[ModelKey]string) Registry {
	dates := maps.Clone(r.dates)
	if dates == nil {
		dates = make(map[retirements.Key]string, len(entries))
	}
	for key, date := range entries {
		if date == "" {
			delete(dates, key.internal())
		} else {
			dates[key.internal()] = date
		}
	}
	return Registry{dates, r.facts}
}

// All yields the entries in no particular order.
func (r Registry) All() iter.Seq2[ModelKey, string] {
	return func(yield func(ModelKey, string) bool) {
		for key, date := range r.dates {
			if !yield(ModelKey{Provider(key.Provider), key.ID}, date) {
				return
			}
		}
	}
}

// AsOf returns the day on which the dates were last compared with their sources,
// YYYY-MM-DD; "" if unknown.
func (r Registry) AsOf() string { return r.table().AsOf }

// MarshalJSON writes an object, {} for an empty registry.
func (r Registry) MarshalJSON() ([]byte, error) { return json.Marshal(maps.Collect(r.All())) }

// UnmarshalJSON reads the dates that MarshalJSON wrote. It doesn't restore replacements
// and platforms.
func (r *Registry) UnmarshalJSON(data []byte) error {
	var entries map[ModelKey]string
	if err := json.Unmarshal(data, &entries); err != nil {
		return err
	}
	*r = Registry{}.With(entries)
	return nil
}

// IsRetired reports whether today, in UTC, is after the model's date. Models without a
// date are not retired.
func (r Registry) IsRetired(p Provider, id string) bool { return r.IsRetiredOn(p, id, time.Now()) }

// IsRetiredOn reports whether day is after the model's date: on the date itself the
// model is still served. day counts in UTC: 23:00 on 30 November in New York is 1
// December. A malformed date counts as "deprecated".
func (r Registry) IsRetiredOn(p Provider, id string, day time.Time) bool {
	text, _ := r.RetirementDate(p, id)
	date, err := time.Parse(time.DateOnly, text)
	return err == nil && calendar.Date(day).After(date)
}

// RetirementDate returns the model's entry, YYYY-MM-DD or "deprecated", and reports
// whether it has one.
func (r Registry) RetirementDate(p Provider, id string) (string, bool) {
	key, ok := r.lookup(p, id)
	return r.dates[key], ok
}

func (r Registry) lookup(p Provider, id string) (retirements.Key, bool) {
	if key := (retirements.Key{Provider: string(p), ID: id}); has(r.dates, key) {
		return key, true
	}
	provider := string(modelid.Canonical(p))
	names, line := registeredNames(Provider(provider), id)
	for _, name := range names {
		if key := (retirements.Key{Provider: provider, ID: name}); has(r.dates, key) {
			return key, true
		}
	}
	if key := (retirements.Key{Provider: provider, ID: line}); r.table().Lines[key] && has(r.dates, key) {
		return key, true
	}
	return retirements.Key{}, false
}

var noFacts retirements.Table

func (r Registry) table() *retirements.Table {
	if r.facts == nil {
		return &noFacts
	}
	return r.facts
}

func has(m map[retirements.Key]string, key retirements.Key) bool {
	_, ok := m[key]
	return ok
}

// registeredNames returns names for exactly this model, and its line's name.
func registeredNames(p Provider, id string) (names []string, line string) {
	names = modelid.RulesOf(p).Spellings(id)
	if base, ok := modelid.FineTuneBase(names[len(names)-1]); ok && p == OpenAI {
		// OpenAI announces fine-tunes as ft-BASE, with dates that can differ from the base's.
		return append(names, "ft-"+modelid.Last(modelid.RulesOf(p).Spellings(base))), "ft-" + NormalizeModelID(p, base)
	}
	return names, NormalizeModelID(p, id)
}
