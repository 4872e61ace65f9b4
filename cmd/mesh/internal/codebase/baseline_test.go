package codebase

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestBaseline(t *testing.T) {
	t.Parallel()
	root := tree(t, "sub/a")
	file := filepath.Join(root, "sub", "known")
	b := newBaseline(file)
	assert.Equal(t, "a", b.path(filepath.Join(root, "sub", "a")))
	assert.Equal(t, "../x/y", b.path(filepath.Join(root, "x", "y")))
	assert.Equal(t, "-", b.path("-"))
	assert.Equal(t, "\ufffd", b.path(filepath.Join(root, "sub", "\xff")), "replaced as in JSON")
	for _, f := range []Entry{{File: filepath.Join(root, "sub", "b<"), What: "m"}, {File: filepath.Join(root, "sub", "a"), What: "n"}, {File: filepath.Join(root, "sub", "b<"), What: "m"}} {
		b.add(f)
	}
	assert.Equal(t, 3, b.size())
	require.NoError(t, b.write(file))
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, `{"file":"a","finding":"n","count":1}`+"\n"+`{"file":"b<","finding":"m","count":2}`+"\n", string(text))

	known, err := openBaseline(file)
	require.NoError(t, err)
	for _, want := range []bool{true, true, false} {
		assert.Equal(t, want, known.knows(Entry{File: filepath.Join(root, "sub", "b<"), What: "m"}), "each one counts once")
	}
	assert.False(t, known.knows(Entry{File: filepath.Join(root, "sub", "b<"), What: "n"}))
	assert.True(t, known.knows(Entry{File: filepath.Join(root, "sub", "a"), What: "n"}))

	_, err = openBaseline(file + "x")
	require.ErrorIs(t, err, os.ErrNotExist)
	for _, line := range []string{"x", "{}", `{"file":"a","finding":"m","count":0}`, `{"file":"","finding":"m","count":1}`, "", "[]"} {
		require.NoError(t, os.WriteFile(file, []byte(`{"file":"a","finding":"n","count":1}`+"\n"+line+"\n"), 0o600))
		_, err = openBaseline(file)
		require.ErrorContains(t, err, "known:2 is not a baseline line", line)
	}
}

func TestIsBaseline(t *testing.T) {
	t.Parallel()
	line := `{"file":"a","finding":"n","count":1}` + "\n"
	for text, want := range map[string]bool{
		line: true, line + line: true, line + `{"fi`: true,
		"": false, `{"file":"a"`: false, line + "key\n": false, "\n" + line: false, line + "\n": false,
	} {
		assert.Equal(t, want, IsBaseline(text), "%q", text)
	}
}

// A hash prefix identifies the credential, its rule and its file.
func TestCredentialsInABaseline(t *testing.T) {
	t.Parallel()
	b, seen := newBaseline("known"), map[string]bool{}
	for _, e := range []Entry{{"a", "rule", "key"}, {"b", "rule", "key"}, {"a", "rulekey", "x"}, {"a", "rule", "key2"}, {"arule", "x", "key"}} {
		inside := b.entry(e)
		_, print, _ := strings.Cut(inside.What, " ")
		assert.Equal(t, Entry{File: e.File, What: e.What + " " + print}, inside)
		assert.Regexp(t, `^[0-9a-f]{16}$`, print)
		assert.False(t, seen[print])
		seen[print] = true
	}
}
