package discoverytest

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	secondsADay = 24 * 60 * 60
	mostDays    = 180
)

// listCosts returns OpenAI's billed costs: 4.25 dollars a day up to yesterday, split into two results with amounts in quotes
// when grouped by line item. They have results if the costs of exampleProject and exampleKey are selected.
func listCosts(r *http.Request) answer {
	query := r.URL.Query()
	start, end, wrong := costsWindow(query)
	limit, valid := pageSize(query, "limit", 7, mostDays)
	groups := slices.Concat(query["group_by"], query["group_by[]"])
	first, err := firstDay(query, start)
	switch {
	case wrong != "":
		return badCosts(wrong)
	case !valid:
		return badCosts("limit")
	case query.Has("bucket_width") && query.Get("bucket_width") != "1d":
		return badCosts("bucket_width")
	case !distinctOf(groups, "line_item", "project_id", "api_key_id", "user_id", "api_source"):
		return badCosts("group_by")
	case err != nil:
		return badCosts("page")
	}
	results := []object{}
	if selects(query["project_ids"], exampleProject) && selects(query["api_key_ids"], exampleKey) {
		results = dayResults(groups)
	}
	body := pageOfDays(first, end, limit, func(day int64) object {
		return object{"object": "bucket", "start_time": day, "end_time": day + secondsADay, "results": results}
	})
	body["object"] = "page"
	return ok(body)
}

// costsWindow returns the window in Unix seconds, which ends before today, or the wrong parameter.
func costsWindow(query url.Values) (start, end int64, wrong string) {
	start, err := strconv.ParseInt(query.Get("start_time"), 10, 64)
	if err != nil || start <= 0 {
		return 0, 0, "start_time"
	}
	if !query.Has("end_time") {
		return start, startOfToday(), ""
	}
	end, err = strconv.ParseInt(query.Get("end_time"), 10, 64)
	if err != nil || end <= start {
		return 0, 0, "end_time"
	}
	return start, min(end, startOfToday()), ""
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

// firstDay returns the start of the first day of a page, or of the window without a cursor.
func firstDay(query url.Values, start int64) (int64, error) {
	if cursor := query.Get("page"); cursor != "" {
		return strconv.ParseInt(strings.TrimSuffix(strings.TrimPrefix(cursor, "page_"), "="), 10, 64)
	}
	return start - start%secondsADay, nil
}

// pageOfDays returns a page of at most limit days beginning with first. Cursors end in an equals sign, which may be escaped.
func pageOfDays(first, end int64, limit int, bucket func(day int64) object) object {
	days := []object{}
	for ; first < end && len(days) < limit; first += secondsADay {
		days = append(days, bucket(first))
	}
	page := object{"data": days, "has_more": first < end, "next_page": nil}
	if first < end {
		page["next_page"] = fmt.Sprintf("page_%d=", first)
	}
	return page
}

func startOfToday() int64 {
	now := time.Now().Unix()
	return now - now%secondsADay
}

func dayResults(groups []string) []object {
	day := object{
		"object": "organization.costs.result", "amount": object{"value": 4.25, "currency": "usd"},
		"line_item": nil, "quantity": nil, "quantity_unit": nil, "organization_id": "org-example",
	}
	setGrouped(day, groups, map[string]string{
		"project_id": exampleProject, "api_key_id": exampleKey, "user_id": "user_example", "api_source": "unlabeled",
	})
	if !slices.Contains(groups, "line_item") {
		return []object{day}
	}
	output := maps.Clone(day)
	maps.Copy(day, object{
		"line_item": "gpt-5.6, input_tokens", "amount": object{"value": "3.75", "currency": "usd"}, "quantity": 750_000, "quantity_unit": "tokens",
	})
	maps.Copy(output, object{
		"line_item": "gpt-5.6, output_tokens", "amount": object{"value": "0.50", "currency": "usd"}, "quantity": "25", "quantity_unit": "1000_tokens",
	})
	return []object{day, output}
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

func badCosts(param string) answer {
	return openAIError(http.StatusBadRequest, "invalid_request_error", "Invalid value for '"+param+"'.", param, nil)
}
