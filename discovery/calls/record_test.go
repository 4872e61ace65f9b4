package calls_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

func TestRecordsAreLinesOfACallsFile(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 22, 10, 30, 0, 123456789, time.UTC)
	for want, r := range map[string]calls.Record{
		`{"provider":"openai","model":"gpt-4o","time":"2026-11-22T10:30:00.123456789Z","usage":{"prompt_tokens":1},"id":"x","mode":"priority",` +
			`"requests":{"web_search":2},"labels":{"user":"ann"},"path":"/v1/responses","status":200,"attempt":2,"stream":true,"complete":true,` +
			`"duration_ms":1234.567,"usd":"0.0075","source":"s"}`: {
			ID: "x", Provider: models.OpenAI, Model: "gpt-4o", Time: at, Usage: json.RawMessage(`{"prompt_tokens":1}`), Mode: "priority",
			ToolUses: map[string]int64{"web_search": 2}, Labels: map[string]string{"user": "ann"}, Path: "/v1/responses", Status: 200,
			Attempt: 2, Stream: true, Duration: 1234567 * time.Microsecond, USD: "0.0075", SourceKey: "s",
		},
		`{"provider":"xai","model":"","time":"2026-11-22T10:30:00.123456789Z","usage":null,"complete":false,"usd":null,"unpriced":"why"}`: {
			Provider: models.XAI, Time: at, Unpriced: "why", Incomplete: true,
		},
		`{"provider":"xai","model":"m","time":"2026-11-22T10:30:00.123456789Z","usage":null,"complete":false}`: {
			Provider: models.XAI, Model: "m", Time: at, Incomplete: true,
		},
	} {
		got, err := json.Marshal(r)
		require.NoError(t, err)
		assert.Equal(t, want, string(got))
		var back calls.Record
		require.NoError(t, json.Unmarshal(got, &back))
		assert.Equal(t, r, back)
	}
}

// TestCallsFileIsStable reads all lines in testdata/calls.jsonl and writes them back
// unchanged. They never change, because users have such files. A new Record field needs a
// new line that has it.
func TestCallsFileIsStable(t *testing.T) {
	t.Parallel()
	const file = "testdata/calls.jsonl"
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	records, errs := collect(calls.Read(calls.Options{Recorded: true}, file))
	require.Empty(t, errs)
	var written []byte
	given := map[string]bool{}
	for _, r := range records {
		line, err := json.Marshal(r)
		require.NoError(t, err)
		written = append(append(written, line...), '\n')
		for i, v := 0, reflect.ValueOf(r); i < v.NumField(); i++ {
			given[v.Type().Field(i).Name] = given[v.Type().Field(i).Name] || !v.Field(i).IsZero()
		}
	}
	// at_least_usd, from files before 2026-11-23, is written as bound_usd.
	assert.Equal(t, strings.ReplaceAll(string(text), `"at_least_usd"`, `"bound_usd"`), string(written))
	delete(given, "Counts")
	delete(given, "HasCounts")
	assert.NotContains(t, slices.Collect(maps.Values(given)), false, "%v", given)
}

func TestLinesOfOtherPrograms(t *testing.T) {
	t.Parallel()
	var r calls.Record
	require.NoError(t, json.Unmarshal([]byte(`{"provider":"openai","usd":null,"time":"2026-11-22T12:00:00+02:00","new":1}`), &r))
	assert.NotEmpty(t, r.Unpriced, "null is an unknown cost")
	assert.Equal(t, "2026-11-22T10:00:00Z", r.Time.Format(time.RFC3339))
	for _, usd := range []string{`"1e3"`, `1.5`, `"-1"`, `"x"`, `{}`} {
		assert.Error(t, json.Unmarshal([]byte(fmt.Sprintf(`{"usd":%s}`, usd)), &r), usd)
	}
}

// A record's Call costs what Sum computes for its line.
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
		{calls.Record{Model: "gpt-5-mini", Usage: chat, ToolUses: map[string]int64{"web_search": 1}}, "0.01016675", "openai"},
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

func TestCount(t *testing.T) {
	t.Parallel()
	usage := []byte(`{"prompt_tokens":1000,"completion_tokens":100,"total_tokens":1100}`)
	at := time.Date(2026, 11, 20, 12, 0, 0, 0, time.FixedZone("", 3600))
	type want struct {
		usd, bound           prices.USD
		failed, subscription bool
	}
	for name, row := range map[string]struct {
		r             calls.Record
		want, reprice want
	}{
		"recorded":     {calls.Record{USD: "7", Usage: usage}, want{usd: "7"}, want{usd: "0.0035"}},
		"without":      {calls.Record{Usage: usage}, want{usd: "0.0035"}, want{usd: "0.0035"}},
		"known":        {calls.Record{USD: "7", BoundUSD: "3", Unpriced: "x"}, want{usd: "7"}, want{usd: "7"}},
		"bounded":      {calls.Record{BoundUSD: "3", Unpriced: "closed", Usage: usage, Incomplete: true}, want{bound: "3"}, want{bound: "0.0035"}},
		"subscription": {calls.Record{USD: "2", Billing: "subscription"}, want{usd: "2", subscription: true}, want{usd: "2", subscription: true}},
		"charged":      {calls.Record{USD: "2", Usage: usage, Incomplete: true}, want{usd: "2"}, want{usd: "2"}},
		"refused":      {calls.Record{USD: "0", Status: 429}, want{usd: "0", failed: true}, want{usd: "0", failed: true}},
		"no response":  {calls.Record{Unpriced: "timeout"}, want{failed: true}, want{failed: true}},
	} {
		row.r.Model, row.r.Time = "gpt-4o", at
		for reprice, expected := range map[bool]want{false: row.want, true: row.reprice} {
			c, err := row.r.Count(nil, reprice)
			require.NoError(t, err, name)
			assert.Equal(t, expected, want{c.USD, c.BoundUSD, c.Failed(), c.Subscribed()}, "%s, reprice %v", name, reprice)
			assert.Equal(t, []any{models.OpenAI, row.r.Usage != nil, at.UTC()}, []any{c.Provider, c.HasCounts, c.Time}, name)
		}
	}
	for _, wrong := range []calls.Record{{}, {USD: "1e3"}, {Unpriced: "x", BoundUSD: "-1"}, {USD: "1", UpstreamUSD: "?"}, {Usage: []byte(`{"secret":1}`)}} {
		_, err := wrong.Count(nil, false)
		require.Error(t, err)
		assert.NotContains(t, err.Error(), "1e3")
	}
}
