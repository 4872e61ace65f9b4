package discovery

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/internal/modelid"
)

// ModelKey is a model of a provider, the key of a [Registry] (SPEC.md, "Retirement registry").
type ModelKey struct {
	Provider Provider `json:"provider"`
	// ID is the id the provider itself uses, build included where it has one: "gpt-4o-2024-05-13".
	ID string `json:"id"`
}

// Registry says when models retire: the date as YYYY-MM-DD, or "deprecated" where a model is on its way out, is still
// served and has no date. A model that is not in it has no date that is known (SPEC.md, "Retirement registry").
//
// Its methods find an id under any spelling of provider and id: as given first, then without case, blanks, vendor prefix,
// variant (":free"), "-latest" and platform suffix, with the dots and hyphens the provider uses. Never by another build: a build, in
// whatever notation, has its own date or none, because builds of a model retire on different days and after them the id
// without build still works. The exception is a line of which the provider has said that all of it goes (gemini-1.5-*,
// gpt-4o-audio-preview*, fine-tunes of gpt-4): there a build without a date of its own has that of the line. A fine-tune,
// ft:gpt-4-0613:acme::1, retires with the fine-tunes of its model, and not with the model.
//
// The dates are those of the provider's own API; Bedrock and Google Cloud keep their own.
//
// The methods only read, and are safe for concurrent use as long as nobody writes. The nil Registry is empty.
type Registry map[ModelKey]string

// deprecated is what stands in place of a date.
const deprecated = "deprecated"

// Retirement is one model that is about to go.
type Retirement struct {
	ModelKey
	// Date is the last day on which the model is there, YYYY-MM-DD, in UTC.
	Date string `json:"date"`
}

// IsRetired says whether the built-in registry has a date for the model and today, in UTC, is after it. See
// [Registry.IsRetired]; Client.Retirements knows what the providers say today. It is safe for concurrent use.
func IsRetired(p Provider, id string) bool { return builtIn().registry.IsRetired(p, id) }

// IsRetiredOn is [IsRetired] for another day than today. See [Registry.IsRetiredOn].
func IsRetiredOn(p Provider, id string, day time.Time) bool {
	return builtIn().registry.IsRetiredOn(p, id, day)
}

// RetirementDate returns what the built-in registry has for the model. See [Registry.RetirementDate].
func RetirementDate(p Provider, id string) (string, bool) {
	return builtIn().registry.RetirementDate(p, id)
}

// Retirements returns a copy of the built-in registry: what the providers' pages, and public copies of them, said in
// November 2026. It asks nobody. The caller may write into the copy. It is safe for concurrent use.
func Retirements() Registry { return maps.Clone(builtIn().registry) }

// IsRetired says whether the model has a date and today, in UTC, is after it (SPEC.md, is_retired). A model without a date,
// a deprecated one and an unknown provider's are not retired.
func (r Registry) IsRetired(p Provider, id string) bool { return r.IsRetiredOn(p, id, time.Now()) }

// IsRetiredOn says whether the model has a date that lies before day (SPEC.md, "Model retirement status"). On the date
// itself it is not retired yet. What counts is the calendar date of day in UTC, whatever its zone: 23:00 on 30 November in
// New York is 1 December. A date that is none counts as deprecated.
func (r Registry) IsRetiredOn(p Provider, id string, day time.Time) bool {
	text, _ := r.RetirementDate(p, id)
	date, err := time.Parse(time.DateOnly, text)
	return err == nil && dayOf(day).After(date)
}

// RetirementDate returns the model's date as YYYY-MM-DD, or "deprecated", and whether it has one (SPEC.md,
// retirement_date). Registry says how the model is found.
func (r Registry) RetirementDate(p Provider, id string) (string, bool) {
	if date, ok := r[ModelKey{p, id}]; ok {
		return date, true
	}
	p = p.canonical()
	names, line := registeredNames(p, id)
	for _, name := range names {
		if date, ok := r[ModelKey{p, name}]; ok {
			return date, true
		}
	}
	if key := (ModelKey{p, line}); builtIn().lines[key] {
		date, ok := r[key]
		return date, ok
	}
	return "", false
}

// registeredNames lists the names under which a registry may have exactly this model, and the name of its line.
func registeredNames(p Provider, id string) (names []string, line string) {
	names = dialect(p).Spellings(id)
	if base, ok := modelid.FineTuneBase(names[len(names)-1]); ok && p == OpenAI {
		// OpenAI announces fine-tunes as ft-BASE, with dates that can differ from the base's.
		return append(names, "ft-"+modelid.Last(dialect(p).Spellings(base))), "ft-" + NormalizeModelID(p, base)
	}
	return names, NormalizeModelID(p, id)
}

// RetiringWithin lists what is about to go: the models whose date is today, in UTC, or at most d after it, soonest first
// and within a day by provider and id. What is retired or merely deprecated is not in it. d counts from the beginning of
// today, so 24 hours reach to tomorrow and 60*24 hours to the day 60 days from now; below 0 nothing is listed. A model
// and its dated build are two entries, as they are in the registry.
func (r Registry) RetiringWithin(d time.Duration) []Retirement {
	today := dayOf(time.Now())
	end := today.Add(d)
	var soon []Retirement
	for key, text := range r {
		date, err := time.Parse(time.DateOnly, text)
		if err == nil && !date.Before(today) && !date.After(end) {
			soon = append(soon, Retirement{ModelKey: key, Date: text})
		}
	}
	slices.SortFunc(soon, func(a, b Retirement) int {
		return cmp.Or(cmp.Compare(a.Date, b.Date), cmp.Compare(a.Provider, b.Provider), cmp.Compare(a.ID, b.ID))
	})
	return soon
}

// merge returns r with what the providers say live. They know better than any table: where both have an entry, the live
// one counts, also when it says deprecated and the other a date. The live entries have to be keyed by the providers' own
// ids and hold dates as a Registry does. Neither registry is changed.
func (r Registry) merge(live Registry) Registry {
	merged := maps.Clone(r)
	maps.Copy(merged, live)
	return merged
}

// dayOf is the calendar date of t in UTC.
func dayOf(t time.Time) time.Time {
	y, m, d := t.UTC().Date()
	return time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
}
