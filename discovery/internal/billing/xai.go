package billing

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/gen/xaimanagement"
	"github.com/mesh-gateway/mesh-go/internal/calendar"
	"github.com/mesh-gateway/mesh-go/internal/decimal"
)

var (
	errNoSeries  = errors.New("the response has something other than time series, such as an error")
	errTimestamp = errors.New("the time cannot be read")
)

// XAIUsage is xAI's usage response: a series with data points for each kind of use.
// Amounts are in US dollars; the prepaid balance, another route, is in cents.
type XAIUsage struct {
	xaimanagement.Usage
	size int // of the body
	// selectable is set for a saved file, which may cover more than the window.
	selectable bool
}

// UnmarshalJSON refuses an error object, which would look like a bill without costs.
func (u *XAIUsage) UnmarshalJSON(body []byte) error {
	if err := decodeOnce(&u.Usage, body); err != nil {
		return err
	}
	u.size = len(body)
	if _, null := u.AdditionalProperties["timeSeries"]; u.TimeSeries == nil && !null && len(u.AdditionalProperties) > 0 {
		return errNoSeries
	}
	for _, name := range []string{"error", "code", "message"} {
		switch string(u.AdditionalProperties[name]) {
		case "", "null", `""`, "0":
		default:
			return errNoSeries
		}
	}
	return nil
}

// Bucket is one part of the range.
type Bucket struct {
	Begin  time.Time
	Total  decimal.Sum
	points []point
}

type point struct {
	series *series
	usd    float64
	raw    json.RawMessage
}

// Len returns the number of line items.
func (b *Bucket) Len() int { return len(b.points) }

// Item returns a line item, in response order.
func (b *Bucket) Item(i int) (description string, usd float64) {
	return b.points[i].series.description, b.points[i].usd
}

// Raw returns the bucket's part in the response: its series as an array, with one data
// point each.
func (b *Bucket) Raw() json.RawMessage {
	size := len("[]")
	for _, p := range b.points {
		size += len(p.series.before) + len(dataPoints) + len(p.raw) + len("],") + len(p.series.after)
	}
	text := append(make([]byte, 0, size), '[')
	for i, p := range b.points {
		if i > 0 {
			text = append(text, ',')
		}
		text = append(append(text, p.series.before...), dataPoints...)
		text = append(append(text, p.raw...), ']')
		text = append(text, p.series.after...)
	}
	return append(text, ']')
}

// Buckets turns the series into buckets, oldest first. A response without series has no
// costs: proto3 omits empty lists.
func (u *XAIUsage) Buckets(window calendar.Range) ([]*Bucket, error) {
	b := buckets{window: window, selects: u.selectable, byTime: make(map[time.Time]*Bucket), room: max(minLabels, labelsPerBody*u.size)}
	for i := range u.TimeSeries {
		s, err := newSeries(u.TimeSeries[i])
		if err != nil {
			return nil, fmt.Errorf("timeSeries[%d]: %w", i, err)
		}
		for j, raw := range u.TimeSeries[i].DataPoints {
			if err := b.add(s, raw); err != nil {
				return nil, fmt.Errorf("timeSeries[%d].dataPoints[%d]: %w", i, j, err)
			}
		}
	}
	return slices.SortedFunc(maps.Values(b.byTime), func(a, b *Bucket) int { return a.Begin.Compare(b.Begin) }), nil
}

type series struct {
	description string
	// JSON around the points
	before, after []byte
}

const dataPoints = `"dataPoints":[`

func newSeries(sent xaimanagement.TimeSeries) (*series, error) {
	labels := sent.GroupLabels
	if len(labels) == 0 {
		labels = sent.Group
	}
	sent.DataPoints = []json.RawMessage{json.RawMessage("0")}
	text, err := sent.MarshalJSON()
	// Before the points there are only labels, in which a quote is escaped.
	before, after, _ := bytes.Cut(text, []byte(dataPoints+"0]"))
	return &series{description: strings.Join(labels, ", "), before: before, after: after}, err
}

// start -> bucket
type buckets struct {
	window  calendar.Range
	selects bool                  // points outside the window are left out
	byTime  map[time.Time]*Bucket // by times in UTC
	// room is the number of bytes left for repeated labels; see labelsPerBody.
	room int
}

// A raw bucket repeats each series' labels. They may take labelsPerBody times the
// response size, or minLabels: otherwise a response with one long label and many points
// would take gigabytes.
const (
	labelsPerBody = 4
	minLabels     = 1 << 20
)

func (b *buckets) add(s *series, raw json.RawMessage) error {
	at, usd, err := decodePoint(raw, b.window)
	if err != nil {
		return err
	}
	if b.window.Outside(at) {
		if b.selects {
			return nil
		}
		return ErrOutsideWindow
	}
	if b.room -= len(s.before) + len(s.after); b.room < 0 {
		return errors.New("the labels of the series are too long")
	}
	bucket := b.byTime[at.UTC()]
	switch {
	case bucket == nil:
		bucket = &Bucket{Begin: at}
		b.byTime[at.UTC()] = bucket
	case bucket.points[len(bucket.points)-1].series == s:
		return errors.New("a series has the same time twice")
	}
	bucket.points = append(bucket.points, point{series: s, usd: usd.Float64(), raw: raw})
	bucket.Total.Add(usd)
	return nil
}

// decodePoint needs no time if the whole window is one bucket.
func decodePoint(raw json.RawMessage, window calendar.Range) (at time.Time, usd decimal.Decimal, err error) {
	var sent xaimanagement.DataPoint
	if err := sent.UnmarshalJSON(raw); err != nil {
		return at, usd, err
	}
	if len(sent.Values) == 0 {
		return at, usd, errors.New("there is no amount")
	}
	if usd, err = decimal.Read(sent.Values[0]); err != nil {
		return at, usd, err
	}
	if sent.Timestamp == nil && window.Unit == calendar.Whole {
		return window.Start, usd, nil
	}
	at, ok := calendar.Parse(sent.GetTimestamp(), window.Start.Location())
	if !ok {
		return at, usd, errTimestamp
	}
	return at, usd, nil
}

// ReadXAI reads usage responses with UTC days. begins are the days with a data point,
// oldest first.
func ReadXAI(r io.Reader) (usage *XAIUsage, begins []time.Time, err error) {
	seen := make(map[seriesDay]bool)
	usage = &XAIUsage{selectable: true}
	if _, err := read(values(r), "xai", func(raw json.RawMessage) error {
		var u XAIUsage
		if err := u.UnmarshalJSON(raw); err != nil {
			return err
		}
		usage.TimeSeries, usage.size = append(usage.TimeSeries, u.TimeSeries...), usage.size+u.size
		return u.checkDays(seen)
	}); err != nil {
		return nil, nil, err
	}
	for key := range seen {
		begins = append(begins, key.day)
	}
	slices.SortFunc(begins, time.Time.Compare)
	return usage, begins, nil
}

type seriesDay struct {
	description string
	day         time.Time
}

// checkDays refuses a day that a series has twice, which would be counted twice.
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

// dayOf returns a data point's start, which must be the start of a UTC day.
func dayOf(raw json.RawMessage) (time.Time, error) {
	at, _, err := decodePoint(raw, calendar.Range{Unit: calendar.Day})
	if errors.Is(err, errTimestamp) || err == nil && !at.Equal(calendar.Date(at)) {
		return at, errors.New("the bill must have UTC days: TIME_UNIT_DAY in Etc/GMT")
	}
	return at, err
}
