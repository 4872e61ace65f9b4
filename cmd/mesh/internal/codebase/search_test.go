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

// Files are searched for their own names. The baseline has a, a comment accepts b, and c
// has no baseline entry.
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
	assert.Equal(t, []string{"c", "d", "e"}, s.Found, "in file order")
	assert.Equal(t, 5, s.Texts)
	assert.False(t, s.InFolder)
	assert.Equal(t, []string{"1 place ignored by comments", "1 place known from the baseline"}, s.Notes())
	require.ErrorContains(t, s.UnreadError(), paths[6])
	s.Files(paths[5:6], true, find)
	assert.Contains(t, s.Found, "binary")
	assert.False(t, s.IsEmpty())

	_, err = NewSearch[string](a, &Flags{baseline: known}, "scan")
	require.ErrorContains(t, err, "has no mesh scan findings")
	_, err = NewSearch[string](a, &Flags{baseline: paths[6]}, "scan")
	require.ErrorContains(t, err, paths[6])
}

// There are more files than processors.
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

func TestIsIgnored(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]bool{
		"mesh:ignore": true, "x // mesh:ignore": true, "# mesh:ignore: a test": false, "# mesh:ignore, a test": true, "<!-- mesh:ignore -->": true, "/*mesh:ignore*/": true,
		"mesh:ignored mesh:ignore": true, "é mesh:ignore\xff": true, "(mesh:ignore)": true, "mesh:ignore\r": true,
		"": false, "mesh:ignored": false, "my-mesh:ignore": false, "mesh:ignore-file": false, "mesh:ignore_": false, "mesh:ignoremesh:ignore": false, "mesh: ignore": false,
	} {
		assert.Equal(t, want, isIgnored(line), "%q", line)
		assert.Equal(t, want, isIgnored(line+"\nmesh:ignore"), "%q", line)
	}
}

// A file's name must not start another workflow command or set a property.
func TestAnnotationIsOneCommand(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	require.NoError(t, writeAnnotations(&out, []Annotation{{"a,line=9\r\n::set-output x:y%0A", 3, 0, "t:,\n", "replace: a,b\n::warning::x%"}}))
	assert.Equal(t, "::error file=a%2Cline=9%0D%0A%3A%3Aset-output x%3Ay%250A,line=3,title=t%3A%2C%0A::replace: a,b%0A::warning::x%25\n", out.String())
	assert.Equal(t, 1, strings.Count(out.String(), "\n"))
	out.Reset()
	require.NoError(t, writeAnnotations(&out, []Annotation{{"a\x1b]0;t\a\u009b31m\x9b.go", 3, 7, "t\x1b", "x\x1b[2J\u202e"}}))
	assert.Equal(t, "::error file=a\uFFFD]0;t\uFFFD\uFFFD31m\uFFFD.go,line=3,col=7,title=t\uFFFD::x\uFFFD[2J\uFFFD\n", out.String())
}
