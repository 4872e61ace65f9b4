package response_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery/internal/response"
)

// Package discovery's tests read whole responses. These cover the paths that a scanner
// for large bodies follows.

func TestRootHasThePathsOfThePackageComment(t *testing.T) {
	t.Parallel()
	whole := map[string]response.Field{
		"id": response.ID, "model": response.Model, "service_tier": response.Tier, "usage": response.Usage, "status": response.Status,
		"object": response.Object, "choices[].finish_reason": response.FinishReason,
		"tool_usage.web_search.num_requests": response.Searches, "tool_usage.image_gen.total_tokens": response.ImageTokens,
		"output[].type": response.ItemType, "output[].action.type": response.ItemAction, "output[].container_id": response.ItemContainer,
		"output[].environment.container_id": response.ItemContainer,
		"responseId":                        response.ID, "modelVersion": response.Model, "usageMetadata": response.Metadata,
		"candidates[].finishReason":                         response.FinishReason,
		"candidates[].groundingMetadata.webSearchQueries[]": response.Query, "candidates[].groundingMetadata.groundingChunks[].maps": response.Maps,
		"modelStatus.modelStage": response.ModelStage, "modelStatus.retirementTime": response.RetirementTime,
		"promptFeedback": response.Feedback, "serverContent.turnComplete": response.TurnComplete,
		"steps[].type": response.ItemType, "steps[].arguments.queries[]": response.ItemQuery, "outputs[].type": response.ItemType,
	}
	outside := map[string]response.Field{
		"type": response.Kind, "event_type": response.Kind, "error": response.Failure, "delta.stop_reason": response.StopReason,
		"custom_id": response.Line, "step.arguments.queries[]": response.ItemQuery, "delta.type": response.ItemType,
	}
	for path, field := range whole {
		for _, prefix := range []string{"", "response.", "response.body.", "message.", "interaction.", "result.message.", "batch_result.response.chat_get_completion."} {
			assert.Equal(t, field, place(t, prefix+path).Field, prefix+path)
		}
	}
	for path, field := range outside {
		assert.Equal(t, field, place(t, path).Field, path)
	}
	assert.True(t, place(t, "response").Wraps)
	assert.True(t, place(t, "response.body").Batch)
	assert.Equal(t, response.ItemEnd, place(t, "output[]").End)
	assert.Equal(t, response.CandidateEnd, place(t, "candidates[]").End)
}

// place returns the node at a path.
func place(t *testing.T, path string) *response.Node {
	t.Helper()
	n := response.Root
	for _, name := range strings.Split(path, ".") {
		name, list := strings.CutSuffix(name, "[]")
		n = n.Member([]byte(name))
		require.NotNil(t, n, path)
		if list {
			n = n.Element
			require.NotNil(t, n, path)
		}
	}
	return n
}

// Documents contain neither search queries nor answers.
func TestDocumentsHaveNoContent(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		`{"candidates":[{"content":{"parts":[{"text":"private"}]},"groundingMetadata":{"webSearchQueries":["private"],"groundingChunks":[{"maps":{"title":"private"}}]}}]}`,
		`{"output":[{"type":"web_search_call","action":{"type":"search","query":"private"}},{"type":"message","content":[{"text":"private"}]}],"error":{"message":"private"}}`,
		`{"event_type":"step.delta","delta":{"type":"google_search_call","arguments":{"queries":["private"]}}}`,
		`{"type":"message_start","message":{"content":[{"text":"private"}]},"delta":{"text":"private"},"promptFeedback":{"blockReasonMessage":"private"}}`,
	} {
		doc, ok := response.New("openai").Parse([]byte(body))
		require.True(t, ok, body)
		reader := response.New("gemini")
		reader.Event(doc)
		assert.NotContains(t, fmt.Sprintf("%+v %+v", doc, reader), "private")
	}
}

// Members next to the response must not be read, whether they come before or after it.
func TestWhatIsBesideAResponseIsNotRead(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		`{"id":"outer","model":"outer","custom_id":"c","response":{"id":"between","body":{"id":"inner"},"model":"between"},"service_tier":"outer"}`,
		`{"response":{"body":{"id":"inner"},"id":"between","model":"between"},"id":"outer","model":"outer"}`,
	} {
		doc, ok := response.New("openai").Parse([]byte(body))
		require.True(t, ok)
		reader := response.New("openai")
		reader.Body(doc)
		got, err := reader.Result()
		require.NoError(t, err)
		assert.Equal(t, "inner", got.ID)
		assert.Empty(t, got.Model)
		assert.Equal(t, "batch", got.Usage.Mode)
	}
}
