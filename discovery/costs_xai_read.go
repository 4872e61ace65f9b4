package discovery

import (
	"encoding/json"
	"errors"
	"fmt"
	"github.com/mesh-gateway/mesh-go/discovery/internal/decimal"
	"slices"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/gen/xaimanagement"
)

// What can be wrong with an answer beyond its JSON. None of these texts holds any part of it.
var (
	errNoSeries  = errors.New("the answer has no series, but something else")
	errNoValue   = errors.New("there is no amount")
	errTimestamp = errors.New("the time cannot be read")
	errTwice     = errors.New("a series has the same time twice")
)

// usageBucket collects what all series say of one part of the window.
type usageBucket struct {
	begin time.Time
	total decimal.Amount
	items []LineItem
	raw   []json.RawMessage
	// last is the series that spoke last.
	last int
}

// pivot turns series over time into buckets. An answer without series is one of no costs, since proto3 leaves out what is
// empty; but an answer that has something else in their place, such as an error, is not.
func (w window) pivot(usage xaimanagement.Usage) (billed[TeamCostBucket], error) {
	if usage.TimeSeries == nil && len(usage.AdditionalProperties) > 0 {
		return billed[TeamCostBucket]{}, errNoSeries
	}
	byTime := make(map[time.Time]*usageBucket)
	for i, series := range usage.TimeSeries {
		for j, raw := range series.DataPoints {
			if err := w.enter(byTime, i, series, raw); err != nil {
				return billed[TeamCostBucket]{}, fmt.Errorf("timeSeries[%d].dataPoints[%d]: %w", i, j, err)
			}
		}
	}
	return w.inOrder(byTime), nil
}

// enter adds a data point to its bucket.
func (w window) enter(byTime map[time.Time]*usageBucket, i int, series xaimanagement.TimeSeries, raw json.RawMessage) error {
	at, usd, err := w.point(raw)
	if err != nil {
		return err
	}
	bucket := byTime[at.UTC()]
	if bucket == nil {
		bucket = &usageBucket{begin: at, last: -1}
		byTime[at.UTC()] = bucket
	}
	if bucket.last == i {
		return errTwice
	}
	label := series.GroupLabels
	if len(label) == 0 {
		label = series.Group
	}
	series.DataPoints = []json.RawMessage{raw}
	text, err := json.Marshal(series)
	bucket.last, bucket.raw = i, append(bucket.raw, text)
	bucket.items = append(bucket.items, LineItem{Description: strings.Join(label, ", "), USD: usd.Float64()})
	bucket.total.Add(usd)
	return err
}

// point reads a data point. Where the whole window is one bucket it needs no time.
func (w window) point(raw json.RawMessage) (time.Time, *decimal.Amount, error) {
	var point xaimanagement.DataPoint
	if err := point.UnmarshalJSON(raw); err != nil {
		return time.Time{}, nil, err
	}
	if len(point.Values) == 0 {
		return time.Time{}, nil, errNoValue
	}
	usd := new(decimal.Amount)
	if err := usd.Parse(point.Values[0]); err != nil {
		return time.Time{}, nil, err
	}
	if point.Timestamp == nil && w.unit == TimeUnitNone {
		return w.start, usd, nil
	}
	at, ok := parseTime(deref(point.Timestamp), w.zone)
	if !ok {
		return at, nil, errTimestamp
	}
	return at, usd, nil
}

// inOrder makes the buckets, oldest first.
func (w window) inOrder(byTime map[time.Time]*usageBucket) billed[TeamCostBucket] {
	all := make([]*usageBucket, 0, len(byTime))
	for _, bucket := range byTime {
		all = append(all, bucket)
	}
	slices.SortFunc(all, func(a, b *usageBucket) int { return a.begin.Compare(b.begin) })
	costs := billed[TeamCostBucket]{buckets: make([]TeamCostBucket, len(all)), complete: true}
	for i, bucket := range all {
		raw, _ := json.Marshal(bucket.raw) // each of them was made by json.Marshal
		costs.buckets[i] = TeamCostBucket{
			StartTime: bucket.begin.Format(time.RFC3339), EndTime: w.endOf(bucket.begin).Format(time.RFC3339),
			TotalUSD: bucket.total.Float64(), LineItems: bucket.items, RawBucket: raw,
		}
		costs.total.Add(&bucket.total)
	}
	return costs
}
