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
	// StateUnknown means that the model is unknown: misspelled, too new, or nonexistent.
	StateUnknown RetirementState = "unknown"
)

// RetirementStatus is returned by [Registry.Check].
type RetirementStatus struct {
	State RetirementState `json:"state"`
	// Date is YYYY-MM-DD in the states StateRetired and StateRetiring, else "".
	Date string `json:"date"`
	// Replacement is the model that the provider recommends, directly or as the
	// replacement for a recommended one. It isn't deprecated, and doesn't retire within
	// 180 days after the day. "" means that no such model is known.
	Replacement string `json:"replacement"`
	// Matched is the id found, which may be another spelling or the line's name. It is ""
	// in StateUnknown.
	Matched string `json:"matched"`
}

// Check returns a model's state on a day. [Registry] describes how the model is found.
//
// A model not in the registry is StateListed if the official SDKs or the price table
// have its id, and StateUnknown otherwise. Replacements come from the built-in table.
// If one is deprecated, or retires before or within 180 days after the day, its own
// replacement is used.
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

// CheckOn is Check for a model called on a platform: "bedrock", "vertex", "azure" or
// "openrouter", as in call records; "" is the provider's own API.
//
// A platform sets its own dates, which are built in. The provider's dates and those in
// r do not apply there: a model without a platform date is StateListed or StateUnknown.
func (r Registry) CheckOn(platform string, p Provider, id string, day time.Time) RetirementStatus {
	if platform != "" {
		r = Registry{r.table().Platforms[platform], r.facts}
	}
	return r.Check(p, id, day)
}

// checkListed is for models without an entry in the registry.
func (r Registry) checkListed(p Provider, id string) RetirementStatus {
	p, table := modelid.Canonical(p), r.table()
	for _, name := range modelid.RulesOf(p).Spellings(id) {
		if key := (ModelKey{p, name}.internal()); table.Listed[key] || has(table.Dates, key) {
			return RetirementStatus{State: StateListed, Matched: name}
		}
	}
	return RetirementStatus{State: StateUnknown}
}

// replacementNotice is how long a replacement must be served. Less would mean a second
// migration soon.
const replacementNotice = 180 * 24 * time.Hour

// isLasting reports whether the model has no known end until replacementNotice after
// day.
func (r Registry) isLasting(p Provider, id string, day time.Time) bool {
	text, ok := r.RetirementDate(p, id)
	if !ok {
		return true
	}
	date, err := time.Parse(time.DateOnly, text)
	return err == nil && date.After(calendar.Date(day).Add(replacementNotice))
}

// replacement returns the first lasting model among the recommended ones. If one isn't
// lasting, it tries that model's replacements.
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
	// Date is the model's last day, YYYY-MM-DD, in UTC.
	Date string
}

// retirementJSON makes the JSON an object; MarshalText would make it a string.
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

// RetiringWithin returns models that retire today, in UTC, or at most d later, ordered
// by date, provider and id. Retired and deprecated models are left out. A model and its
// dated build are two entries, as in the registry.
//
// d counts from 00:00 today: 24 hours include tomorrow. With a negative d the result is
// empty.
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
