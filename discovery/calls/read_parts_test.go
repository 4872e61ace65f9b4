package calls_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery/calls"
)

// manyFiles returns a folder with files of several blocks, a line that cannot be read in each, and a path that does not exist.
func manyFiles(t *testing.T) []string {
	t.Helper()
	dir := t.TempDir()
	for file := range 5 {
		var lines []string
		for i := range 4000 {
			lines = append(lines, fmt.Sprintf(`{"provider":"openai","model":"m","time":"2026-11-02T00:00:00Z","usage":{"n":1},"id":"%d-%d","labels":{"pad":"%s"}}`,
				file, i, strings.Repeat("x", 100)))
		}
		lines[1234] = "{"
		require.NoError(t, os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.jsonl", file)), []byte(strings.Join(lines, "\n")), 0o600))
	}
	return []string{filepath.Join(dir, "missing"), dir}
}

func TestPartsAreTheWhole(t *testing.T) {
	t.Parallel()
	paths := manyFiles(t)
	text := func(r calls.Record, err error) string {
		if err != nil {
			return "error: " + err.Error()
		}
		line, _ := json.Marshal(r)
		return string(line)
	}
	var want []string
	for r, err := range calls.Read(paths...) {
		want = append(want, text(r, err))
	}
	require.Len(t, want, 5*4000+1)
	slices.Sort(want)
	for _, n := range []int{1, 2, 7} {
		parts := calls.ReadParts(n, nil, paths...)
		require.Len(t, parts, n)
		var group sync.WaitGroup
		var mu sync.Mutex
		var got []string
		for _, records := range parts {
			group.Go(func() {
				for r, err := range records {
					line := text(r, err)
					mu.Lock()
					got = append(got, line)
					mu.Unlock()
				}
			})
		}
		group.Wait()
		slices.Sort(got)
		assert.True(t, slices.Equal(want, got), n)
	}
}

func TestPartsEndTogether(t *testing.T) {
	t.Parallel()
	parts := calls.ReadParts(2, nil, manyFiles(t)[1])
	for range parts[0] {
		break
	}
	for range parts[1] {
		t.Fatal("the first part was left")
	}
	for range calls.ReadParts(1, nil)[0] {
		t.Fatal("there are no files")
	}
}
