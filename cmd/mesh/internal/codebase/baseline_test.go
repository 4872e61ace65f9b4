package codebase_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/codebase"
)

func TestBaseline(t *testing.T) {
	t.Parallel()
	root := tree(t, "sub/a")
	file := filepath.Join(root, "sub", "known")
	b := codebase.NewBaseline(file)
	assert.Equal(t, "a", b.In(filepath.Join(root, "sub", "a")))
	assert.Equal(t, "../x/y", b.In(filepath.Join(root, "x", "y")))
	assert.Equal(t, "-", b.In("-"))
	for _, f := range []codebase.Finding{{File: "b<", What: "m"}, {File: "a", What: "n"}, {File: "b<", What: "m"}} {
		b.Add(f)
	}
	assert.Equal(t, 3, b.Len())
	require.NoError(t, b.Write(file))
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, `{"file":"a","finding":"n","count":1}`+"\n"+`{"file":"b<","finding":"m","count":2}`+"\n", string(text))

	known, err := codebase.OpenBaseline(file)
	require.NoError(t, err)
	for _, want := range []bool{true, true, false} {
		assert.Equal(t, want, known.Knows(codebase.Finding{File: "b<", What: "m"}), "each one counts once")
	}
	assert.False(t, known.Knows(codebase.Finding{File: "b<", What: "n"}))
	assert.Equal(t, 1, known.Len())

	_, err = codebase.OpenBaseline(file + "x")
	require.ErrorIs(t, err, os.ErrNotExist)
	for _, line := range []string{"x", "{}", `{"file":"a","finding":"m","count":0}`, `{"file":"","finding":"m","count":1}`, "", "[]"} {
		require.NoError(t, os.WriteFile(file, []byte(`{"file":"a","finding":"n","count":1}`+"\n"+line+"\n"), 0o600))
		_, err = codebase.OpenBaseline(file)
		require.ErrorContains(t, err, "known:2 is no line of a baseline", line)
	}
}

func TestIsBaseline(t *testing.T) {
	t.Parallel()
	line := `{"file":"a","finding":"n","count":1}` + "\n"
	for text, want := range map[string]bool{
		line: true, line + line: true, line + `{"fi`: true,
		"": false, `{"file":"a"`: false, line + "key\n": false, "\n" + line: false, line + "\n": false,
	} {
		assert.Equal(t, want, codebase.IsBaseline(text), "%q", text)
	}
}

func TestFingerprint(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, c := range [][3]string{{"a", "rule", "key"}, {"b", "rule", "key"}, {"a", "rulekey", ""}, {"a", "rule", "key2"}, {"arule", "", "key"}} {
		print := codebase.Fingerprint(codebase.Finding{File: c[0], What: c[1]}, c[2])
		assert.Regexp(t, `^[0-9a-f]{16}$`, print)
		assert.False(t, seen[print])
		seen[print] = true
	}
}
