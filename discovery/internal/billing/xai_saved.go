package billing

import (
	"encoding/json"
	"errors"
	"io"
	"slices"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/internal/calendar"
	"github.com/mesh-gateway/mesh-go/gen/xaimanagement"
)

var (
	errLimit    = errors.New("limitReached is true: the bill is not complete")
	errNotDays  = errors.New("the bill must have UTC days: TIME_UNIT_DAY in Etc/GMT")
	errPointTwo = errors.New("a series has the same day in two places of the file")
)

// SavedUsage is a file with usage responses of xAI, of UTC days.
type SavedUsage struct {
	usage XAIUsage
	// Begins are the days with a data point, oldest first.
	Begins []time.Time
}

// ReadXAI reads a file with one or more usage responses.
func ReadXAI(r io.Reader) (*SavedUsage, error) {
	data, err := readAll(r)
	if err != nil {
		return nil, err
	}
	saved, read, seen := &SavedUsage{}, 0, make(map[seriesDay]bool)
	saved.usage.size = len(data)
	for v, err := range values(data) {
		if err != nil {
			return nil, err
		}
		read++
		var u XAIUsage
		if err = withoutContent(u.UnmarshalJSON(v.raw)); err == nil {
			err = saved.add(&u, seen)
		}
		if err != nil {
			return nil, &LineError{v.line, ofOther("xai", v.raw, err)}
		}
	}
	if read == 0 {
		return nil, &LineError{1, errNoPage}
	}
	slices.SortFunc(saved.Begins, time.Time.Compare)
	return saved, nil
}

// seriesDay is a day of a series.
type seriesDay struct {
	description string
	day         int64
}

// add adds a response. A day that a series has twice would be counted twice.
func (s *SavedUsage) add(u *XAIUsage, seen map[seriesDay]bool) error {
	if u.LimitReached {
		return errLimit
	}
	for _, sent := range u.TimeSeries {
		labels, err := newSeries(sent)
		if err != nil {
			return err
		}
		for _, raw := range sent.DataPoints {
			at, err := dayOf(raw)
			key := seriesDay{labels.description, at.Unix()}
			switch {
			case err != nil:
				return err
			case seen[key]:
				return errPointTwo
			}
			seen[key] = true
			s.Begins = append(s.Begins, at)
		}
	}
	s.usage.TimeSeries = append(s.usage.TimeSeries, u.TimeSeries...)
	return nil
}

// dayOf returns the start of a data point, which must be the start of a UTC day.
func dayOf(raw json.RawMessage) (time.Time, error) {
	var point xaimanagement.DataPoint
	if err := point.UnmarshalJSON(raw); err != nil {
		return time.Time{}, withoutContent(err)
	}
	at, ok := calendar.Parse(point.GetTimestamp(), time.UTC)
	if !ok || !at.Equal(calendar.Date(at)) {
		return at, errNotDays
	}
	return at, nil
}

// Within returns the usage of the days from start to end.
func (s *SavedUsage) Within(start, end time.Time) *XAIUsage {
	u := s.usage
	u.TimeSeries = slices.Clone(u.TimeSeries)
	for i := range u.TimeSeries {
		u.TimeSeries[i].DataPoints = slices.DeleteFunc(slices.Clone(u.TimeSeries[i].DataPoints), func(raw json.RawMessage) bool {
			at, err := dayOf(raw)
			return err != nil || at.Before(start) || !at.Before(end)
		})
	}
	return &u
}
