package discovery

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/internal/decimal"
	"github.com/mesh-gateway/mesh-go/gen/xaimanagement"
)

// What can be wrong with a usage answer beyond its JSON. None of these texts holds any part of it.
var (
	errNoSeries     = errors.New("the answer holds something else than series, such as an error")
	errNoValue      = errors.New("there is no amount")
	errTimestamp    = errors.New("the time cannot be read")
	errRepeatedTime = errors.New("a series has the same time twice")
	errLongLabels   = errors.New("the labels of the series are too long")
)

// TeamCostBucket is what xAI billed a team in one part of the window.
type TeamCostBucket struct {
	// StartTime and EndTime are RFC 3339 in the time zone of the query; the end is exclusive. The end is that of the unit: a
	// window that ends within a bucket ends before it, and the bucket holds what was used until then.
	StartTime string `json:"start_time"`
	EndTime   string `json:"end_time"`
	// TotalUSD is the exact sum of all line items, rounded once to a float64.
	TotalUSD float64 `json:"total_usd"`
	// LineItems are what was used, in the order of the answer. The slice is never nil.
	LineItems []LineItem `json:"line_items"`
	// RawBucket is this part of the answer: an array of its series, each with one data point.
	RawBucket json.RawMessage `json:"raw_bucket"`
}

// LineItem is one kind of use.
type LineItem struct {
	// Description is xAI's label, as in "Chat grok-3-mini".
	Description string `json:"description"`
	// USD is the cost; it is negative for a credit.
	USD float64 `json:"usd"`
}

// MarshalJSON writes empty line items as [] and an empty raw bucket as [], never null.
func (b TeamCostBucket) MarshalJSON() ([]byte, error) {
	type plain TeamCostBucket
	if b.LineItems == nil {
		b.LineItems = []LineItem{}
	}
	if b.RawBucket == nil {
		b.RawBucket = json.RawMessage("[]")
	}
	return json.Marshal(plain(b))
}

// xaiUsage is a usage answer and the length of its body.
type xaiUsage struct {
	xaimanagement.Usage
	size int
}

