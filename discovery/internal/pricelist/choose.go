package pricelist

import "time"

// Kind is what a row has the prices of: the tokens of a modality, "" for text, in a mode, "" for standard requests.
type Kind struct{ Mode, Modality string }

// InForce returns the row of a kind that bills a request: first the rows in force at the time, then the one with the highest
// threshold that the prompt reaches, and of several the first. missing is what is not known: "period" or "tier"; "" when there
// is a row.
func InForce(rows []Row, kind Kind, at time.Time, prompt int64) (row *Row, missing string) {
	missing = "period"
	for i := range rows {
		r := &rows[i]
		switch {
		case r.Kind != kind || !r.ValidAt(at):
			continue
		case prompt < r.MinPrompt:
			if row == nil {
				missing = "tier"
			}
		case row == nil || r.MinPrompt > row.MinPrompt:
			row, missing = r, ""
		}
	}
	return row, missing
}

// ValidAt reports whether the row is in force at a time.
func (r *Row) ValidAt(at time.Time) bool { return ValidAt(r.From, r.Until, at) }

// ValidAt reports whether a time is in a period. The end is exclusive, and the zero time is an open end.
func ValidAt(from, until, at time.Time) bool {
	return (from.IsZero() || !at.Before(from)) && (until.IsZero() || at.Before(until))
}

// SetLive makes the row one of a live list, which is in force from a time until another one.
func (r *Row) SetLive(from, until time.Time) {
	r.Live = true
	if r.From.Before(from) {
		r.From = from
	}
	if r.Until.IsZero() || until.Before(r.Until) {
		r.Until = until
	}
}

// ParseTime reads a date, which begins at 00:00 UTC, or an RFC 3339 time. "" is the zero time, an open end of a period.
func ParseTime(text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if day, err := time.Parse(time.DateOnly, text); err == nil {
		return day, nil
	}
	return time.Parse(time.RFC3339, text)
}

// FormatTime is the reverse of ParseTime. The first moment of a UTC day is a date.
func FormatTime(t time.Time) string {
	switch t = t.UTC(); {
	case t.IsZero():
		return ""
	case t.Equal(t.Truncate(24 * time.Hour)):
		return t.Format(time.DateOnly)
	}
	return t.Format(time.RFC3339)
}

// SettleBy takes over a price of the table if the live row has nearly the same one, or if it lacks that price and agrees with the
// table on the prices of input and output that it has.
func (r *Row) SettleBy(table *Row) {
	agrees := r.Priced() && (r.Input == nil || near(r.Input, table.Input)) && (r.Output == nil || near(r.Output, table.Output))
	listed := table.prices()
	for i, live := range r.prices() {
		if near(*live, *listed[i]) || (agrees && *live == nil) {
			*live = *listed[i]
		}
	}
}
