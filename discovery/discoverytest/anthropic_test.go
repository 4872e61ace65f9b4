package discoverytest_test

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery/discoverytest"
	"github.com/mesh-gateway/mesh-go/internal/test/reply"
)

const (
	anthropic = discoverytest.ListAnthropicModels
	allStages = "lifecycle[]=active&lifecycle[]=deprecated&lifecycle[]=retired"
)

func TestAnthropicModelsAreNewestFirst(t *testing.T) {
	t.Parallel()
	r := start(t).call(anthropic, "?limit=1000&"+allStages)
	rows := r.Rows(t, "data")
	assert.Len(t, rows, 25)
	created := reply.Column(rows, "created_at")
	newestFirst := func(a, b any) int { return strings.Compare(b.(string), a.(string)) }
	assert.True(t, slices.IsSortedFunc(created, newestFirst), created)
	page := r.Object(t)
	assert.Equal(t, rows[0]["id"], page["first_id"])
	assert.Equal(t, rows[24]["id"], page["last_id"])
	assert.Equal(t, false, page["has_more"])
}

func TestAnthropicLifecycleFilter(t *testing.T) {
	t.Parallel()
	s := start(t)
	for query, want := range map[string]map[any]int{
		"":                       {"active": 15, "deprecated": 2},
		"?lifecycle[]=active":    {"active": 15},
		"?lifecycle[]=retired":   {"retired": 8},
		"?limit=50&" + allStages: {"active": 15, "deprecated": 2, "retired": 8},
	} {
		count := map[any]int{}
		for _, stage := range reply.Column(s.call(anthropic, query).Rows(t, "data"), "lifecycle") {
			count[stage]++
		}
		assert.Equal(t, want, count, query)
	}
	rows := s.call(anthropic, "?lifecycle[]=deprecated").Rows(t, "data")
	assert.Equal(t, []any{"claude-mythos-preview", "claude-sonnet-4-5-20250929"}, reply.Column(rows, "id"))
	assert.Equal(t, []any{"2026-06-30T00:00:00Z", "2026-11-30T00:00:00Z"}, reply.Column(rows, "retires_at"), "one has outlived its date")
}

// anthropicPages follows the pages to the end.
func anthropicPages(s *testServer, query string) (ids []any, pages int) {
	for after := ""; ; pages++ {
		at := query
		if after != "" {
			at += "&after_id=" + url.QueryEscape(after)
		}
		r := s.call(anthropic, at)
		ids = append(ids, reply.Column(r.Rows(s.t, "data"), "id")...)
		if r.Object(s.t)["has_more"] == false {
			return ids, pages + 1
		}
		after = r.Object(s.t)["last_id"].(string)
	}
}

func TestAnthropicPages(t *testing.T) {
	t.Parallel()
	whole, _ := anthropicPages(start(t), "?limit=1000&"+allStages)
	for name, test := range map[string]struct {
		size  int
		query string
		pages int
	}{
		"20 by default":          {0, "?" + allStages, 2},
		"as many as requested":   {0, "?limit=10&" + allStages, 3},
		"to the row":             {0, "?limit=5&" + allStages, 5},
		"smaller ones":           {7, "?limit=1000&" + allStages, 4},
		"one row each":           {1, "?" + allStages, 25},
		"no larger than asked":   {7, "?limit=5&" + allStages, 5},
		"a size above the limit": {100, "?limit=25&" + allStages, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var opts []discoverytest.Option
			if test.size > 0 {
				opts = append(opts, discoverytest.WithPageSize(test.size))
			}
			ids, pages := anthropicPages(start(t, opts...), test.query)
			assert.Equal(t, whole, ids)
			assert.Equal(t, test.pages, pages)
		})
	}
}

func TestAnthropicPageAfterTheLastModelIsEmpty(t *testing.T) {
	t.Parallel()
	r := start(t).call(anthropic, "?after_id=claude-2.1&"+allStages)
	assert.JSONEq(t, `{"data":[],"has_more":false,"first_id":null,"last_id":null}`, r.Body)
}

func TestAnthropicRejectsInvalidRequests(t *testing.T) {
	t.Parallel()
	s := start(t)
	for _, query := range []string{"?limit=0", "?limit=-5", "?limit=1001", "?limit=many", "?limit=99999999999999999999", "?lifecycle[]=sleeping"} {
		r := s.callInvalid(anthropic, query)
		assert.Equal(t, 400, r.Status, query)
		assert.Contains(t, r.Body, `"type":"invalid_request_error"`)
	}
	assert.Equal(t, 400, s.call(anthropic, "?after_id=unknown").Status)
	assert.Equal(t, 400, s.call(anthropic, "?after_id=claude-2.1").Status, "it is not in the list without the retired")
	r := s.callInvalid(anthropic, "", "Anthropic-Version", "")
	assert.Equal(t, 400, r.Status)
	require.Contains(t, r.Body, "anthropic-version: header is required")
	assert.Equal(t, "error", r.Object(t)["type"])
}
