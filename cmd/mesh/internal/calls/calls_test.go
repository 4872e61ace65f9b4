package calls_test

import (
	"bytes"
	"encoding/csv"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/calls"
	"github.com/mesh-gateway/mesh-go/discovery/meter"
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
		r, err := calls.Read(nil, meter.SumOptions{By: by}, file)
		require.ErrorContains(t, err, "calls.jsonl:7: ")
		assert.Len(t, r.Errors, 1)
		assert.Equal(t, 6, r.Calls)
		assert.Equal(t, 4, r.Unpriced)
		assert.Equal(t, "0.000000000000000002", r.USD)
		assert.Equal(t, []calls.Reason{{"closed\n early", 3}, {"the cost was not known", 1}}, r.Reasons)
		assert.Equal(t, map[string]int64{"web_search": 4}, r.Rows[0].Usage.Requests)
	}
	r, err := calls.Read(nil, meter.SumOptions{}, write(t))
	require.NoError(t, err)
	assert.Equal(t, &calls.Report{By: []string{}, Rows: []meter.Row{}, USD: "0", Reasons: []calls.Reason{}}, r)
}

func TestTableAndCSV(t *testing.T) {
	t.Parallel()
	r, err := calls.Read(nil, meter.SumOptions{By: []string{"model", "label:user"}}, write(t, priced, unpriced))
	require.NoError(t, err)
	var table, text bytes.Buffer
	require.NoError(t, r.Table(&table))
	assert.Contains(t, table.String(), "MODEL   USER  CALLS  INPUT  CACHE READ  OUTPUT  REQUESTS      NO COST  USD\n")
	assert.Contains(t, table.String(), "=a,\"b\"  -     1      5      7           100     web_search=2  0        0.000000000000000001\n")
	assert.NotContains(t, table.String(), "closed\n early", "a reason is one line")
	require.NoError(t, r.CSV(&text))
	rows, err := csv.NewReader(&text).ReadAll()
	require.NoError(t, err)
	assert.Equal(t, []string{"model", "label:user", "calls", "unpriced", "input"}, rows[0][:5])
	assert.Equal(t, `=a,"b"`, rows[1][0])
	assert.Equal(t, "0.000000000000000001", rows[1][len(rows[1])-1])
	assert.Empty(t, rows[2][len(rows[2])-1], "an unknown cost is empty")
}
