package requests_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/internal/test/requests"
)

func ptr[T any](v T) *T { return &v }

// A false whose default is true, and null, must be sent.
func TestRequestsContainNullEmptyAndZeroValues(t *testing.T) {
	t.Parallel()
	for want, request := range map[string]any{
		`{"ratified":false,"ratified_by":"node-a","reason":null,"witness_dm_id":null}`: requests.PeerPatchRequest{RatifiedBy: "node-a"},
		`{"ratified":true,"ratified_by":"node-a","reason":"","witness_dm_id":0}`: requests.PeerPatchRequest{
			Ratified: true, RatifiedBy: "node-a", Reason: ptr(""), WitnessDmID: ptr(int64(0)),
		},
		`{"error":"e","retryable":false}`: requests.TaskFailRequest{Error: "e", Retryable: ptr(false)},
		`{"error":"e"}`:                   requests.TaskFailRequest{Error: "e"},
		`{"task_id":"t","category":"c","spec_json":{},"priority":0,"cost_cap_usd":0.10,"not_before":null,"added_by":"a","parent_task_id":9007199254740993,"thread_id":null}`: requests.TaskCreateRequest{
			AddedBy: "a", Category: "c", CostCapUSD: ptr(json.Number("0.10")), ParentTaskID: ptr(int64(9007199254740993)),
			Priority: ptr(int64(0)), SpecJSON: map[string]any{}, TaskID: "t",
		},
	} {
		text, err := json.Marshal(request)
		require.NoError(t, err)
		assert.Equal(t, want, string(text))
	}
}
