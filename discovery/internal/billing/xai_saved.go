package billing

import (
	"encoding/json"
	"errors"
	"io"
	"slices"
	"time"

	"github.com/mesh-gateway/mesh-go/internal/calendar"
)

// ReadXAI reads a file with one or more usage responses of UTC days. Begins are the days with a data point, oldest first.
func ReadXAI(r io.Reader) (usage *XAIUsage, begins []time.Time, err error) {
	data, err := readAll(r)
	if err != nil {
		return nil, nil, err
	}
	read, seen := 0, make(map[seriesDay]bool)
	usage = &XAIUsage{size: len(data), selectable: true}
	for v, err := range values(data) {
		if err != nil {
			return nil, nil, err
		}
		read++
		var u XAIUsage
		if err = withoutContent(u.UnmarshalJSON(v.raw)); err == nil {
			err = u.checkDays(seen)
		}
		if err != nil {
			return nil, nil, &BillError{v.line, ofOther("xai", v.raw, err)}
		}
		usage.TimeSeries = append(usage.TimeSeries, u.TimeSeries...)
	}
	if read == 0 {
		return nil, nil, &BillError{1, errNoPage}
	}
	for key := range seen {
		begins = append(begins, key.day)
	}
	slices.SortFunc(begins, time.Time.Compare)
	return usage, begins, nil
}

// seriesDay is a day of a series.
type seriesDay struct {
	description string
	day         time.Time
}

// checkDays adds the days of a response to those that were seen. A day that a series has twice would be counted twice.
func (u *XAIUsage) checkDays(seen map[seriesDay]bool) error {
	if u.LimitReached {
		return errors.New("limitReached is true: the bill is not complete")
	}
	for _, sent := range u.TimeSeries {
		labels, err := newSeries(sent)
		if err != nil {
			return err
		}
		for _, raw := range sent.DataPoints {
			at, err := dayOf(raw)
			key := seriesDay{labels.description, at}
			switch {
			case err != nil:
				return err
			case seen[key]:
				return errors.New("a series has the same day in two places of the file")
			}
			seen[key] = true
		}
	}
	return nil
}

// dayOf returns the start of a data point, which must be the start of a UTC day.
func dayOf(raw json.RawMessage) (time.Time, error) {
	at, _, err := (&buckets{window: calendar.Range{Unit: calendar.Day}}).decode(raw)
	switch {
	case errors.Is(err, errTimestamp) || err == nil && !at.Equal(calendar.Date(at)):
		return at, errors.New("the bill must have UTC days: TIME_UNIT_DAY in Etc/GMT")
	case err != nil:
		return at, withoutContent(err)
	}
	return at, nil
}
