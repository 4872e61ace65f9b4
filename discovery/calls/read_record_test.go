package calls_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery/calls"
)

// TestRecordsOfOneFileDoNotMix reads more distinct strings than are cached, short and
// long, several times each.
func TestRecordsOfOneFileDoNotMix(t *testing.T) {
	var lines []string
	for i := range 5000 {
		labels := fmt.Sprintf(`{"team":"t%d","note":"%s"}`, i%1500, strings.Repeat("x", i%7*200))
		lines = append(lines, fmt.Sprintf(`{"provider":"openai","model":"m%d","time":"2026-11-02T00:00:00Z","usage":{"n":%d},"mode":"m%d","path":"m\u0031%d","labels":%s}`,
			i%1300, i, i%3, i%1700, labels))
	}
	name := filepath.Join(t.TempDir(), "calls.jsonl")
	require.NoError(t, os.WriteFile(name, []byte(strings.Join(lines, "\n")), 0o600))
	n := 0
	for r, err := range calls.Read(calls.Options{Recorded: true}, name) {
		require.NoError(t, err)
		var alone calls.Record
		require.NoError(t, json.Unmarshal([]byte(lines[n]), &alone))
		require.Equal(t, alone, r)
		n++
	}
	require.Len(t, lines, n)
}
