package discovery_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
)

// TestParseUsageReadsRealObjects reads usage objects that services sent, from public recordings. Some of them contradict
// themselves, or are fragments; these may be refused.
func TestParseUsageReadsRealObjects(t *testing.T) {
	t.Parallel()
	rows := readLines[struct {
		Provider discovery.Provider
		Usage    json.RawMessage
		Expected discovery.Usage
		RefuseOK bool `json:"refuse_ok"`
	}](t, "testdata/real_usage.jsonl.gz")
	require.Len(t, rows, 1304)
	for _, row := range rows {
		got, err := discovery.ParseUsage(row.Provider, row.Usage)
		if err != nil {
			assert.True(t, row.RefuseOK, "%s %s: %v", row.Provider, row.Usage, err)
			continue
		}
		got.Mode, got.Requests, got.ChargedUSD = "", nil, ""
		assert.Equal(t, row.Expected, got, "%s %s", row.Provider, row.Usage)
	}
}
