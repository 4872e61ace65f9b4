package discoverytest

import (
	"encoding/json"
	"net/http"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/internal/calendar"
)

// usageTime is the layout of times in a request: with a blank and without a time zone, which is a field of its own.
const usageTime = "2006-01-02 15:04:05"

// analytics is the body of a request, apart from the object around it.
type analytics struct {
	TimeRange struct{ StartTime, EndTime, Timezone string }
	TimeUnit  string
	Values    []struct{ Name, Aggregation string }
	GroupBy   []string
	Filters   []string
}

// usageRequest reports whether the body has every required field and no unknown one.
func usageRequest(r *http.Request) (query analytics, valid bool) {
	var body struct{ AnalyticsRequest analytics }
	dec := json.NewDecoder(r.Body)
	dec.DisallowUnknownFields()
	err := dec.Decode(&body)
	query = body.AnalyticsRequest
	return query, err == nil && query.Values != nil && query.GroupBy != nil && query.Filters != nil
}

// getUsage returns the usage of an xAI team in every time unit: one series with numbers and one with numbers in quotes, in US
// dollars. Windows of over a year, and of over 10,000 buckets, are refused.
func getUsage(r *http.Request) answer {
	query, valid := usageRequest(r)
	if !valid {
		return xaiManagement.bad("the body cannot be read, or has unknown fields, or lacks values, groupBy or filters")
	}
	window := query.TimeRange
	zone, err := time.LoadLocation(window.Timezone)
	if err != nil {
		return xaiManagement.bad("unknown timezone")
	}
	start, err := time.ParseInLocation(usageTime, window.StartTime, zone)
	end, endErr := time.ParseInLocation(usageTime, window.EndTime, zone)
	if err != nil || endErr != nil || !start.Before(end) || end.Sub(start) > 366*24*time.Hour {
		return xaiManagement.bad("the time range cannot be read, is empty, or is longer than a year")
	}
	times, known := bucketTimes(query.TimeUnit, start, end)
	if !known {
		return xaiManagement.bad("unknown timeUnit, or too many buckets")
	}
	return ok(object{"timeSeries": []object{series("Chat grok-4.5", times, 1.25), series("File Storage", times, "0.05")}, "limitReached": false})
}

// maxBuckets bounds the buckets of an answer.
const maxBuckets = 10_000

// bucketTimes returns the starts of the buckets of a window, the first of which begins with it. Known is false for an unknown unit and
// for too many buckets.
func bucketTimes(unit string, start, end time.Time) (times []time.Time, known bool) {
	window := calendar.Range{Start: start, End: end}
	window.Unit, known = calendar.Units[unit]
	for at := start; known && at.Before(end); at = window.Next(at) {
		if len(times) == maxBuckets {
			return nil, false
		}
		times = append(times, at)
	}
	return times, known
}

// series returns the series of one description, with a point for each bucket.
func series(label string, times []time.Time, value any) object {
	points := []object{}
	for _, at := range times {
		points = append(points, object{"timestamp": at.UTC().Format(time.RFC3339), "values": []any{value}})
	}
	return object{"group": []string{label}, "groupLabels": []string{label}, "dataPoints": points}
}
