package calls_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery/calls"
)

const oneCall = `{"provider":"openai","model":"gpt-4o","time":%q,"usage":{"prompt_tokens":1,"completion_tokens":1},"id":%q,"usd":"0.01","complete":true}` + "\n"

func TestReadOpensNoEarlierFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{
		"2026-10-31-A.jsonl", "2026-11-20-A.jsonl", "2026-11-21-A.jsonl", "2026-11-21.jsonl.gz", "2026-11-22-A.jsonl", "2057-01-01-A.jsonl",
		"2026-13-41-A.jsonl", "calls.jsonl", "2026.jsonl", "2026-11-01/2026-11-20-A.jsonl", "2026-11-01/2026-11-22-A.jsonl",
	} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
		require.NoError(t, os.WriteFile(file, fmt.Appendf(nil, oneCall, "2026-11-23T00:00:00Z", name), 0o600))
	}
	want := []string{
		"2026-11-01/2026-11-22-A.jsonl", "2026-11-21-A.jsonl", "2026-11-21.jsonl.gz", "2026-11-22-A.jsonl", "2026-13-41-A.jsonl", "2026.jsonl",
		"2057-01-01-A.jsonl", "calls.jsonl",
	}
	east := time.FixedZone("", 3*60*60) // it's already the 23rd there
	for _, since := range []time.Time{time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC), time.Date(2026, 11, 23, 2, 59, 59, 0, east)} {
		assert.Equal(t, want, ids(t, calls.Read(calls.Options{Recorded: true, From: since}, dir)), since)
		assert.Empty(t, ids(t, calls.Read(calls.Options{Recorded: true, From: since}, filepath.Join(dir, "2026-11-20-A.jsonl"))), "a file given as a path, too")
	}
	assert.Len(t, ids(t, calls.Read(calls.Options{Recorded: true}, dir)), 11)
	assert.Len(t, ids(t, calls.Read(calls.Options{Recorded: true}, dir)), 11)
}

// Earlier files aren't opened, even if they are unreadable.
func TestReadDoesNotLookIntoEarlierFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.Symlink(filepath.Join(dir, "nowhere"), filepath.Join(dir, "2026-11-20-A.jsonl")))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "2026-11-19-A.jsonl"), []byte("{\n"), 0o600))
	assert.Empty(t, ids(t, calls.Read(calls.Options{Recorded: true, From: time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)}, dir)))
	_, errs := collect(calls.Read(calls.Options{Recorded: true}, dir))
	assert.Len(t, errs, 2)
}

func ids(t *testing.T, records func(func(calls.Record, error) bool)) (ids []string) {
	t.Helper()
	read, errs := collect(records)
	assert.Empty(t, errs)
	for _, r := range read {
		ids = append(ids, r.ID)
	}
	return ids
}

// BenchmarkReadFrom reads today's calls: from 90 files with 1,000 calls each, one per
// day, and from 10,000 files with one call each.
func BenchmarkReadFrom(b *testing.B) {
	today := time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)
	for name, test := range map[string]struct{ files, lines, days, want int }{"days=90": {90, 1000, 90, 1000}, "files=10000": {10_000, 1, 1, 10_000}} {
		b.Run(name, func(b *testing.B) {
			dir := b.TempDir()
			for i := range test.files {
				at := today.AddDate(0, 0, -(i % test.days)).Format(time.RFC3339)
				text := strings.Repeat(fmt.Sprintf(oneCall, at, "x"), test.lines)
				require.NoError(b, os.WriteFile(filepath.Join(dir, fmt.Sprintf("%s-%d.jsonl", at[:10], i)), []byte(text), 0o600))
			}
			for b.Loop() {
				n := 0
				for _, err := range calls.Read(calls.Options{Recorded: true, From: today}, dir) {
					require.NoError(b, err)
					n++
				}
				require.Equal(b, test.want, n)
			}
		})
	}
}
