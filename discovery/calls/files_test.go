package calls_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/internal/openfile"
)

// A log next to its own .gz counts once, however both are named. Other compressed files
// are read.
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

// Links to files inside the directory are followed. A link that leads out is an error,
// wherever it goes.
func TestLinksThatLeaveTheFolder(t *testing.T) {
	t.Parallel()
	dir := writeFiles(t, map[string]string{"calls/a.jsonl": idLine("a"), "calls/in/data.txt": idLine("b"), "secret.jsonl": idLine("c"), "callsX/d.jsonl": idLine("d")})
	at := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	for link, target := range map[string]string{
		"calls/relative.jsonl": "in/data.txt", "calls/absolute.jsonl": at("calls/a.jsonl"), "calls/again.jsonl": "../calls/a.jsonl",
		"calls/up.jsonl": "../secret.jsonl", "calls/in/chain.jsonl": "../up.jsonl", "calls/other.jsonl": at("callsX/d.jsonl"), "calls/gone.jsonl": "nowhere",
		"calls/folder": "../callsX", "calls/device.jsonl": os.DevNull, "link": "calls",
	} {
		if err := os.Symlink(target, at(link)); err != nil {
			t.Log(err) // not on Windows
			return
		}
	}
	for _, folder := range []string{"calls", "link"} {
		records, errs := collect(calls.Read(calls.Options{Recorded: true}, at(folder)))
		ids := []string{}
		for _, r := range records {
			ids = append(ids, r.ID)
		}
		assert.ElementsMatch(t, []string{"a", "b"}, ids)
		outside := 0
		for _, err := range errs {
			if errors.Is(err, openfile.ErrOutside) {
				outside++
			}
		}
		assert.Equal(t, 2, outside, "one for each file")
		assert.Len(t, errs, 3)
	}
	records, errs := collect(calls.Read(calls.Options{Recorded: true}, at("calls/up.jsonl")))
	assert.Empty(t, errs)
	assert.Len(t, records, 1, "a link given as a path is followed")
}
