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
)

func TestRecordsAreLinesOfACallsFile(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 22, 10, 30, 0, 123456789, time.UTC)
	for want, r := range map[string]calls.Record{
		`{"provider":"openai","model":"gpt-4o","time":"2026-11-22T10:30:00.123456789Z","usage":{"prompt_tokens":1},"id":"x","mode":"priority",` +
			`"requests":{"web_search":2},"labels":{"user":"ann"},"path":"/v1/responses","status":200,"attempt":2,"stream":true,"complete":true,` +
			`"duration_ms":1234.567,"usd":"0.0075","source":"s"}`: {
			ID: "x", Provider: models.OpenAI, Model: "gpt-4o", Time: at, Usage: json.RawMessage(`{"prompt_tokens":1}`), Mode: "priority",
			Requests: map[string]int64{"web_search": 2}, Labels: map[string]string{"user": "ann"}, Path: "/v1/responses", Status: 200,
			Attempt: 2, Stream: true, Duration: 1234567 * time.Microsecond, USD: "0.0075", Source: "s",
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

// TestCallsFileIsStable checks that the lines of testdata/calls.jsonl are read completely and written again as they are, since there
// are files with them. They never change. A new field of a Record needs a new line that has it.
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
	// at_least_usd, as files before 2026-11-23 have it, is written as bound_usd.
	assert.Equal(t, strings.ReplaceAll(string(text), `"at_least_usd"`, `"bound_usd"`), string(written))
	delete(given, "Counts")
	delete(given, "HasCounts")
	assert.NotContains(t, slices.Collect(maps.Values(given)), false, "%v", given)
}

func TestLinesOfOtherPrograms(t *testing.T) {
	t.Parallel()
	var r calls.Record
	require.NoError(t, json.Unmarshal([]byte(`{"provider":"openai","usd":null,"time":"2026-11-22T12:00:00+02:00","new":1}`), &r))
	assert.NotEmpty(t, r.Unpriced, "null is a cost that is not known")
	assert.Equal(t, "2026-11-22T10:00:00Z", r.Time.Format(time.RFC3339))
	for _, usd := range []string{`"1e3"`, `1.5`, `"-1"`, `"x"`, `{}`} {
		assert.Error(t, json.Unmarshal([]byte(fmt.Sprintf(`{"usd":%s}`, usd)), &r), usd)
	}
}
