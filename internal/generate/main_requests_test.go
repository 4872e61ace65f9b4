package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/internal/test/requests"
	"github.com/mesh-gateway/mesh-go/internal/wire"
)

// The overlay gives request properties Go types that can hold every allowed value.
//
//nolint:paralleltest // see generateText
func TestOverlayForRequests(t *testing.T) {
	const schema = `{"type":"object","additionalProperties":false,"required":["id"],"properties":{
		"id":{"type":"string"},"title":{"type":"string"},"note":{"type":"string","nullable":true},"either":{"anyOf":[{"type":"string"},{"type":"null"}]},
		"retry":{"type":"boolean","default":true},"mode":{"type":"string","default":"fast"},"labels":{"type":"object","additionalProperties":true},
		"price":{"oneOf":[{"type":"number"},{"type":"string"}]},"cap":{"anyOf":[{"type":"string"},{"type":"number"},{"type":"null"}]}}}`
	document := `{"openapi":"3.0.3","info":{"title":"OpenAI","version":"1"},"paths":{},"components":{"schemas":{"R":` + schema + `,
		"A":` + strings.Replace(schema, `"additionalProperties":false`, `"additionalProperties":true`, 1) + `}}}`
	file := filepath.Join(t.TempDir(), "document.json")
	require.NoError(t, os.WriteFile(file, []byte(document), 0o600))
	t.Chdir("../..")
	code := strings.Join(strings.Fields(generated(t, "-config", "specs/codegen.yaml", "-package", "p", file)), " ")
	for _, field := range []string{
		"ID string `json:\"id\"`", "Title string `json:\"title,omitempty\"`", "Note wire.Change[string] `json:\"note,omitempty\"`", "Either wire.Change[string] `json:\"either,omitempty\"`",
		"Retry *bool `json:\"retry,omitempty\"`", "Mode *string `json:\"mode,omitempty\"`", "Labels map[string]interface{} `json:\"labels,omitzero\"`",
		"Price *json.Number `json:\"price,omitempty\"`", "Cap wire.Change[json.Number] `json:\"cap,omitempty\"`",
		// In a response, a field with a default always has a value.
		"Retry bool `json:\"retry,omitempty\"`", "Mode string `json:\"mode,omitempty\"`",
	} {
		assert.Contains(t, code, field)
	}
}

//nolint:paralleltest // see generateText
func TestRequestsAreCurrent(t *testing.T) {
	const operations = "peer_ratify_peers__name__patch,task_create_tasks_post,task_fail_tasks__task_pk__fail_post"
	t.Chdir("../test/requests")
	code := generated(t, "-config", "requests.codegen.yaml", "-operations", operations, "../../generate/"+running)
	assert.Empty(t, difference(read(t, "requests.gen.go"), code), "run: make generate")
}

//nolint:paralleltest // see generateText
func TestExampleIsCurrent(t *testing.T) {
	t.Chdir("../../examples/tasks")
	_, directive, _ := strings.Cut(read(t, "main.go"), "//go:generate go run github.com/mesh-gateway/mesh-go/internal/generate ")
	directive, _, _ = strings.Cut(directive, "\n")
	args := strings.Fields(strings.Replace(directive, "-o tasks.gen.go", "", 1))
	assert.Empty(t, difference(read(t, "tasks.gen.go"), generated(t, args...)), "run: make generate")
}

func ptr[T any](v T) *T { return &v }

// null must be sent, and so must false if the default is true.
func TestRequestsContainNullEmptyAndZeroValues(t *testing.T) {
	t.Parallel()
	for want, request := range map[string]any{
		`{"ratified":false,"ratified_by":"node-a"}`: requests.PeerPatchRequest{RatifiedBy: "node-a"},
		`{"ratified":true,"ratified_by":"node-a","reason":"","witness_dm_id":null}`: requests.PeerPatchRequest{
			Ratified: true, RatifiedBy: "node-a", Reason: wire.Change[string]{true: ""}, WitnessDmID: wire.Change[int64]{false: 0},
		},
		`{"error":"e","retryable":false}`: requests.TaskFailRequest{Error: "e", Retryable: ptr(false)},
		`{"error":"e"}`:                   requests.TaskFailRequest{Error: "e"},
		`{"task_id":"t","category":"c","spec_json":{},"priority":0,"cost_cap_usd":0.10,"not_before":null,"added_by":"a","parent_task_id":9007199254740993}`: requests.TaskCreateRequest{
			AddedBy: "a", Category: "c", CostCapUSD: wire.Change[json.Number]{true: "0.10"}, ParentTaskID: wire.Change[int64]{true: 9007199254740993},
			NotBefore: wire.Change[string]{false: ""},
			Priority:  ptr(int64(0)), SpecJSON: map[string]any{}, TaskID: "t",
		},
	} {
		text, err := json.Marshal(request)
		require.NoError(t, err)
		assert.Equal(t, want, string(text))
	}
}
