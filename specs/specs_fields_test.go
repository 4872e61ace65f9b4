package specs_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/gen/deepseek"
	"github.com/mesh-gateway/mesh-go/gen/gateway"
	"github.com/mesh-gateway/mesh-go/gen/gemini"
	"github.com/mesh-gateway/mesh-go/gen/xai"
)

func decoded[T any](t *testing.T, text string) (v T) {
	t.Helper()
	require.NoError(t, json.Unmarshal([]byte(text), &v))
	return v
}

// Nothing else reads these fields, so a document could lose them unnoticed. They'd
// become additional properties.
func TestFieldsThatNothingElseReads(t *testing.T) {
	t.Parallel()
	envelope := decoded[gateway.MessageEnvelope](t, `{"messages":[],"n":9007199254740993}`)
	assert.Equal(t, int64(9007199254740993), envelope.GetN())
	issue := decoded[gateway.ValidationIssue](t, `{"type":"missing","loc":["body",0],"msg":"Field required"}`)
	assert.Equal(t, []string{"missing", "Field required"}, []string{issue.Type, issue.Msg})
	receipt := decoded[gateway.ReadReceipt](t, `{"id":7,"read_at":"2026-01-02 03:04:05"}`)
	assert.Equal(t, "2026-01-02 03:04:05", receipt.GetReadAt())
	assert.Nil(t, decoded[gateway.ReadReceipt](t, `{"read_at":null}`).ReadAt)
	health := decoded[gateway.Health](t, `{"status":"ok"}`)
	assert.Equal(t, "ok", health.GetStatus())
	thread := decoded[gateway.Thread](t, thread)
	assert.Equal(t, "last", thread.LastUsedAt)
	model := decoded[gemini.Model](t, `{"name":"models/m","supportedGenerationMethods":["embedContent"]}`)
	assert.Equal(t, []string{"embedContent"}, model.SupportedGenerationMethods)
	assert.Empty(t, model.AdditionalProperties)
	for _, fields := range []map[string]json.RawMessage{
		envelope.AdditionalProperties, issue.AdditionalProperties, receipt.AdditionalProperties, health.AdditionalProperties, thread.AdditionalProperties,
	} {
		assert.Empty(t, fields)
	}
}

const thread = `{"thread_uuid":"u","thread_name":"n","peer_pair":"p","topic":"t","created_at":"c","last_used_at":"last"}`

// A 200 with an error body, or a list without its rows member, isn't an empty list.
func TestRequiredFieldsAreRequired(t *testing.T) {
	t.Parallel()
	for name, into := range map[string]any{
		"data": &deepseek.ModelList{}, "models": &xai.LanguageModelList{}, "messages": &gateway.MessageEnvelope{}, "type": &gateway.ValidationIssue{}, "threads": &gateway.ThreadList{},
	} {
		assert.EqualError(t, json.Unmarshal([]byte(`{}`), into), name+": required field is missing")
		assert.EqualError(t, json.Unmarshal([]byte(`{"`+name+`":null}`), into), name+": null where a value is required")
	}
	var fields map[string]string
	require.NoError(t, json.Unmarshal([]byte(thread), &fields))
	for name, value := range fields {
		delete(fields, name)
		text, err := json.Marshal(fields)
		require.NoError(t, err)
		assert.EqualError(t, json.Unmarshal(text, new(gateway.Thread)), name+": required field is missing")
		fields[name] = value
	}
}
