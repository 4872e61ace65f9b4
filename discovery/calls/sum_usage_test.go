package calls_test

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/internal/usage"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// FuzzUsageOfALine compares Sum, which reads usage along with its line, to Read and
// Record.Call, which parse it afterwards.
func FuzzUsageOfALine(f *testing.F) {
	for _, line := range usageLines {
		f.Add(line)
	}
	f.Fuzz(compareUsage)
}

func TestUsageIsReadWithTheLine(t *testing.T) {
	t.Parallel()
	for _, line := range usageLines {
		compareUsage(t, line)
	}
}

const usageStart = `{"provider":"openai","model":"gpt-5.2","time":"2026-11-20T12:00:00Z",`

var usageLines = []string{
	usageStart + `"usage":{"input_tokens":8,"output_tokens":1,"total_tokens":9},"usd":"7"}`,
	usageStart + `"usage":{"input_tokens":8,"output_tokens":1,"total_tokens":9},"usage":{"input_tokens":-1,"x":[{}]},"usage":null}`,
	usageStart + `"usage":{"input_tokens":"8"},"usage":{"input_tokens":8,"output_tokens":1,"total_tokens":9},"requests":{"a":1}}`,
	usageStart + `"usage": { "input_tokens" : 0.5, "deep" : [ [ { } ] ] } , "labels":{"a":"b"}}` + "\r\n",
	usageStart + `"usage":{"input_tokens":-1,}}`, usageStart + `"usage":{"input_tokens":-1,"a":[}]}}`, usageStart + `"usage":{}}`, usageStart + `"usage":[1]}`,
	usageStart + `"usage":{"input\u005ftokens":8,"output_tokens":1,"total_tokens":9,"service_tier":"Priority"}}`,
	usageStart + `"usage":{"input_tokens":8,"output_tokens":1,"iterations":[{"type":"compaction","input_tokens":1,"output_tokens":2}]}}`,
	usageStart + `"usage":{"input_tokens":8,"output_tokens":1,"iterations":[{"type":1}]},"id":"x"}`,
	usageStart + `"usage":{"promptTokenCount":5,"promptTokensDetails":[{"modality":"AUDIO","tokenCount":3}],"serviceTier":2,"new_tokens":4}}`,
	usageStart + `"usage":{"":0.5,"p":[[{}]]}}`,
	strings.Replace(usageStart, `"model":"gpt-5.2",`, "", 1) + `"usage":{"promptTokenCount":5}}`,
	usageStart + `"usage":{"server_tool_use":{"web_search_requests":2},"input_tokens":8,"output_tokens":1}}`,
}

func compareUsage(t *testing.T, line string) {
	t.Helper()
	for _, p := range models.Providers() {
		file := writeFiles(t, map[string]string{"a.jsonl": strings.Replace(line, "openai", string(p), 1)})
		records, errs := collect(calls.Read(calls.Options{Recorded: true}, file))
		rows, err := sum(calls.Options{By: [][]string{{"unpriced"}}}, file)
		if len(errs) > 0 {
			require.Error(t, err)
		}
		if len(records) != 1 || len(errs) > 0 || !utf8.ValidString(line) {
			return
		}
		call, usageErr := records[0].Call()
		if err != nil {
			if usageErr == nil { // the model is missing
				_, usageErr = prices.BuiltIn().CostOf(call)
			}
			requireSameError(t, usageErr, err)
			continue
		}
		require.Len(t, rows, 1)
		if want := call.Usage; usageErr == nil {
			want.Mode, want.ChargedUSD = "", ""
			assert.Equal(t, want, rows[0].Usage)
		} else {
			assert.Zero(t, rows[0].Usage)
		}
		if records[0].USD != "" || records[0].Unpriced != "" {
			continue
		}
		// The cost depends on the mode, too.
		require.NoError(t, usageErr)
		cost, err := prices.BuiltIn().CostOf(call)
		if err == nil {
			assert.Equal(t, cost.USD, rows[0].USD)
		} else {
			assert.Equal(t, err.Error(), rows[0].Values[0])
		}
	}
}

// requireSameError allows Call to name more: an unrecognized object's members, which Sum
// doesn't keep.
func requireSameError(t *testing.T, want, got error) {
	t.Helper()
	var whole *prices.ValueError
	var part *usage.Error
	require.ErrorAs(t, want, &whole)
	if errors.As(got, &part) {
		require.Equal(t, whole.Field, strings.TrimSuffix("usage."+part.Field, "."))
		require.Contains(t, whole.Reason, part.Reason)
	}
}
