package costs_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/costs"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
)

// write writes lines to a file in a new folder.
func write(t *testing.T, lines ...string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "calls.jsonl")
	require.NoError(t, os.WriteFile(file, []byte(strings.Join(lines, "\n")), 0o600))
	return file
}

const (
	priced   = `{"provider":"anthropic","model":"=a,\"b\"","time":"2026-11-20T12:00:00Z","usage":{"input_tokens":5,"cache_read_input_tokens":7,"output_tokens":100},"usd":"0.000000000000000001","requests":{"web_search":2}}`
	unpriced = `{"provider":"xai","model":"m","time":"2026-11-21T12:00:00Z","usage":null,"usd":null,"unpriced":"closed\n early"}`
)

func TestReportAddsUp(t *testing.T) {
	t.Parallel()
	file := write(t, priced, priced, unpriced, unpriced, unpriced, `{"provider":"xai","model":"m","time":"2026-11-21T12:00:00Z","usd":null}`, "x")
	for _, by := range [][]string{{"day"}, {"unpriced", "day"}, nil} {
		r, err := costs.Read(by, calls.Options{}, file)
		require.ErrorContains(t, err, "calls.jsonl:7: ")
		assert.Equal(t, 6, r.Calls)
		assert.Equal(t, 4, r.Unpriced)
		assert.EqualValues(t, "0.000000000000000002", r.USD)
		assert.Equal(t, []costs.Reason{{"closed\n early", 3}, {"the cost was not known", 1}}, r.Reasons)
		assert.Equal(t, map[string]int64{"web_search": 4}, r.Rows[0].Usage.Requests)
	}
	r, err := costs.Read(nil, calls.Options{}, write(t))
	require.NoError(t, err)
	assert.Equal(t, &costs.Report{By: []string{}, Rows: []calls.Group{}, USD: "0", AtLeastUSD: "0", Subscription: "0", UpstreamUSD: "0", Reasons: []costs.Reason{}}, r)
}

// TestReportHasTheLargestCount checks that sums of sums do not overflow either.
func TestReportHasTheLargestCount(t *testing.T) {
	t.Parallel()
	huge := strings.Replace(priced, `"input_tokens":5`, `"input_tokens":9000000000000000`, 1)
	file := write(t, append(slices.Repeat([]string{huge}, 1100), strings.Replace(huge, `"usd":"0.000000000000000001"`, `"usd":null`, 1))...)
	r, err := costs.Read([]string{"day"}, calls.Options{}, file)
	require.NoError(t, err)
	require.Len(t, r.Rows, 1)
	assert.Equal(t, int64(math.MaxInt64), r.Rows[0].Usage.Input)
}

func lineOn(day, model, more string) string {
	return fmt.Sprintf(`{"provider":"openai","model":%q,"time":"%sT12:00:00Z","usage":{"input_tokens":5000,"output_tokens":100,"total_tokens":5100}%s}`, model, day, more)
}

// TestReportKeepsValuesApart checks that a value with a NUL is not taken for two values.
func TestReportKeepsValuesApart(t *testing.T) {
	t.Parallel()
	file := write(t, lineOn("2026-11-20", "m", `,"usd":"1","labels":{"a":"x\u0000y","b":"z"}`), lineOn("2026-11-20", "m", `,"usd":"2","labels":{"a":"x","b":"y\u0000z"}`))
	r, err := costs.Read([]string{"label:a", "label:b"}, calls.Options{}, file)
	require.NoError(t, err)
	require.Len(t, r.Rows, 2)
	assert.Equal(t, []string{"x\x00y", "z"}, r.Rows[1].By)
	assert.EqualValues(t, "1", r.Rows[1].USD)
}

func TestTableStatesOldPrices(t *testing.T) {
	t.Parallel()
	for old, want := range map[string]bool{"": false, "the table is of 2026-11-22, 15 days old; mesh prices --update gets the newest": true} {
		r, err := costs.Read([]string{"model"}, calls.Options{}, t.TempDir())
		require.NoError(t, err)
		r.OldPrices = old
		var text strings.Builder
		require.NoError(t, r.Table(&text))
		assert.Equal(t, want, strings.HasSuffix(text.String(), "\nprices: "+old+"\n"))
	}
}
