package calls_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/meter"
)

// boundLine returns an incomplete call's line, with more fields.
func boundLine(more string) string {
	return `{"provider":"anthropic","model":"claude-sonnet-5","time":"2026-11-20T12:00:00Z","usage":{"input_tokens":1000,"output_tokens":1},"status":200,"stream":true,"complete":false` + more + "}"
}

func TestBoundsInCallsFiles(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ line, recorded, repriced, restored string }{
		"with a bound":        {boundLine(`,"usd":null,"at_least_usd":"0.5","unpriced":"closed"`), "0.5", "0.00201", "0.5"},
		"no cost, a reason":   {boundLine(`,"bound_usd":"0.5","unpriced":"closed"`), "0.5", "0.00201", "0.5"},
		"of an older file":    {boundLine(`,"usd":null,"unpriced":"closed"`), "0", "0.00201", "0.00201"},
		"null":                {boundLine(`,"usd":null,"at_least_usd":null`), "0", "0.00201", "0.00201"},
		"without usage":       {strings.Replace(boundLine(`,"usd":null,"at_least_usd":"0.5"`), `{"input_tokens":1000,"output_tokens":1}`, "null", 1), "0.5", "0.5", "0.5"},
		"invalid usage":       {strings.Replace(boundLine(`,"usd":null`), `"output_tokens":1`, `"output_tokens":-1`, 1), "0", "0", "0"},
		"a paid tool":         {boundLine(`,"usd":null,"requests":{"web_search":2}`), "0", "0.02201", "0.02201"},
		"an unknown mode":     {boundLine(`,"usd":null,"mode":"mode-of-tomorrow","at_least_usd":"0.5"`), "0.5", "0", "0.5"},
		"a known cost":        {boundLine(`,"usd":"2","at_least_usd":"0.5"`), "2", "2", "2"},
		"a complete call":     {strings.Replace(boundLine(`,"usd":null`), `"complete":false`, `"complete":true,"path":"/v1/containers"`, 1), "0", "0", "0"},
		"of a refused call":   {strings.Replace(boundLine(`,"usd":"0"`), "200", "429", 1), "0", "0", "0"},
		"an unknown model":    {strings.Replace(boundLine(`,"usd":null`), "claude-sonnet-5", "claude-none", 1), "0", "0", "0"},
		"nothing was counted": {strings.Replace(boundLine(`,"usd":null`), `"input_tokens":1000,"output_tokens":1`, `"input_tokens":0,"output_tokens":0`, 1), "0", "0", "0"},
	} {
		file := writeFiles(t, map[string]string{"a.jsonl": test.line})
		for reprice, want := range map[bool]string{false: test.recorded, true: test.repriced} {
			rows, err := sum(calls.Options{Reprice: reprice}, file)
			require.NoError(t, err, name)
			assert.EqualValues(t, want, rows[0].AtLeastUSD, "%s, reprice: %v", name, reprice)
		}
		for r, err := range calls.Read(calls.Options{Recorded: true}, file) {
			require.NoError(t, err, name)
			total, err := calls.NewTotals()
			require.NoError(t, err)
			require.NoError(t, total.Add(r), name)
			assert.EqualValues(t, test.recorded, total.Groups()[0].AtLeastUSD, name)
		}
		m, err := meter.New(meter.WithBudget(meter.Budget{USD: "1"}))
		require.NoError(t, err)
		require.NoError(t, m.Restore(calls.Read(calls.Options{Recorded: true}, file)))
		assert.EqualValues(t, test.restored, m.Spent().AtLeastUSD, name)
		assert.EqualValues(t, test.restored, m.Budgets()[0].SpentUSD, name)
	}
	for _, bound := range []string{`"1e3"`, `1.5`, `"-1"`, `"x"`, `{}`, `""`} {
		file := writeFiles(t, map[string]string{"a.jsonl": boundLine(`,"usd":null,"at_least_usd":` + bound)})
		_, errs := collect(calls.Read(calls.Options{Recorded: true}, file))
		assert.Len(t, errs, 1, bound)
		_, err := sum(calls.Options{}, file)
		assert.ErrorContains(t, err, "at_least_usd must be", bound)
	}
}

// Sums and bounds don't depend on the order in which workers read the lines.
func TestSumAddsUpBounds(t *testing.T) {
	t.Parallel()
	var lines []string
	for i := range 3000 {
		lines = append(lines, boundLine(fmt.Sprintf(`,"usd":null,"at_least_usd":"0.%d1","labels":{"a":"%d"}`, i%10, i%3)), boundLine(`,"usd":"0.1","labels":{"a":"1"}`))
	}
	rows, err := sum(calls.Options{By: [][]string{{"label:a"}}}, writeFiles(t, map[string]string{"calls.jsonl": strings.Join(lines, "\n")}))
	require.NoError(t, err)
	require.Len(t, rows, 3)
	for i, want := range []string{"460", "760", "460"} {
		assert.EqualValues(t, want, rows[i].AtLeastUSD)
	}
	assert.EqualValues(t, "300", rows[1].USD)
	assert.EqualValues(t, "0", rows[0].USD)
	assert.Equal(t, []int{4000, 1000}, []int{rows[1].Calls, rows[1].Unpriced})
	assert.Equal(t, []int64{4_000_000, 4000}, []int64{rows[1].Usage.Input, rows[1].Usage.Output})
}
