package discoverytest

import (
	_ "embed"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/internal/calendar"
)

// listCosts returns OpenAI's billed costs: 4.25 dollars a day up to yesterday, split into two results with amounts in quotes
// when grouped by line item. They have results if the costs of proj_example and key_example are selected.
func (s *Server) listCosts(r *http.Request) answer {
	query := r.URL.Query()
	body, wrong := s.days(query, dayReport{
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

// dayReport describes a report of days.
type dayReport struct {
	name     string                      // of its results in costs.json
	from, to string                      // the parameters of the window
	read     func(string) (int64, error) // reads one of them, in Unix seconds
	mostDays int                         // of a page
	whole    bool                        // whether a day that ends after the window is left out
	groups   []string                    // that it can be grouped by
	bucket   func(day int64, results []object) object
}

//go:embed costs.json
var dayResults []byte

// results returns the results of a day for the groups of a request. Fields that are not grouped by are null.
func (d dayReport) results(groups []string) []object {
	report := embedded[map[string]map[string][]object](dayResults)[d.name]
	results := report[""]
	for _, group := range d.groups { // the later ones are finer
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

// days returns a page of a report up to yesterday, or the name of a wrong parameter. Cursors end in an equals sign, which may be escaped.
func (s *Server) days(query url.Values, report dayReport) (page object, wrong string) {
	start, startErr := report.read(query.Get(report.from))
	end, endErr := startOfToday(), error(nil)
	if query.Has(report.to) {
		end, endErr = report.read(query.Get(report.to))
	}
	limit, valid := s.pageRows(query, "limit", 7, report.mostDays)
	groups := slices.Concat(query["group_by"], query["group_by[]"])
	first, cursorErr := start-start%calendar.SecondsPerDay, error(nil)
	if cursor := query.Get("page"); cursor != "" {
		first, cursorErr = strconv.ParseInt(strings.TrimSuffix(strings.TrimPrefix(cursor, "page_"), "="), 10, 64)
	}
	switch {
	case startErr != nil || start <= 0:
		return nil, report.from
	case endErr != nil || query.Has(report.to) && end <= start:
		return nil, report.to
	case !valid:
		return nil, "limit"
	case query.Has("bucket_width") && query.Get("bucket_width") != "1d":
		return nil, "bucket_width"
	case !distinctOf(groups, report.groups...):
		return nil, "group_by"
	case cursorErr != nil:
		return nil, "page"
	}
	days, results := []object{}, report.results(groups)
	end = min(end, startOfToday())
	if report.whole {
		end -= end % calendar.SecondsPerDay
	}
	for ; first < end && len(days) < limit; first += calendar.SecondsPerDay {
		days = append(days, report.bucket(first, results))
	}
	page = object{"data": days, "has_more": first < end, "next_page": nil}
	if first < end {
		page["next_page"] = fmt.Sprintf("page_%d=", first)
	}
	return page, ""
}

// distinctOf reports whether each of values is one of allowed, and none is repeated.
func distinctOf(values []string, allowed ...string) bool {
	for i, value := range values {
		if !slices.Contains(allowed, value) || slices.Contains(values[:i], value) {
			return false
		}
	}
	return true
}

// selects reports whether ids are all, or contain id.
func selects(ids []string, id string) bool { return len(ids) == 0 || slices.Contains(ids, id) }

func startOfToday() int64 {
	now := time.Now().Unix()
	return now - now%calendar.SecondsPerDay
}
