package report

import (
	"time"

	"github.com/mesh-gateway/mesh-go/internal/argument"
	"github.com/mesh-gateway/mesh-go/internal/calendar"
)

// ValueError reports an invalid argument. Its fields are Field, Value and Reason: the Go name of the argument, what it is, and what it
// must be. It matches client.ErrMesh, and is the type that packages client and discovery have under the same name.
type ValueError = argument.ValueError

func invalid(field, reason string) error { return argument.New("report", field, "", reason) }

const (
	// defaultDays is the length of the default period: with 28 days, both periods have four of each weekday.
	defaultDays = 28
	day         = 24 * time.Hour
)

// window is which calls are in which period.
type window struct {
	now time.Time
	// today is the day of now, in days since 1970.
	today             int64
	current, previous Period
	// chosen reports whether the caller chose the period.
	chosen bool
	// historyBegin is the first day whose cost is kept. A clock of 1970 is before it.
	historyBegin int64
}

// newWindow returns the periods of the options.
func newWindow(o *Options) (window, error) {
	now := o.Now
	if now.IsZero() {
		now = time.Now()
	}
	w := window{now: now.UTC(), today: calendar.DayNumber(now), chosen: !o.From.IsZero() || !o.To.IsZero()}
	for _, at := range []struct {
		field string
		time  time.Time
	}{{"Now", w.now}, {"From", o.From}, {"To", o.To}} {
		if year := at.time.UTC().Year(); year < 1 || year > 9999 { // which JSON cannot have
			return w, invalid(at.field, "must be a time of the years 1 to 9999")
		}
	}
	from, to := o.From.UTC(), o.To.UTC()
	switch midnight := calendar.Date(now); {
	case !w.chosen:
		from, to = midnight.AddDate(0, 0, -defaultDays), midnight
	case o.To.IsZero():
		to = midnight.AddDate(0, 0, 1)
	case o.From.IsZero():
		from = to.AddDate(0, 0, -defaultDays)
	}
	if !from.Before(to) {
		return w, invalid("To", "must be after From")
	}
	w.set(from, to)
	w.historyBegin = min(w.today, calendar.DayNumber(w.previous.From)) - historyDays
	return w, nil
}

// set sets the period, and the one before, which is as long.
func (w *window) set(from, to time.Time) {
	w.current = w.period(from, to)
	earlier := time.Unix(2*from.Unix()-to.Unix(), int64(2*from.Nanosecond()-to.Nanosecond())).UTC() // a time.Duration ends after 292 years
	if calendar.Date(from).Equal(from) && !to.Before(from.AddDate(0, 0, w.current.Days).Add(-1)) {
		earlier = from.AddDate(0, 0, -w.current.Days)
	}
	if earlier.Year() < 1 {
		earlier = time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	w.previous = w.period(earlier, from)
}

func (w *window) period(from, to time.Time) Period {
	days := 0
	if from.Before(to) {
		days = int(calendar.DayNumber(to.Add(-1))-calendar.DayNumber(from)) + 1
	}
	return Period{From: from, To: to, Days: days, Running: to.After(w.now)}
}

// has reports whether a time is in a period.
func (p *Period) has(at time.Time) bool { return !at.Before(p.From) && at.Before(p.To) }

// dayText returns a number of days since 1970 as a date.
func dayText(number int64) string { return dayTime(number).Format(time.DateOnly) }

func dayTime(number int64) time.Time { return time.Unix(number*calendar.SecondsPerDay, 0).UTC() }
