package calls_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery/calls"
)

const advised = `{"id":"msg_2","provider":"anthropic","model":"claude-sonnet-5-5","time":"2026-11-20T12:00:00Z","usage":{"input_tokens":1000,"output_tokens":500,` +
	`"iterations":[{"type":"message","input_tokens":500,"output_tokens":100},{"type":"advisor_message","model":"claude-opus-5-5","input_tokens":15000,"output_tokens":800},` +
	`{"type":"message","input_tokens":500,"output_tokens":400}]}`

// An advisor counts as a call to its own model, in sums and for readers, whether or not
// the cost was recorded.
func TestAdvisorIsACall(t *testing.T) {
	t.Parallel()
	for _, rest := range []string{`}`, `,"usd":"0.083"}`} {
		file := writeFiles(t, map[string]string{"a.jsonl": advised + rest})
		rows, err := sum(calls.Options{By: [][]string{{"model"}}}, file)
		require.NoError(t, err)
		require.Len(t, rows, 2)
		assert.Equal(t, []string{"claude-opus-5-5 0.076 USD; calls: 1, unpriced: 0", "claude-sonnet-5-5 0.007 USD; calls: 1, unpriced: 0"}, []string{rows[0].String(), rows[1].String()})
		assert.Equal(t, []int64{15_000, 800, 1_000, 500}, []int64{rows[0].Usage.Input, rows[0].Usage.Output, rows[1].Usage.Input, rows[1].Usage.Output})

		records, errs := collect(calls.Read(calls.Options{}, file))
		require.Empty(t, errs)
		require.Len(t, records, 2)
		totals, err := calls.NewTotals("model")
		require.NoError(t, err)
		for _, r := range records { // the records survive a round trip
			line, err := json.Marshal(r)
			require.NoError(t, err)
			var again calls.Record
			require.NoError(t, json.Unmarshal(line, &again))
			require.NoError(t, totals.Add(again))
		}
		assert.Equal(t, rows, totals.Groups())

		whole, errs := collect(calls.Read(calls.Options{Recorded: true}, file))
		require.Empty(t, errs)
		require.Len(t, whole, 1)
		totals, err = calls.NewTotals("model")
		require.NoError(t, err)
		require.NoError(t, totals.Add(whole[0]))
		assert.Equal(t, rows, totals.Groups())
	}
}

// If the advisor has no price or the response states its charge, the response is one call
// with all tokens.
func TestAdvisorWithoutAPrice(t *testing.T) {
	t.Parallel()
	const unknown = `{"provider":"anthropic","model":"claude-sonnet-5-5","time":"2026-11-20T12:00:00Z","usage":{"input_tokens":1000,"output_tokens":500,` +
		`"iterations":[{"type":"advisor_message","model":"claude-none","input_tokens":15000,"output_tokens":800}]`
	for rest, want := range map[string]string{
		`}}`:             "claude-sonnet-5-5 0 USD; calls: 1, unpriced: 1",
		`},"usd":"0.1"}`: "claude-sonnet-5-5 0.1 USD; calls: 1, unpriced: 0",
		`,"cost":0.02}}`: "claude-sonnet-5-5 0.02 USD; calls: 1, unpriced: 0",
	} {
		rows, err := sumOf(t, calls.Options{By: [][]string{{"model"}}}, unknown+rest)
		require.NoError(t, err)
		require.Len(t, rows, 1)
		assert.Equal(t, want, rows[0].String())
		assert.EqualValues(t, 16_000, rows[0].Usage.Input)
		assert.EqualValues(t, 1_300, rows[0].Usage.Output)
		if rows[0].Unpriced > 0 {
			assert.EqualValues(t, "0.007", rows[0].BoundUSD)
		}
	}
}
