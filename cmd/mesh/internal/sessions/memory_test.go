package sessions_test

import (
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/internal/test/whole"
)

// packLines writes about size bytes, compressed. line returns line i.
func packLines(t *testing.T, path string, size int, line func(i int) string) {
	t.Helper()
	file, err := os.Create(path)
	require.NoError(t, err)
	w := gzip.NewWriter(file)
	for i := 0; size > 0; i++ {
		text := line(i)
		size -= len(text)
		_, err := w.Write([]byte(text))
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	require.NoError(t, file.Close())
}

// 50 kB in gzip can hold 48 MB in lines that no program would write. Not parallel: it
// measures memory.
func TestCompressedSessionsNeedLittleMemory(t *testing.T) {
	long := strings.Repeat("x", 900)
	huge := strings.Repeat("x", 1<<20)
	many := func(n int, one string) string {
		var text strings.Builder
		for i := range n {
			fmt.Fprintf(&text, one, i)
		}
		return strings.TrimSuffix(text.String(), ",")
	}
	members := many(1000, `"`+long+`_%d":{"inputTokens":1},`)
	extra := many(1000, `"`+long+`_%d_tokens":7,`)
	claude := func(i int) string {
		return strings.Replace(fmt.Sprintf(claudeText, "x"), "msg_1", fmt.Sprint("msg_", i), 1)
	}
	for name, c := range map[string]struct {
		file string
		line func(i int) string
	}{
		"types":  {"a.jsonl.gz", func(i int) string { return fmt.Sprintf(`{"sessionId":"s","type":"%s%d"}`, huge, i) + "\n" }},
		"extras": {"a.jsonl.gz", func(i int) string { return strings.Replace(claude(i), `"output_tokens"`, extra+`,"output_tokens"`, 1) }},
		"heads": {"a.jsonl.gz", func(i int) string {
			return fmt.Sprintf(`{"type":"session_meta","payload":{"id":"%s%d"}}`, long, i) + "\n"
		}},
		"totals": {"a.jsonl.gz", func(i int) string {
			return fmt.Sprintf(`{"sessionId":"s%d","timestamp":1795870997129,"totalLatencyMs":1,"models":{%s}}`, i, members) + "\n"
		}},
		"no break": {"a.jsonl.gz", func(i int) string { return map[bool]string{true: `{"sessionId":"s"}` + "\n", false: huge}[i == 0] }},
	} {
		dir := t.TempDir()
		packLines(t, filepath.Join(dir, c.file), whole.Cases(48, 2)<<20, c.line)
		opts, _ := options(nil)
		var most uint64
		opts.OnRead = func(int) {
			var m runtime.MemStats
			if runtime.ReadMemStats(&m); m.HeapAlloc > most {
				runtime.GC()
				runtime.ReadMemStats(&m)
				most = max(most, m.HeapAlloc)
			}
		}
		_, _ = calls.Sum(opts, dir)
		assert.Less(t, most, uint64(40<<20), name)
	}
}
