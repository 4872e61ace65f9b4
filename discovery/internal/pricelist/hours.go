package pricelist

import (
	_ "embed" // for holidays.csv
	"strings"
	"sync"
	"time"
)

// The modes of DeepSeek's rows with two prices.
const (
	peak    = "peak"
	offPeak = "off-peak"
)

// The times at which DeepSeek introduced and changed its hours.
var (
	firstNight = time.Date(2025, 2, 26, 16, 30, 0, 0, time.UTC)
	lastNight  = time.Date(2025, 9, 5, 16, 0, 0, 0, time.UTC)
	peakSince  = time.Date(2026, 8, 16, 16, 0, 0, 0, time.UTC)
	// weekendsSince is Sunday, 2026-08-23 in China. The Saturday before had the hours of a working day.
	weekendsSince = time.Date(2026, 8, 22, 16, 0, 0, 0, time.UTC)
)

// hours returns the mode of DeepSeek's rows at a time; "" while DeepSeek has one price for all hours, and for other providers.
func hours(provider string, at time.Time) string {
	switch {
	case provider != "deepseek" || at.Before(firstNight):
		return ""
	case !at.Before(peakSince):
		return offPeakIf(!working(at.UTC()))
	case at.Before(lastNight):
		return offPeakIf(night(at.UTC()))
	}
	return ""
}

func offPeakIf(cheap bool) string {
	if cheap {
		return offPeak
	}
	return peak
}

// night reports whether a time is between 16:30 and 00:30 UTC.
func night(at time.Time) bool {
	const begin, end = 16*60 + 30, 30
	minute := at.Hour()*60 + at.Minute()
	return minute >= begin || minute < end
}

// working reports whether a time is within the working hours of China, without their ends: 01:00 to 04:00 and 06:00 to 10:00 UTC,
// except on public holidays and, since weekendsSince, on weekends.
func working(at time.Time) bool {
	hour, day := at.Hour(), at.Weekday()
	if (hour < 1 || hour >= 4) && (hour < 6 || hour >= 10) {
		return false
	}
	weekend := (day == time.Saturday || day == time.Sunday) && !at.Before(weekendsSince)
	return !weekend && !holidays()[dayOf(at)]
}

//go:embed holidays.csv
var holidaysCSV string

// holidays has the days of holidays.csv. Days of a year whose list is not published count as ordinary days.
var holidays = sync.OnceValue(func() map[int64]bool {
	days := make(map[int64]bool)
	for line := range strings.Lines(holidaysCSV) {
		date, _, _ := strings.Cut(line, ",")
		if day, err := time.Parse(time.DateOnly, date); err == nil {
			days[dayOf(day)] = true
		}
	}
	return days
})

// dayOf returns the number of a UTC day.
func dayOf(at time.Time) int64 { return at.Unix() / (24 * 60 * 60) }
