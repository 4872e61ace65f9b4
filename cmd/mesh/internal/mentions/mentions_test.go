package mentions_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

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
		"'o1'\r\nuse gpt-4\r\n":         {{"o1", 1, true}, {"gpt-4", 2, false}},
	} {
		assert.Equal(t, want, slices.Collect(mentions.Words([]byte(text))), text)
	}
}

// TestReadFindsTheWordsOfTheWhole checks files that are larger than a part, with and without line breaks, against Words.
func TestReadFindsTheWordsOfTheWhole(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"empty":          "",
		"no line break":  `x = "o1"`,
		"lines":          strings.Repeat("m = \"o1\" // gpt-4o\r\n\n", 60_000),
		"one line":       strings.Repeat(`{"model":"o1","other":"gpt-4o"}, `, 50_000),
		"no separators":  strings.Repeat("a", 3<<20) + ` "o1"`,
		"then a line":    strings.Repeat(`"o1" `, 250_000) + "\n'gpt-4'",
		"line too short": "\n\n\ngpt-4o",
	} {
		var got []mentions.Word
		for word, err := range mentions.Read(strings.NewReader(text)) {
			require.NoError(t, err, name)
			got = append(got, word)
		}
		assert.True(t, slices.Equal(slices.Collect(mentions.Words([]byte(text))), got), "%s: %d words", name, len(got))
	}
	for word := range mentions.Read(strings.NewReader("gpt-4o gpt-4")) {
		assert.Equal(t, "gpt-4o", word.Text)
		break
	}
}

func TestReadEndsWithAnError(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	for want, r := range map[error]io.Reader{
		mentions.ErrBinary: strings.NewReader(strings.Repeat("gpt-4o\n", 200_000) + "\x00"),
		broken:             io.MultiReader(strings.NewReader("gpt-4o\n"), iotest.ErrReader(broken)),
	} {
		var last error
		for word, err := range mentions.Read(r) {
			require.NoError(t, last, "the error is the end")
			assert.True(t, word.Text == "gpt-4o" || err != nil)
			last = err
		}
		require.ErrorIs(t, last, want)
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
	folder := filepath.Join(root, "a", "x")
	require.NoError(t, os.Chmod(folder, 0))
	defer os.Chmod(folder, 0o700)
	for path, err := range mentions.Files([]string{filepath.Join(root, "a")}) {
		if err != nil { // not for root
			require.ErrorContains(t, err, folder, "%s", path)
		}
	}
	for range mentions.Files([]string{filepath.Join(root, "a"), root}) {
		break
	}
}
