package mentions_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/mentions"
)

func TestWords(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]mentions.Word{
		"":                              nil,
		"model: gpt-4o\n":               {{"gpt-4o", 1, false}},
		"\n\r\nuse gpt-4o, or gpt-4.":   {{"gpt-4o", 3, false}, {"gpt-4", 3, false}},
		`m := "o1"; o1 = 'o3' + "o1 x"`: {{"o1", 1, true}, {"o3", 1, true}},
		"`o1` \"o1'":                    {{"o1", 1, true}},
		`"{\"model\":\"o1\"}"`:          {{"model", 1, true}, {"o1", 1, true}},
		`"o1.`:                          nil,
		"my_gpt-4 GPT-4 Gpt-4":          nil,
		"my-gpt-4 gpt-4-x":              {{"my-gpt-4", 1, false}, {"gpt-4-x", 1, false}},
		"“gpt-4”":                       {{"gpt-4", 1, false}},
		"'openai/gpt-4'":                {{"openai/gpt-4", 1, true}},
		"- -- ... ://":                  nil,
	} {
		assert.Equal(t, want, slices.Collect(mentions.Words([]byte(text))), text)
	}
}

func TestParts(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"gpt-4o":                        {"gpt-4o"},
		"https://h/v1/gpt-4o/x":         {"https://h/v1/gpt-4o/x", "gpt-4o"},
		"ft:gpt-4-0613:acme::1":         {"ft:gpt-4-0613:acme::1"},
		"x:gpt-4-:claude-2@text-bison.": {"x:gpt-4-:claude-2@text-bison.", "gpt-4", "claude-2", "text-bison"},
	} {
		assert.Equal(t, want, mentions.Word{Text: text}.Parts())
	}
}

func TestFiles(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for _, name := range []string{"a/b.go", "a/.github/c.yml", "a/.git/d", "a/node_modules/e.js", "a/x/vendor/f.go", "g", "vendor/h"} {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(root, name), nil, 0o600))
	}
	list := func(names ...string) (found []string) {
		for i := range names {
			names[i] = filepath.Join(root, names[i])
		}
		for path, err := range mentions.Files(names) {
			if err != nil {
				require.ErrorIs(t, err, fs.ErrNotExist)
				path += " is missing"
			}
			found = append(found, filepath.ToSlash(path[len(root)+1:]))
		}
		return found
	}
	assert.Equal(t, []string{"a/.github/c.yml", "a/b.go", "g", "no is missing", "vendor/h"}, list("a", "g", "no", "vendor"))
	for range mentions.Files([]string{filepath.Join(root, "a"), root}) {
		break
	}
}
