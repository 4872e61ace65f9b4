package discoverytest

import (
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
// when grouped by line item. They have results if the costs of exampleProject and exampleKey are selected.
func (s *Server) listCosts(r *http.Request) answer {
	query := r.URL.Query()
	body, wrong := s.days(query, dayReport{
		from: "start_time", to: "end_time", mostDays: 180,
		read:   func(text string) (int64, error) { return strconv.ParseInt(text, 10, 64) },
		groups: []string{"line_item", "project_id", "api_key_id", "user_id", "api_source"},
		bucket: func(day int64, groups []string) object {
			results := []object{}
			if selects(query["project_ids"], exampleProject) && selects(query["api_key_ids"], exampleKey) {
				results = dayResults(groups)
			}
			return object{"object": "bucket", "start_time": day, "end_time": day + calendar.SecondsPerDay, "results": results}
		},
	})
	if wrong != "" {
		return openAIError(http.StatusBadRequest, "invalid_request_error", "Invalid value for '"+wrong+"'.", wrong, nil)
	}
	body["object"] = "page"
	return ok(body)
}

// dayReport describes a report of days.
type dayReport struct {
	from, to string                      // the parameters of the window
	read     func(string) (int64, error) // reads one of them, in Unix seconds
	mostDays int                         // of a page
	whole    bool                        // whether a day that ends after the window is left out
	groups   []string                    // that it can be grouped by
	bucket   func(day int64, groups []string) object
}

// days returns a page of a report up to yesterday, or the name of a wrong parameter. Cursors end in an equals sign, which may be escaped.
func (s *Server) days(query url.Values, report dayReport) (page object, wrong string) {
	start, startErr := report.read(query.Get(report.from))
	end, endErr := startOfToday(), error(nil)
	if query.Has(report.to) {
		end, endErr = report.read(query.Get(report.to))
	}
	limit, valid := pageSize(query, "limit", 7, report.mostDays)
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
	days := []object{}
	end = min(end, startOfToday())
	if report.whole {
		end -= end % calendar.SecondsPerDay
	}
	for ; first < end && len(days) < s.pageOf(limit); first += calendar.SecondsPerDay {
		days = append(days, report.bucket(first, groups))
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

// The ids of all costs.
const (
	exampleProject = "proj_example"
	exampleKey     = "key_example"
)

// selects reports whether ids are all, or contain id.
func selects(ids []string, id string) bool { return len(ids) == 0 || slices.Contains(ids, id) }

func startOfToday() int64 {
	now := time.Now().Unix()
	return now - now%calendar.SecondsPerDay
}

// The whole cost of a day, and its parts by line item.
const (
	wholeDay    = `{"line_item": null, "amount": {"value": 4.25, "currency": "usd"}, "quantity": null, "quantity_unit": null}`
	inputOfDay  = `{"line_item": "gpt-5.6, input_tokens", "amount": {"value": "3.75", "currency": "usd"}, "quantity": 750000, "quantity_unit": "tokens"}`
	outputOfDay = `{"line_item": "gpt-5.6, output_tokens", "amount": {"value": "0.50", "currency": "usd"}, "quantity": "25", "quantity_unit": "1000_tokens"}`
)

func dayResults(groups []string) []object {
	results := []object{decoded(wholeDay)}
	if slices.Contains(groups, "line_item") {
		results = []object{decoded(inputOfDay), decoded(outputOfDay)}
	}
	for _, result := range results {
		result["object"], result["organization_id"] = "organization.costs.result", "org-example"
		setGrouped(result, groups, map[string]string{
			"project_id": exampleProject, "api_key_id": exampleKey, "user_id": "user_example", "api_source": "unlabeled",
		})
	}
	return results
}

// setGrouped sets the fields of a result: the value of each that is grouped by, and null in the others.
func setGrouped(result object, groups []string, fields map[string]string) {
	for name, value := range fields {
		result[name] = nil
		if slices.Contains(groups, name) {
			result[name] = value
		}
	}
}
