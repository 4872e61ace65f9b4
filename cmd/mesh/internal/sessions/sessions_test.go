package sessions_test

import (
	"encoding/json"
	"iter"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/sessions"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
)

// sum is the result for a directory, or for a model in it.
type sum struct {
	Calls        int    `json:"calls"`
	WithoutALine int    `json:"without_a_line"`
	Unpriced     int    `json:"unpriced"`
	USD          string `json:"usd"`
	Input        int64  `json:"input"`
	CacheRead    int64  `json:"cache_read"`
	CacheWrite5m int64  `json:"cache_write_5m"`
	CacheWrite1h int64  `json:"cache_write_1h"`
	Output       int64  `json:"output"`
}

func sumOf(g calls.Group) sum {
	u := &g.Usage
	return sum{g.Calls, g.WithoutLine, g.Unpriced, string(g.USD), u.Input, u.CacheRead, u.CacheWrite5m, u.CacheWrite1h, u.Output}
}

// said collects a run's copies and notes.
type said struct {
	copies []calls.Copies
	notes  []string
}

// options returns options that read sessions, and the copies and notes they report.
func options(by ...[]string) (calls.Options, *said) {
	s := &said{}
	r := sessions.New(nil)
	r.OnNote = func(text string) { s.notes = append(s.notes, text) }
	r.OnCopies = func(c calls.Copies) { s.copies = append(s.copies, c) }
	return calls.Options{By: by, Decode: r.Decode, Join: r.Join, OnCopies: r.OnCopies}, s
}

func TestSessionsAreExact(t *testing.T) {
	t.Parallel()
	for _, root := range []string{"testdata/2026-11", "testdata/reports"} {
		var all map[string]struct {
			sum
			Models map[string]sum
			Days   []string
		}
		text, err := os.ReadFile(filepath.Join(root, "expected.json"))
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(text, &all))
		require.NotEmpty(t, all)
		for name, want := range all {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				opts, said := options(nil, []string{"model"}, []string{"day"})
				groups, err := calls.Sum(opts, filepath.Join(root, filepath.FromSlash(name)))
				require.NoError(t, err)
				models, days, total := map[string]sum{}, []string{}, sum{USD: "0"}
				for _, g := range groups[0] {
					total = sumOf(g)
				}
				for _, g := range groups[1] {
					models[g.Values[0]] = sumOf(g)
				}
				for _, g := range groups[2] {
					days = append(days, g.Values[0])
				}
				assert.Equal(t, want.Models, models)
				assert.Equal(t, want.Days, days)
				assert.Equal(t, []any{want.Calls, want.WithoutALine, want.Unpriced, want.USD}, []any{total.Calls, total.WithoutALine, total.Unpriced, total.USD})
				assert.Empty(t, said.notes)
			})
		}
	}
}

// plain returns options that read sessions and report nothing.
func plain(by ...[]string) calls.Options {
	opts, _ := options(by...)
	return opts
}

// recorded returns options that leave records as they are.
func recorded() calls.Options {
	opts := plain()
	opts.Recorded = true
	return opts
}

func collect(records iter.Seq2[calls.Record, error]) (all []calls.Record, errs []error) {
	for r, err := range records {
		if err != nil {
			errs = append(errs, err)
		} else {
			all = append(all, r)
		}
	}
	return all, errs
}

// writeFiles writes files to a new directory and returns its path.
func writeFiles(tb testing.TB, files map[string]string) string {
	tb.Helper()
	dir := tb.TempDir()
	for name, content := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(tb, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(tb, os.WriteFile(path, []byte(content), 0o600))
	}
	return dir
}
