package calls_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery/calls"
)

// A log beside its own .gz counts once, in whatever way both are named. Another compressed file is read.
func TestCompressedCopiesCountOnce(t *testing.T) {
	t.Parallel()
	dir := writeFiles(t, map[string]string{"a.jsonl": idLine("a"), "a.jsonl.gz": gzipped(t, idLine("a")), "b.jsonl.gz": gzipped(t, idLine("b"))})
	a := filepath.Join(dir, "a.jsonl")
	for _, paths := range [][]string{{dir}, {dir, a + ".gz"}, {a + ".gz", a, filepath.Join(dir, "b.jsonl.gz")}} {
		sums, err := calls.Sum(calls.Options{}, paths...)
		require.NoError(t, err)
		assert.Equal(t, 2, sums[0][0].Calls, paths)
	}
}
