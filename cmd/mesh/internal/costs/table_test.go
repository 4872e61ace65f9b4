package costs_test

import (
	"bytes"
	"encoding/csv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/costs"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
)

func TestTableAndCSV(t *testing.T) {
	t.Parallel()
	r, err := costs.Read([]string{"model", "label:user"}, calls.Options{}, write(t, priced, unpriced))
	require.NoError(t, err)
	var table, text bytes.Buffer
	require.NoError(t, r.Table(&table))
	assert.Contains(t, table.String(), "MODEL   USER  CALLS  INPUT  CACHE READ  OUTPUT  REQUESTS      UNPRICED  USD\n")
	assert.Contains(t, table.String(), "=a,\"b\"  -     1      5      7           100     web_search=2  0         0.000000000000000001\n")
	assert.NotContains(t, table.String(), "closed\n early", "a reason is one line")
	require.NoError(t, r.CSV(&text))
	rows, err := csv.NewReader(&text).ReadAll()
	require.NoError(t, err)
	assert.Equal(t, []string{"model", "user", "calls", "unpriced", "input"}, rows[0][:5])
	assert.Equal(t, `'=a,"b"`, rows[1][0])
	assert.Equal(t, "0.000000000000000001", rows[1][len(rows[1])-1])
	assert.Empty(t, rows[2][len(rows[2])-1], "an unknown cost is empty")
}
