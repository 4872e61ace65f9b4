package discovery_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/gen/anthropic"
	"github.com/mesh-gateway/mesh-go/gen/openai"
	"github.com/mesh-gateway/mesh-go/gen/xaimanagement"
	"github.com/mesh-gateway/mesh-go/internal/test/contract"
)

// Enum values exist twice, in the documents and as constants. No other test notices if
// they differ.
func TestConstantsMatchTheDocuments(t *testing.T) {
	t.Parallel()
	xai, err := contract.New("xaimanagement")
	require.NoError(t, err)
	assert.ElementsMatch(t, xai.Document().Components.Schemas["AnalyticsRequest"].Value.Properties["timeUnit"].Value.Enum, []any{
		string(discovery.TimeUnitDay), string(discovery.TimeUnitHour), string(discovery.TimeUnitMonth), string(discovery.TimeUnitCalendarWeek),
		string(discovery.TimeUnitQuarterHour), string(discovery.TimeUnitMinute), string(discovery.TimeUnitSecond), string(discovery.TimeUnitNone),
	})

	openai, err := contract.New("openai")
	require.NoError(t, err)
	groups := openai.Document().Paths.Value("/v1/organization/costs").Get.Parameters.GetByInAndName("query", "group_by")
	require.NotNil(t, groups)
	assert.ElementsMatch(t, groups.Schema.Value.Items.Value.Enum, []any{
		string(discovery.GroupByLineItem), string(discovery.GroupByProjectID), string(discovery.GroupByAPIKeyID),
		string(discovery.GroupByUserID), string(discovery.GroupByAPISource),
	})

	anthropic, err := contract.New("anthropic")
	require.NoError(t, err)
	groups = anthropic.Document().Paths.Value("/v1/organizations/cost_report").Get.Parameters.GetByInAndName("query", "group_by[]")
	require.NotNil(t, groups)
	assert.ElementsMatch(t, groups.Schema.Value.Items.Value.Enum, []any{string(discovery.GroupByWorkspaceID), string(discovery.GroupByDescription)})
}

func TestCostBucketJSON(t *testing.T) {
	t.Parallel()
	s := costs(map[string]string{"": costPage(false, "null", costDay(0, result("1.5", "")), costDay(1))})
	buckets, err := s.inProcess().FetchOpenAICostBuckets(t.Context(), costQuery())
	require.NoError(t, err)
	assert.Equal(t, `[{"start_time":1730419200,"end_time":1730505600,"total_usd":1.5,"currency":"usd","line_item_breakdown":{},`+
		`"project_breakdown":{},"api_key_breakdown":{},"workspace_breakdown":{},"raw_results":[`+result("1.5", "")+`]},`+
		`{"start_time":1730505600,"end_time":1730592000,"total_usd":0,"currency":"usd","line_item_breakdown":{},`+
		`"project_breakdown":{},"api_key_breakdown":{},"workspace_breakdown":{},"raw_results":[]}]`, asJSON(t, buckets))
}

func TestBucketsOutsideTheWindowAreAFailure(t *testing.T) {
	t.Parallel()
	for name, n := range map[string]int64{"the day before": -1, "five days before": -5, "2020": -1700, "the day after": 7, "a year after": 370} {
		s := costs(map[string]string{"": costPage(false, "null", costDay(0, result("1", "")), costDay(n, result("2", "")))})
		buckets, err := s.inProcess().FetchOpenAICostBuckets(t.Context(), costQuery())
		require.NoError(t, err)
		assert.Empty(t, buckets, name)
		assert.Contains(t, requireOneFailure(t, s, discovery.ReasonDecode).Error(), "outside", name)
	}
	q := costQuery()
	q.StartTime, q.EndTime = day1+day/2, day1+day+day/2 // both days reach into the window
	s := costs(map[string]string{"": costPage(false, "null", costDay(0, result("1", "")), costDay(1, result("2", "")))})
	buckets, err := s.inProcess().FetchOpenAICostBuckets(t.Context(), q)
	require.NoError(t, err)
	assert.Len(t, buckets, 2)
}

// Without an amount, a cost row makes the bill unreadable; other rows are skipped and
// counted.
func TestUsageRowsAreSkippedAndCounted(t *testing.T) {
	t.Parallel()
	const usage = `{"object":"organization.usage.completions.result","input_tokens":5}`
	s := costs(map[string]string{"": costPage(false, "null", costDay(0, result("1", ""), usage, strings.Replace(usage, "{", `{"amount":null,`, 1)), costDay(1, usage))})
	buckets, err := s.inProcess().FetchOpenAICostBuckets(t.Context(), costQuery())
	require.NoError(t, err)
	require.Len(t, buckets, 2)
	assert.Equal(t, 1.0, buckets[0].TotalUSD)
	assert.Len(t, buckets[0].RawResults, 3)
	assert.Contains(t, requireOneFailure(t, s, discovery.ReasonPartial).Error(), "3 results")

	s.failures = nil
	_, err = s.inProcess(discovery.WithStrictErrors()).FetchOpenAICostBuckets(t.Context(), costQuery())
	require.ErrorContains(t, err, "3 results")

	for _, row := range []string{
		`{"object":"organization.costs.result"}`, `{}`, `{"object":""}`, `{"object":null}`, `{"object":"organization.costs.result","amount":null}`,
		`{"object":"organization.usage.completions.result","amount":{"value":"x","currency":"usd"}}`,
	} {
		s := costs(map[string]string{"": costPage(false, "null", costDay(0, result("1", ""), row))})
		buckets, err := s.inProcess().FetchOpenAICostBuckets(t.Context(), costQuery())
		require.NoError(t, err)
		assert.Empty(t, buckets, row)
		requireOneFailure(t, s, discovery.ReasonDecode)
	}
}

