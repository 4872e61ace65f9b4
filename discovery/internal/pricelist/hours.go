package pricelist

import (
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/internal/tables"
	"github.com/mesh-gateway/mesh-go/internal/calendar"
)

const (
	peak    = "peak"
	offPeak = "off-peak"
)

// hours tells when a mode applies. At all other times in the period, otherMode applies.
type hours struct {
	Scope

	mode, otherMode    string
	from, to           time.Duration // since 00:00 UTC
	weekends, holidays bool
}

func readHours(cells []string) hours {
	h := hours{
		Scope: newScope(cells[0], "*", cells[6], cells[7]), mode: cells[1], otherMode: peak, from: clock(cells[2]), to: clock(cells[3]),
		weekends: cells[4] == "yes", holidays: cells[5] == "yes",
	}
	if h.mode == peak {
		h.otherMode = offPeak
	}
	return h
}

func clock(cell string) time.Duration {
	at, _ := time.Parse("15:04", cell)
	return at.Sub(at.Truncate(24 * time.Hour))
}

func readHolidays(text string) map[int64]bool {
	days := make(map[int64]bool)
	for cells := range tables.Rows(text) {
		day, _ := time.Parse(time.DateOnly, cells[0])
		days[calendar.DayNumber(day)] = true
	}
	return days
}

// mode returns the mode in which a provider bills at a time; "" while all hours cost
// the same.
func (t *Terms) mode(provider string, at time.Time) (mode string) {
	for i := range t.hours {
		h := &t.hours[i]
		switch {
		case h.Provider != provider || !h.validAt(at):
			continue
		case h.include(at.UTC(), t.holidays):
			return h.mode
		}
		mode = h.otherMode
	}
	return mode
}

func (h *hours) include(at time.Time, holidays map[int64]bool) bool {
	time := at.Sub(at.Truncate(24 * time.Hour))
	within := time >= h.from && time < h.to
	if h.to < h.from { // over midnight
		within = time >= h.from || time < h.to
	}
	weekend := at.Weekday() == 0 || at.Weekday() == 6
	return within && (h.weekends || !weekend) && (h.holidays || !holidays[calendar.DayNumber(at)])
}
