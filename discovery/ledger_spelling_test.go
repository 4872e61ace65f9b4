package discovery_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
)

// A cost that a program builds may have any spelling of its provider.
func TestLedgerTakesAnySpellingOfTheProvider(t *testing.T) {
	t.Parallel()
	l := counted(map[int]string{1: "1"})
	l.Add(on(t, "2026-05-02"), cost("Open AI", "gpt-5.4", "2"))
	for _, p := range []discovery.Provider{discovery.OpenAI, "Open AI"} {
		report := billedDays(1, 2)
		report.Provider = p
		with := report.WithLedger(l)
		require.NotNil(t, with.AttributedUSD)
		assert.InDelta(t, 3, *with.AttributedUSD, 0)
		ok, known := with.Within(0)
		assert.True(t, ok && known)
		var table bytes.Buffer
		require.NoError(t, with.Table(&table))
		assert.Regexp(t, `2026-05-02 +2\.000000 +2\.000000\n`, table.String())
	}
}