// UnmarshalJSON decodes the answer. An object with an error in it is not an answer without costs.
func (u *xaiUsage) UnmarshalJSON(body []byte) error {
	if err := u.Usage.UnmarshalJSON(body); err != nil {
		return err
	}
	u.size = len(body)
	if u.TimeSeries == nil && len(u.AdditionalProperties) > 0 {
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

// usageBucket collects the data points of one part of the window.
type usageBucket struct {
	begin  time.Time
	total  decimal.Sum
	points []usagePoint
}

// usagePoint is a data point of a series.
type usagePoint struct {
	series *usageSeries
	usd    float64
	raw    json.RawMessage
}

// usageBuckets are the buckets of an answer by their start.
type usageBuckets struct {
	window window
	byTime map[instant]*usageBucket
	total  decimal.Sum
	// room is how many bytes of repeated labels may still be written; see labelsPerBody.
	room int
}

// instant is a time without its zone, for a map.
type instant struct {
	seconds int64
	nanos   int
}

// A raw bucket repeats the labels of each series. In all they may take labelsPerBody times the size of the answer, or
// minLabels: otherwise an answer with one long label and many points would cost gigabytes.
const (
	labelsPerBody = 4
	minLabels     = 1 << 20
)

// bill turns series over time into buckets. An answer without series has no costs: proto3 omits what is empty.
func (w window) bill(usage xaiUsage) (bill[TeamCostBucket], error) {
	b := usageBuckets{window: w, byTime: make(map[instant]*usageBucket, mostPoints(usage)), room: max(minLabels, labelsPerBody*usage.size)}
	for i, series := range usage.TimeSeries {
		points := series.DataPoints
		labeled, err := newUsageSeries(series)
		if err != nil {
			return bill[TeamCostBucket]{}, fmt.Errorf("timeSeries[%d]: %w", i, err)
		}
		for j, point := range points {
			if err := b.add(labeled, point); err != nil {
				return bill[TeamCostBucket]{}, fmt.Errorf("timeSeries[%d].dataPoints[%d]: %w", i, j, err)
			}
		}
	}
	return b.bill(), nil
}

// mostPoints returns the length of the longest series.
func mostPoints(usage xaiUsage) int {
	most := 0
	for _, series := range usage.TimeSeries {
		most = max(most, len(series.DataPoints))
	}
	return most
}

// usageSeries is a series without its data points.
type usageSeries struct {
	description string
	// before and after are the JSON of the series around its points.
	before, after []byte
}

func newUsageSeries(series xaimanagement.TimeSeries) (*usageSeries, error) {
	labels := series.GroupLabels
	if len(labels) == 0 {
		labels = series.Group
	}
	series.DataPoints = []json.RawMessage{json.RawMessage("0")}
	text, err := series.MarshalJSON()
	// Before the points there are only labels, in which a quote is escaped.
	before, after, _ := bytes.Cut(text, []byte(dataPoints+"0]"))
	return &usageSeries{description: strings.Join(labels, ", "), before: before, after: after}, err
}

// dataPoints begins the data points of a series.
const dataPoints = `"dataPoints":[`

// add adds a data point of a series to its bucket.
func (b *usageBuckets) add(series *usageSeries, point json.RawMessage) error {
	at, usd, err := b.window.dataPoint(point)
	if err != nil {
		return err
	}
	if b.window.outside(at) {
		return errOutsideWindow
	}
	if b.room -= len(series.before) + len(series.after); b.room < 0 {
		return errLongLabels
	}
	key := instant{at.Unix(), at.Nanosecond()}
	bucket := b.byTime[key]
	switch {
	case bucket == nil:
		bucket = &usageBucket{begin: at}
		b.byTime[key] = bucket
	case bucket.points[len(bucket.points)-1].series == series:
		return errRepeatedTime
	}
	bucket.points = append(bucket.points, usagePoint{series: series, usd: usd.Float64(), raw: point})
	bucket.total.Add(usd)
	b.total.Add(usd)
	return nil
}

func (b *usageBucket) lineItems() []LineItem {
	items := make([]LineItem, len(b.points))
	for i, point := range b.points {
		items[i] = LineItem{Description: point.series.description, USD: point.usd}
	}
	return items
}

// raw returns an array of series with one point each.
func (b *usageBucket) raw() json.RawMessage {
	size := len("[]")
	for _, point := range b.points {
		size += len(point.series.before) + len(dataPoints) + len(point.raw) + len("],") + len(point.series.after)
	}
	text := append(make([]byte, 0, size), '[')
	for i, point := range b.points {
		if i > 0 {
			text = append(text, ',')
		}
		text = append(append(text, point.series.before...), dataPoints...)
		text = append(append(text, point.raw...), ']')
		text = append(text, point.series.after...)
	}
	return append(text, ']')
}

// dataPoint decodes a data point. It needs no time when the whole window is one bucket.
func (w window) dataPoint(raw json.RawMessage) (time.Time, *decimal.Amount, error) {
	var point xaimanagement.DataPoint
	if err := point.UnmarshalJSON(raw); err != nil {
		return time.Time{}, nil, err
	}
	if len(point.Values) == 0 {
		return time.Time{}, nil, errNoValue
	}
	usd := new(decimal.Amount)
	if err := usd.Read(point.Values[0]); err != nil {
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

// bill returns the buckets, oldest first.
func (b *usageBuckets) bill() bill[TeamCostBucket] {
	all := make([]*usageBucket, 0, len(b.byTime))
	for _, bucket := range b.byTime {
		all = append(all, bucket)
	}
	slices.SortFunc(all, func(a, b *usageBucket) int { return a.begin.Compare(b.begin) })
	costs := bill[TeamCostBucket]{buckets: make([]TeamCostBucket, len(all)), total: b.total, complete: true}
	for i, bucket := range all {
		costs.buckets[i] = TeamCostBucket{
			StartTime: bucket.begin.Format(time.RFC3339), EndTime: b.window.endOf(bucket.begin).Format(time.RFC3339),
			TotalUSD: bucket.total.Float64(), LineItems: bucket.lineItems(), RawBucket: bucket.raw(),
		}
	}
	return costs
}
