package models

import (
	"cmp"
	"encoding/json"
	"slices"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/internal/modelid"
	"github.com/mesh-gateway/mesh-go/discovery/internal/retirements"
	"github.com/mesh-gateway/mesh-go/internal/calendar"
)

// RetirementState classifies a model for [Registry.Check].
type RetirementState string

// The states.
const (
	// StateRetired means that the date has passed.
	StateRetired RetirementState = "retired"
	// StateRetiring means that the date is today or later.
	StateRetiring RetirementState = "retiring"
	// StateDeprecated means that the model will be retired, without a date yet.
	StateDeprecated RetirementState = "deprecated"
	// StateListed means that the model is known and has no date.
	StateListed RetirementState = "listed"
	// StateUnknown means that the model is not known. It may be misspelled, too new, or not exist.
	StateUnknown RetirementState = "unknown"
)

// RetirementStatus is the result of [Registry.Check].
type RetirementStatus struct {
	State RetirementState `json:"state"`
	// Date is YYYY-MM-DD in the states StateRetired and StateRetiring, else "".
	Date string `json:"date"`
	// Replacement is the model that the provider recommends, directly or through the replacement of a recommended one. It is not
	// deprecated and does not retire within 180 days of the day. "" means that no such model is known.
	Replacement string `json:"replacement"`
	// Matched is the id that was found, which may be another spelling of the given id or the name of its line. It is "" in the
	// state StateUnknown.
	Matched string `json:"matched"`
}

// Check returns the state of a model on a day. The model is found as described at [Registry]. A model that is not in the
// registry is StateListed if the official SDKs or the price table have its id, and StateUnknown otherwise. Replacements come
// from the built-in table; if one is deprecated, retired on the day or retires within 180 days of it, its own replacement is used.
func (r Registry) Check(p Provider, id string, day time.Time) RetirementStatus {
	key, ok := r.lookup(p, id)
	if !ok {
		return r.checkListed(p, id)
	}
	status := RetirementStatus{State: StateDeprecated, Matched: key.ID, Replacement: r.replacement(key, day)}
	date, err := time.Parse(time.DateOnly, r.dates[key])
	if err != nil {
		return status
	}
	status.State, status.Date = StateRetiring, r.dates[key]
	if calendar.Date(day).After(date) {
		status.State = StateRetired
	}
	return status
}

// CheckOn is Check for a model that is called on a platform: "bedrock", "vertex", "azure" or "openrouter", as in a record of calls; "" is
// the provider's own API. A platform sets its own dates, which are built in. The provider's dates and those in r do not apply there: a
// model without a date of the platform is StateListed or StateUnknown.
func (r Registry) CheckOn(platform string, p Provider, id string, day time.Time) RetirementStatus {
	if platform != "" {
		r = Registry{r.table().Platforms[platform], r.facts}
	}
	return r.Check(p, id, day)
}

// checkListed returns the status of a model without an entry in the registry.
func (r Registry) checkListed(p Provider, id string) RetirementStatus {
	p, table := modelid.Canonical(p), r.table()
	for _, name := range modelid.RulesOf(p).Spellings(id) {
		if key := (ModelKey{p, name}.internal()); table.Listed[key] || has(table.Dates, key) {
			return RetirementStatus{State: StateListed, Matched: name}
		}
	}
	return RetirementStatus{State: StateUnknown}
}

// replacementNotice is the time for which a replacement must be served. A shorter one would mean a second migration soon.
const replacementNotice = 180 * 24 * time.Hour

// isLasting reports whether a model has no known end until replacementNotice after the day.
func (r Registry) isLasting(p Provider, id string, day time.Time) bool {
	text, ok := r.RetirementDate(p, id)
	if !ok {
		return true
	}
	date, err := time.Parse(time.DateOnly, text)
	return err == nil && date.After(calendar.Date(day).Add(replacementNotice))
}

// replacement returns the first recommended model that is lasting, directly or through the replacement of one that is not.
func (r Registry) replacement(key retirements.Key, day time.Time) string {
	visited := map[retirements.Key]bool{}
	var follow func(retirements.Key) string
	follow = func(key retirements.Key) string {
		if visited[key] {
			return ""
		}
		visited[key] = true
		for _, id := range r.table().Replacements[key] {
			if r.isLasting(Provider(key.Provider), id, day) {
				return id
			}
			if id = follow(retirements.Key{Provider: key.Provider, ID: id}); id != "" {
				return id
			}
		}
		return ""
	}
	return follow(key)
}

// Retirement is a model with its date.
type Retirement struct {
	ModelKey
	// Date is the last day of the model, YYYY-MM-DD, in UTC.
	Date string
}

// retirementJSON is the JSON of a Retirement, which would otherwise be that of the embedded key.
type retirementJSON struct {
	Provider Provider `json:"provider"`
	ID       string   `json:"id"`
	Date     string   `json:"date"`
}

// MarshalJSON returns an object with provider, id and date.
func (r Retirement) MarshalJSON() ([]byte, error) {
	return json.Marshal(retirementJSON{r.Provider, r.ID, r.Date})
}

// UnmarshalJSON parses the form of MarshalJSON.
func (r *Retirement) UnmarshalJSON(data []byte) error {
	var fields retirementJSON
	if err := json.Unmarshal(data, &fields); err != nil {
		return err
	}
	*r = Retirement{ModelKey{fields.Provider, fields.ID}, fields.Date}
	return nil
}

// MarshalText returns the key and the date, for logs.
func (r Retirement) MarshalText() ([]byte, error) {
	return []byte(string(r.Provider) + "/" + r.ID + " " + r.Date), nil
}

// RetiringWithin returns the models that retire today, in UTC, or at most d later, ordered by date, provider and id. It does
// not return retired and deprecated models. d counts from the beginning of today: 24 hours include tomorrow. With a negative d
// the result is empty. A model and its dated build are two entries, as in the registry.
func (r Registry) RetiringWithin(d time.Duration) []Retirement {
	today := calendar.Date(time.Now())
	end := today.Add(d)
	var soon []Retirement
	for key, text := range r.All() {
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
