package models

import (
	"encoding/json"
	"maps"
	"strings"
	"sync"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/internal/modelid"
	"github.com/mesh-gateway/mesh-go/discovery/internal/retirements"
	"github.com/mesh-gateway/mesh-go/internal/calendar"
)

// ModelKey identifies a model of a provider. It is the key of a [Registry]. As text and in JSON it is "openai/gpt-4o".
type ModelKey struct {
	Provider Provider
	// ID is the provider's own id, including the build if it has one, as in "gpt-4o-2024-05-13".
	ID string
}

// MarshalText returns the provider and the id, separated by a slash.
func (k ModelKey) MarshalText() ([]byte, error) { return []byte(string(k.Provider) + "/" + k.ID), nil }

// UnmarshalText parses the form of MarshalText. Text without a slash or with an unknown provider is a [*ValueError].
func (k *ModelKey) UnmarshalText(text []byte) error {
	name, id, found := strings.Cut(string(text), "/")
	p := modelid.Lookup(name)
	switch {
	case !found:
		return invalid("text", string(text), "must be provider/id")
	case p == nil:
		return invalid("text", name, modelid.Unknown())
	}
	*k = ModelKey{Provider: Provider(p.ID), ID: id}
	return nil
}

// Registry maps models to retirement dates: YYYY-MM-DD, or "deprecated" for a model that will be retired but has no date yet. A
// model that is not in it has no known date. In JSON it is an object with keys such as "openai/gpt-4o".
//
// Its methods accept any spelling of provider and id. They look up the id unchanged, then in lower case without blanks, vendor
// prefix, variant (":free"), "-latest" and platform suffix, and with the provider's own dots and hyphens. They never use the
// date of another build, because builds of a model retire on different days. The exception is a line that the provider retires
// as a whole (gemini-1.5-*, gpt-4o-audio-preview*, fine-tunes of gpt-4): its builds without their own date have the date of the
// line. A fine-tune, such as ft:gpt-4-0613:acme::1, retires with the fine-tunes of its model, not with the model.
//
// The dates apply to the provider's own API. [Registry.CheckOn] has those of platforms, such as Bedrock and Google Cloud.
//
// The methods only read. The nil Registry is empty.
type Registry map[ModelKey]string

// MarshalJSON writes the nil Registry as {}, never null.
func (r Registry) MarshalJSON() ([]byte, error) {
	type plain Registry
	if r == nil {
		r = Registry{}
	}
	return json.Marshal(plain(r))
}

// Deprecated is the entry of a model that will be retired and has no date yet.
const Deprecated = "deprecated"

// retirementTable is the built-in table.
type retirementTable struct {
	registry Registry
	// lines has the ids whose date holds for builds without a row of their own.
	lines        map[ModelKey]bool
	replacements map[ModelKey][]string
	// listed has the models that have a row without a date.
	listed map[ModelKey]bool
	// platforms has the dates of each platform.
	platforms map[string]Registry
}

// builtIn parses the built-in table when it is first used.
var builtIn = sync.OnceValue(func() retirementTable {
	t := retirementTable{Registry{}, map[ModelKey]bool{}, map[ModelKey][]string{}, map[ModelKey]bool{}, map[string]Registry{}}
	for _, row := range retirements.Rows() {
		key := ModelKey{Provider(row.Provider), row.ID}
		if row.Platform != "" {
			if t.platforms[row.Platform] == nil {
				t.platforms[row.Platform] = Registry{}
			}
			t.platforms[row.Platform][key] = row.Date
			continue
		}
		if row.Date == "" {
			t.listed[key] = true
			continue
		}
		t.registry[key], t.replacements[key] = row.Date, row.Replacements
		if row.WholeLine {
			t.lines[key] = true
		}
	}
	return t
})

// Retirements returns a copy of the built-in registry, which was compiled from the providers' pages, their SDKs and public
// copies of both. See [RetirementsAsOf] for its age and [github.com/mesh-gateway/mesh-go/discovery.Client.Retirements] for current data.
func Retirements() Registry { return maps.Clone(builtIn().registry) }

// RetirementsAsOf returns the day on which the built-in registry was last compared with its sources, YYYY-MM-DD.
func RetirementsAsOf() string { return retirements.AsOf() }

// IsRetired reports whether today, in UTC, is after the model's date in the built-in registry. See [Registry.IsRetired].
func IsRetired(p Provider, id string) bool { return builtIn().registry.IsRetired(p, id) }

// IsRetiredOn is IsRetired for the given day. See [Registry.IsRetiredOn].
func IsRetiredOn(p Provider, id string, day time.Time) bool {
	return builtIn().registry.IsRetiredOn(p, id, day)
}

// RetirementDate returns the entry of the model in the built-in registry. See [Registry.RetirementDate].
func RetirementDate(p Provider, id string) (string, bool) {
	return builtIn().registry.RetirementDate(p, id)
}

// IsRetired reports whether today, in UTC, is after the model's date. Models without a date are not retired.
func (r Registry) IsRetired(p Provider, id string) bool { return r.IsRetiredOn(p, id, time.Now()) }

// IsRetiredOn reports whether day is after the model's date. On the date itself the model is not yet retired. The date of day
// in UTC is used: 23:00 on 30 November in New York is 1 December. A malformed date counts as "deprecated".
func (r Registry) IsRetiredOn(p Provider, id string, day time.Time) bool {
	text, _ := r.RetirementDate(p, id)
	date, err := time.Parse(time.DateOnly, text)
	return err == nil && calendar.Date(day).After(date)
}

// RetirementDate returns the entry of the model, YYYY-MM-DD or "deprecated", and reports whether there is one.
func (r Registry) RetirementDate(p Provider, id string) (string, bool) {
	key, ok := r.lookup(p, id)
	return r[key], ok
}

// lookup returns the key of a model in any spelling.
func (r Registry) lookup(p Provider, id string) (ModelKey, bool) {
	if key := (ModelKey{p, id}); has(r, key) {
		return key, true
	}
	p = modelid.Canonical(p)
	names, line := registeredNames(p, id)
	for _, name := range names {
		if key := (ModelKey{p, name}); has(r, key) {
			return key, true
		}
	}
	if key := (ModelKey{p, line}); builtIn().lines[key] && has(r, key) {
		return key, true
	}
	return ModelKey{}, false
}

func has[V any](m map[ModelKey]V, key ModelKey) bool {
	_, ok := m[key]
	return ok
}

// registeredNames returns the names under which a registry may have exactly this model, and the name of its line.
func registeredNames(p Provider, id string) (names []string, line string) {
	names = modelid.RulesOf(p).Spellings(id)
	if base, ok := modelid.FineTuneBase(names[len(names)-1]); ok && p == OpenAI {
		// OpenAI announces fine-tunes as ft-BASE, with dates that can differ from the base's.
		return append(names, "ft-"+modelid.Last(modelid.RulesOf(p).Spellings(base))), "ft-" + NormalizeModelID(p, base)
	}
	return names, NormalizeModelID(p, id)
}
