package discoverytest

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/internal/calendar"
)

// listCosts returns OpenAI's costs: $4.25 for each day up to yesterday. Grouped by line
// item, they are split into two results with quoted amounts. If a filter excludes
// proj_example or key_example, there are no results.
func (s *Server) listCosts(r *http.Request) response {
	query := r.URL.Query()
	body, wrong := s.days(query, dayCosts{
		name: "openai", from: "start_time", to: "end_time", mostDays: 180,
		read:   func(text string) (int64, error) { return strconv.ParseInt(text, 10, 64) },
		groups: []string{"line_item", "project_id", "api_key_id", "user_id", "api_source"},
		bucket: func(day int64, results []object) object {
			if !selects(query["project_ids"], "proj_example") || !selects(query["api_key_ids"], "key_example") {
				results = []object{}
			}
			return object{"object": "bucket", "start_time": day, "end_time": day + calendar.SecondsPerDay, "results": results}
		},
	})
	if wrong != "" {
		return openAI.fail(http.StatusBadRequest, "bad parameter", wrong)
	}
	body["object"] = "page"
	return ok(body)
}

// dayCosts describes a bill by day.
type dayCosts struct {
	name     string                      // of its results in costs.json
	from, to string                      // window parameters
	read     func(string) (int64, error) // reads a window parameter as Unix seconds
	mostDays int                         // per page
	whole    bool                        // omit a day that ends after the window
	groups   []string                    // supported in group_by
	bucket   func(day int64, results []object) object
}

//go:embed costs.json
var dayResults []byte

// results returns a day's results for the requested groups. Fields that aren't grouped by
// are null.
func (d dayCosts) results(groups []string) []object {
	report := embedded[map[string]map[string][]object](dayResults)[d.name]
	results := report[""]
	for _, group := range d.groups { // later groups are finer
		if finer := report[group]; finer != nil && slices.Contains(groups, group) {
			results = finer
		}
	}
	for _, result := range results {
		for _, group := range d.groups {
			if !slices.Contains(groups, group) {
				result[group] = nil
			}
		}
	}
	return results
}

// days returns a page of days up to yesterday, or the name of a wrong parameter. Cursors
// end in an equals sign, which clients may escape.
func (s *Server) days(query url.Values, costs dayCosts) (page object, wrong string) {
	start, startErr := costs.read(query.Get(costs.from))
	end, endErr := startOfToday(), error(nil)
	if query.Has(costs.to) {
		end, endErr = costs.read(query.Get(costs.to))
	}
	limit, valid := s.pageRows(query, "limit", 7, costs.mostDays)
	groups := slices.Concat(query["group_by"], query["group_by[]"])
	first, cursorErr := start-start%calendar.SecondsPerDay, error(nil)
	if cursor := query.Get("page"); cursor != "" {
		first, cursorErr = strconv.ParseInt(strings.TrimSuffix(strings.TrimPrefix(cursor, "page_"), "="), 10, 64)
	}
	switch {
	case startErr != nil || start <= 0:
		return nil, costs.from
	case endErr != nil || query.Has(costs.to) && end <= start:
		return nil, costs.to
	case !valid:
		return nil, "limit"
	case query.Has("bucket_width") && query.Get("bucket_width") != "1d":
		return nil, "bucket_width"
	case !distinctOf(groups, costs.groups...):
		return nil, "group_by"
	case cursorErr != nil:
		return nil, "page"
	}
	days, results := []object{}, costs.results(groups)
	end = min(end, startOfToday())
	if costs.whole {
		end -= end % calendar.SecondsPerDay
	}
	for ; first < end && len(days) < limit; first += calendar.SecondsPerDay {
		days = append(days, costs.bucket(first, results))
	}
	page = object{"data": days, "has_more": first < end, "next_page": nil}
	if first < end {
		page["next_page"] = fmt.Sprintf("page_%d=", first)
	}
	return page, ""
}

func distinctOf(values []string, allowed ...string) bool {
	for i, value := range values {
		if !slices.Contains(allowed, value) || slices.Contains(values[:i], value) {
			return false
		}
	}
	return true
}

func selects(ids []string, id string) bool { return len(ids) == 0 || slices.Contains(ids, id) }

func startOfToday() int64 {
	now := time.Now().Unix()
	return now - now%calendar.SecondsPerDay
}

// listAnthropicCosts returns Anthropic's cost report: 212.5 cents for each day up to
// yesterday, including 2.25 cents for the default workspace. Grouped by description, a
// day has three results.
func (s *Server) listAnthropicCosts(r *http.Request) response {
	return s.listAnthropic(r, "anthropic", "workspace_id", "description")
}

// listAnthropicUsage returns the tokens for the same days, as one result. Fields that
// aren't grouped by are null.
func (s *Server) listAnthropicUsage(r *http.Request) response {
	return s.listAnthropic(r, "anthropic usage", "model", "service_tier", "context_window", "inference_geo")
}

func (s *Server) listAnthropic(r *http.Request, name string, groups ...string) response {
	if r.Header.Get("Anthropic-Version") != anthropicVersion {
		return anthropic.bad("anthropic-version: header is required, and must be a known version")
	}
	body, wrong := s.days(r.URL.Query(), dayCosts{
		name: name, from: "starting_at", to: "ending_at", mostDays: 31, whole: true, groups: groups,
		read: func(text string) (int64, error) {
			t, err := time.Parse(time.RFC3339, text)
			return t.Unix(), err
		},
		bucket: func(day int64, results []object) object {
			return object{"starting_at": rfc3339(day), "ending_at": rfc3339(day + calendar.SecondsPerDay), "results": results}
		},
	})
	if wrong != "" {
		return anthropic.bad(wrong + ": Input is not valid")
	}
	return ok(body)
}

func rfc3339(t int64) string { return time.Unix(t, 0).UTC().Format(time.RFC3339) }

// usageTime is the layout of request times. The time zone is a separate field.
const usageTime = "2006-01-02 15:04:05"

// analytics is a usage request.
type analytics struct {
	TimeRange struct{ StartTime, EndTime, Timezone string }
	TimeUnit  string
	Values    []struct{ Name, Aggregation string }
	GroupBy   []string
	Filters   []string
}

// usageRequest requires all mandatory fields, and rejects unknown ones.
func usageRequest(r *http.Request) (query analytics, valid bool) {
	var body struct{ AnalyticsRequest analytics }
	dec := json.NewDecoder(r.Body)
	dec.DisallowUnknownFields()
	err := dec.Decode(&body)
	query = body.AnalyticsRequest
	return query, err == nil && query.Values != nil && query.GroupBy != nil && query.Filters != nil
}

// getUsage returns an xAI team's usage in US dollars, for any time unit: one series with
// numbers and one with quoted numbers. It rejects windows over a year or over 10,000
// buckets.
func getUsage(r *http.Request) response {
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

const maxBuckets = 10_000

// bucketTimes returns the start of each bucket. The first bucket starts with the window.
// known is false if the unit is unknown or there are too many buckets.
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

func series(label string, times []time.Time, value any) object {
	points := []object{}
	for _, at := range times {
		points = append(points, object{"timestamp": at.UTC().Format(time.RFC3339), "values": []any{value}})
	}
	return object{"group": []string{label}, "groupLabels": []string{label}, "dataPoints": points}
}
