// This test covers every type's JSON.

package discovery_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// Readers in other languages iterate over lists and maps, even in values that a user
// built. So empty ones are [] or {}: in a value, behind a pointer and inside another
// value.
func TestEmptyListsAndMapsAreNeverNull(t *testing.T) {
	t.Parallel()
	openai := discovery.ReconciliationReport[discovery.CostBucket]{Provider: models.OpenAI}
	xai := discovery.ReconciliationReport[discovery.TeamCostBucket]{Provider: models.XAI}
	for _, row := range []struct {
		value any
		want  map[string]string // the lists and maps
	}{
		{discovery.ModelInfo{}, map[string]string{"aliases": "[]", "tags": "[]"}},
		{&discovery.ModelInfo{}, map[string]string{"aliases": "[]", "tags": "[]"}},
		{discovery.CostBucket{}, map[string]string{
			"line_item_breakdown": "{}", "project_breakdown": "{}", "api_key_breakdown": "{}", "workspace_breakdown": "{}", "raw_results": "[]",
		}},
		{discovery.TeamCostBucket{}, map[string]string{"line_items": "[]", "raw_bucket": "[]"}},
		{openai, map[string]string{"buckets": "[]"}},
		{&xai, map[string]string{"buckets": "[]"}},
		{prices.Cost{}, map[string]string{"lines": "[]"}},
		{&prices.Cost{}, map[string]string{"lines": "[]"}},
		{struct {
			Dates models.Registry `json:"dates"`
		}{}, map[string]string{"dates": "{}"}},
	} {
		text, err := json.Marshal(row.value)
		require.NoError(t, err)
		var fields map[string]json.RawMessage
		require.NoError(t, json.Unmarshal(text, &fields))
		for name, want := range row.want {
			assert.Equal(t, want, string(fields[name]), "%T: %s", row.value, name)
		}
	}
}
