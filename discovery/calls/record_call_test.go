package calls_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// The call of a record costs what Sum computes for its line.
func TestRecordCall(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	converse := []byte(`{"inputTokens":435,"outputTokens":29,"totalTokens":464}`)
	chat := []byte(`{"prompt_tokens":435,"completion_tokens":29,"total_tokens":464}`)
	list, err := prices.BuiltIn().With(prices.Row{Provider: "groq", ModelHint: "llama", InputPerMTok: "0", OutputPerMTok: "0"})
	require.NoError(t, err)
	for _, c := range []struct {
		record   calls.Record
		usd      string
		provider models.Provider
	}{
		{calls.Record{Provider: "anthropic", Model: "claude-sonnet-4-6", API: "converse", Platform: "bedrock", Region: "us-west-2", Profile: "us", Usage: converse}, "0.001914", "anthropic"},
		{calls.Record{Provider: "anthropic", Model: "claude-sonnet-4-6", API: "converse", Platform: "bedrock", Region: "us-west-2", Profile: "global", Usage: converse}, "0.00174", "anthropic"},
		{calls.Record{Provider: "Google", Model: "gemini-2.5-flash", Usage: []byte(`{"promptTokenCount":435,"candidatesTokenCount":29}`)}, "0.000203", "gemini"},
		{calls.Record{Provider: "groq", Model: "llama", Usage: chat}, "0", "groq"},
		{calls.Record{Provider: "groq", Model: "llama", API: "openai", Usage: chat}, "0", "groq"},
		{calls.Record{Model: "gpt-5-mini", Usage: chat, Requests: map[string]int64{"web_search": 1}}, "0.01016675", "openai"},
		{calls.Record{Provider: "openai", Model: "gpt-5-mini", Platform: "azure", Region: "data-zone", Usage: chat}, "0.000183425", "openai"},
	} {
		c.record.Time = at
		call, err := c.record.Call()
		require.NoError(t, err, c.record)
		assert.Equal(t, c.provider, call.Provider)
		cost, err := list.CostOf(call)
		require.NoError(t, err, c.record)
		assert.EqualValues(t, c.usd, cost.USD, c.record)
	}
	_, err = calls.Record{Provider: "anthropic", API: "converse", Usage: []byte(`{}`)}.Call()
	require.Error(t, err)
	_, err = calls.Record{Provider: "anthropic"}.Call()
	require.Error(t, err)
}
