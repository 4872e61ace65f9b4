package codebase

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/app"
)

// TestSearch searches files for their names. The baseline has one, a comment accepts another, and a third is in no baseline.
func TestSearch(t *testing.T) {
	t.Parallel()
	root := tree(t, "a", "b", "c x", "d x", "e x", "binary \x00")
	var paths []string
	for _, name := range []string{"a", "b", "c", "d", "e", "binary", "missing"} {
		paths = append(paths, filepath.Join(root, name))
	}
	var out, errs bytes.Buffer
	a := &app.App{Out: &out, Errs: &errs, Format: "text"}
	known := filepath.Join(root, "known")
	find := func(file, _ string) []Match[string] {
		name := filepath.Base(file)
		m := Match[string]{Value: name, Ignored: name == "b", Entry: &Entry{File: file, What: "model"}}
		if name == "c" {
			m.Entry = nil
		}
		return []Match[string]{m}
	}
	s, err := NewSearch[string](a, &Flags{writeBaseline: known}, "retired")
	require.NoError(t, err)
	assert.True(t, s.WritesBaseline())
	s.Files(paths[:1], false, find)
	require.NoError(t, s.WriteBaseline())
	assert.Contains(t, errs.String(), "with 1 finding\n")

	s, err = NewSearch[string](a, &Flags{baseline: known}, "retired")
	require.NoError(t, err)
	s.Files(paths, false, find)
	assert.Equal(t, []string{"c", "d", "e"}, s.Found, "in the order of the files")
	assert.Equal(t, 5, s.Texts)
	assert.False(t, s.InFolder)
	assert.Equal(t, []string{"1 place ignored by comments", "1 place known from the baseline"}, s.Notes())
	require.ErrorContains(t, s.UnreadError(), paths[6])
	s.Files(paths[5:6], true, find)
	assert.Contains(t, s.Found, "binary")
	assert.False(t, s.IsEmpty())

	_, err = NewSearch[string](a, &Flags{baseline: known}, "scan")
	require.ErrorContains(t, err, "has no findings of mesh scan")
	_, err = NewSearch[string](a, &Flags{baseline: paths[6]}, "scan")
	require.ErrorContains(t, err, paths[6])
}

// TestSearchKeepsTheOrder searches more files than there are processors.
func TestSearchKeepsTheOrder(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for i := range 200 {
		require.NoError(t, os.WriteFile(filepath.Join(root, strings.Repeat("x", i+1)), nil, 0o600))
	}
	s, err := NewSearch[int](&app.App{}, &Flags{}, "scan")
	require.NoError(t, err)
	assert.True(t, s.IsEmpty())
	s.Files([]string{root}, false, func(file, _ string) []Match[int] {
		return []Match[int]{{Value: len(filepath.Base(file))}}
	})
	require.Len(t, s.Found, 200)
	for i, length := range s.Found {
		assert.Equal(t, i+1, length)
	}
	assert.True(t, s.InFolder)
}
