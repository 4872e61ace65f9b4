package discoverytest

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery"
)

const (
	secondsADay = 24 * 60 * 60
	mostDays    = 180
)

// costsRoute serves OpenAI's billed costs: 4.25 dollars a day up to yesterday, split into two results with amounts in quotes
// when grouped by line item. Cursors end in an equals sign, which may be escaped.
func (s *Server) costsRoute() route {
	return route{
		op: ListOpenAICosts, service: discovery.ServiceOpenAI, adminService: discovery.ServiceOpenAIAdmin, pattern: "GET /v1/organization/costs",
		keyHeader: "Authorization", refuse: refuseOpenAI, run: listCosts,
	}
}

func listCosts(r *http.Request) answer {
	query := r.URL.Query()
	today := startOfToday()
	start, end, wrong := costsWindow(query, today)
	limit, err := strconv.ParseInt(cmp.Or(query.Get("limit"), "7"), 10, 64)
	groups := slices.Concat(query["group_by"], query["group_by[]"])
	switch {
	case wrong != "":
		return badCosts(wrong)
	case err != nil || limit < 1 || limit > mostDays:
		return badCosts("limit")
	case query.Has("bucket_width") && query.Get("bucket_width") != "1d":
		return badCosts("bucket_width")
	case !distinctOf(groups, "line_item", "project_id", "api_key_id", "user_id", "api_source"):
		return badCosts("group_by")
	}
	if cursor := query.Get("page"); cursor != "" {
		if start, err = strconv.ParseInt(strings.TrimSuffix(strings.TrimPrefix(cursor, "page_"), "="), 10, 64); err != nil {
			return badCosts("page")
		}
	}
	return costsPage(start, min(end, today), limit, groups, selects(query["project_ids"], exampleProject) && selects(query["api_key_ids"], exampleKey))
}

// costsWindow returns the window in Unix seconds, which ends with usual if the query has no end, or the wrong parameter.
func costsWindow(query url.Values, usual int64) (start, end int64, wrong string) {
	start, err := strconv.ParseInt(query.Get("start_time"), 10, 64)
	if err != nil || start <= 0 {
		return 0, 0, "start_time"
	}
	if !query.Has("end_time") {
		return start, usual, ""
	}
	end, err = strconv.ParseInt(query.Get("end_time"), 10, 64)
	if err != nil || end <= start {
		return 0, 0, "end_time"
	}
	return start, end, ""
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

// costsPage returns a page of days, beginning with the day of start. They have results if any is selected.
func costsPage(start, end, limit int64, groups []string, selected bool) answer {
	buckets := []object{}
	days, following := pageOfDays(start, end, limit)
	for _, day := range days {
		results := []object{}
		if selected {
			results = dayResults(groups)
		}
		buckets = append(buckets, object{"object": "bucket", "start_time": day, "end_time": day + secondsADay, "results": results})
	}
	var next any
	if following < end {
		next = "page_" + strconv.FormatInt(following, 10) + "="
	}
	return ok(object{"object": "page", "data": buckets, "has_more": following < end, "next_page": next})
}

// pageOfDays returns the starts of at most limit days, beginning with the day of start, and the start of the day after them.
func pageOfDays(start, end, limit int64) (days []int64, following int64) {
	following = start - start%secondsADay
	for ; following < end && int64(len(days)) < limit; following += secondsADay {
		days = append(days, following)
	}
	return days, following
}

func startOfToday() int64 {
	now := time.Now().Unix()
	return now - now%secondsADay
}

func dayResults(groups []string) []object {
	day := object{
		"object": "organization.costs.result", "amount": object{"value": 4.25, "currency": "usd"},
		"line_item": nil, "project_id": nil, "api_key_id": nil, "user_id": nil, "api_source": nil, "quantity": nil, "quantity_unit": nil,
		"organization_id": "org-example",
	}
	if slices.Contains(groups, "project_id") {
		day["project_id"] = exampleProject
	}
	if slices.Contains(groups, "api_key_id") {
		day["api_key_id"] = exampleKey
	}
	if slices.Contains(groups, "user_id") {
		day["user_id"] = "user_example"
	}
	if slices.Contains(groups, "api_source") {
		day["api_source"] = "unlabeled"
	}
	if !slices.Contains(groups, "line_item") {
		return []object{day}
	}
	input, output := object{}, object{}
	for name, value := range day {
		input[name], output[name] = value, value
	}
	input["line_item"], input["amount"] = "gpt-5.6, input_tokens", object{"value": "3.75", "currency": "usd"}
	input["quantity"], input["quantity_unit"] = 750_000, "tokens"
	output["line_item"], output["amount"] = "gpt-5.6, output_tokens", object{"value": "0.50", "currency": "usd"}
	output["quantity"], output["quantity_unit"] = "25", "1000_tokens"
	return []object{input, output}
}

func badCosts(param string) answer {
	return answer{Status: http.StatusBadRequest, Body: object{"error": object{
		"message": "Invalid value for '" + param + "'.", "type": "invalid_request_error", "param": param, "code": nil,
	}}}
}