// A value with the wrong type, anywhere in a response, is a failure and never a zero.
func TestWrongTypeInABillIsAFailure(t *testing.T) {
	t.Parallel()
	for operation, b := range billings() {
		var answer any
		require.NoError(t, json.Unmarshal([]byte(b.good), &answer))
		fine := newFakeServer(map[string]http.HandlerFunc{b.service: respond(b.good)})
		empty, err := b.call(t.Context(), fine.inProcess(), 0)
		require.NoError(t, err)
		require.False(t, empty, operation)
		variants := make(map[string]string)
		withWrongType("", answer, func() string { return asJSON(t, answer) }, func(v any) { answer = v }, variants)
		require.Greater(t, len(variants), 20)
		for place, body := range variants {
			s := newFakeServer(map[string]http.HandlerFunc{b.service: respond(body)})
			empty, err := b.call(t.Context(), s.inProcess(), 0)
			require.NoError(t, err)
			assert.True(t, empty, "%s: %s", operation, place)
			if assert.Len(t, s.failures, 1, "%s: %s", operation, place) {
				assert.Contains(t, []discovery.Reason{discovery.ReasonDecode, discovery.ReasonPartial}, s.failures[0].Reason, place)
			}
		}
	}
}

// withWrongType collects copies of the document, each with one value replaced by another
// type.
func withWrongType(place string, v any, whole func() string, set func(any), into map[string]string) {
	for _, wrong := range []any{7.0, "text", true, []any{7.0}, map[string]any{"x": 7.0}} {
		_, isNumber := wrong.(float64)
		text, _ := v.(string)
		if amount := number.MatchString(text); amount && isNumber || !amount && reflect.TypeOf(wrong) == reflect.TypeOf(v) {
			continue
		}
		set(wrong)
		into[fmt.Sprintf("%s as %v", place, wrong)] = whole()
	}
	set(v)
	switch v := v.(type) {
	case map[string]any:
		for name, inner := range v {
			withWrongType(place+"."+name, inner, whole, func(x any) { v[name] = x }, into)
		}
	case []any:
		for i, inner := range v {
			withWrongType(fmt.Sprintf("%s[%d]", place, i), inner, whole, func(x any) { v[i] = x }, into)
		}
	}
}

// A decoder keeps the last of two equal keys, so a bill with a second, empty list would
// be complete with 0.
func TestBillWithARepeatedKeyIsAFailedCall(t *testing.T) {
	t.Parallel()
	tried := map[string]int{}
	for operation, b := range billings() {
		for _, row := range []struct{ key, begin, second string }{
			{"data", "[", "[]"},
			{"results", "[", "[]"},
			{"amount", "{", `{"value":0,"currency":"usd"}`},
			{"amount", `"`, `"0"`},
			{"value", `"`, "0"},
			{"has_more", "f", "false"},
			{"timeSeries", "[", "[]"},
			{"dataPoints", "[", "[]"},
			{"values", "[", "[0]"},
		} {
			member := `"` + row.key + `":` + row.begin
			if b.service == "deepseek" || !strings.Contains(b.good, member) {
				continue
			}
			tried[operation]++
			escaped := fmt.Sprintf(`"\u%04x%s":`, row.key[0], row.key[1:])
			for _, body := range []string{
				strings.Replace(b.good, member, `"`+row.key+`":`+row.second+","+member, 1),
				strings.Replace(b.good, member, escaped+row.second+","+member, 1),
				strings.Replace(b.good, member, member[:len(member)-1]+row.second+","+escaped+row.begin, 1),
			} {
				s := newFakeServer(map[string]http.HandlerFunc{b.service: respond(body)})
				empty, err := b.call(t.Context(), s.client(t), time.Minute)
				require.NoError(t, err)
				assert.True(t, empty, "%s: %s", operation, body)
				f := requireOneFailure(t, s, discovery.ReasonDecode)
				assert.ErrorContains(t, f.Err, `the key "`+row.key+`" is repeated`)
			}
		}
	}
	assert.Len(t, tried, 6)
}

// Fields added to a bill's generated types must be added to the keys that can't be
// repeated, too.
func TestNoFieldOfABillMayBeRepeated(t *testing.T) {
	t.Parallel()
	for operation, types := range map[string][]any{
		"FetchOpenAICostBuckets":    {openai.CostPage{}, openai.CostBucket{}, openai.CostResult{}, openai.CostAmount{}},
		"FetchAnthropicCostBuckets": {anthropic.CostPage{}, anthropic.CostBucket{}, anthropic.CostResult{}},
		"FetchXAICostBuckets":       {xaimanagement.Usage{}, xaimanagement.TimeSeries{}, xaimanagement.DataPoint{}},
	} {
		b := billings()[operation]
		for _, bill := range types {
			for _, field := range reflect.VisibleFields(reflect.TypeOf(bill)) {
				name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
				if name == "-" {
					continue
				}
				// Any object counts, even an unknown one.
				body := strings.Replace(b.good, "{", fmt.Sprintf(`{"new":{%q:1,%[1]q:2},`, name), 1)
				s := newFakeServer(map[string]http.HandlerFunc{b.service: respond(body)})
				_, err := b.call(t.Context(), s.inProcess(), time.Minute)
				require.NoError(t, err)
				f := requireOneFailure(t, s, discovery.ReasonDecode)
				assert.ErrorContains(t, f.Err, fmt.Sprintf("the key %q is repeated", name), "%T", bill)
			}
		}
	}
}
