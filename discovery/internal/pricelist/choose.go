package pricelist

import "time"

// InForce returns the row that bills a request: first the rows in force on the UTC day of at, then the one with the highest
// threshold below the length of the prompt. missing names what is not known: "period" or "tier"; "" when there is a row.
func InForce(rows []Row, at time.Time, prompt int64) (row *Row, missing string) {
	day := DayOf(at)
	missing = "period"
	for i := range rows {
		r := &rows[i]
		switch {
		case !r.ValidOn(day):
			continue
		case !r.Holds(prompt):
			if row == nil {
				missing = "tier"
			}
		case row == nil || r.Above > row.Above:
			row, missing = r, ""
		}
	}
	return row, missing
}

// Holds reports whether the row is for prompts of that length.
func (r *Row) Holds(prompt int64) bool { return r.Above == 0 || prompt > r.Above }

// ValidOn reports whether the row is in force on a day. Dates compare as their texts do.
func (r *Row) ValidOn(day Day) bool {
	return (r.ValidFrom == "" || day.compare(r.ValidFrom) >= 0) && (r.ValidUntil == "" || day.compare(r.ValidUntil) < 0)
}

// Day is a UTC date as text, in an array so that making one allocates nothing.
type Day [len(time.DateOnly)]byte

// DayOf returns the UTC date of t. Years beyond 9999 become the last date there is, and those before 0 the first.
func DayOf(t time.Time) Day {
	year, month, day := t.UTC().Date()
	switch {
	case year > 9999:
		year, month, day = 9999, time.December, 31
	case year < 0:
		year, month, day = 0, time.January, 1
	}
	return Day{
		digit(year / 1000), digit(year / 100), digit(year / 10), digit(year), '-',
		digit(int(month) / 10), digit(int(month)), '-', digit(day / 10), digit(day),
	}
}

func digit(n int) byte { return '0' + byte(n%10) } //nolint:gosec // a digit

func (d Day) compare(date string) int {
	for i := range min(len(d), len(date)) {
		if d[i] != date[i] {
			return int(d[i]) - int(date[i])
		}
	}
	return len(d) - len(date)
}

// SettleBy takes over a price of the table if the live row has nearly the same one, or if it lacks that price and agrees with the
// table on the prices of input and output that it has.
func (r *Row) SettleBy(table *Row) {
	agrees := r.Priced() && (!r.Input.Known() || r.Input.Near(table.Input)) && (!r.Output.Known() || r.Output.Near(table.Output))
	settle := func(live *Price, listed Price) {
		if live.Near(listed) || (agrees && !live.Known()) {
			*live = listed
		}
	}
	settle(&r.Input, table.Input)
	settle(&r.Output, table.Output)
	settle(&r.CacheRead, table.CacheRead)
	settle(&r.CacheWrite5m, table.CacheWrite5m)
	settle(&r.CacheWrite1h, table.CacheWrite1h)
}
