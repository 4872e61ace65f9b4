package retired_test

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/codebase"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/retired"
)

func TestWords(t *testing.T) {
	t.Parallel()
	word := func(text string, line int) retired.Word { return retired.Word{Text: text, Line: line} }
	value := func(text string, line int) retired.Word { return retired.Word{Text: text, Line: line, Value: true} }
	ignored := func(text string, line int) retired.Word {
		return retired.Word{Text: text, Line: line, Ignored: true}
	}
	for text, want := range map[string][]retired.Word{
		"":                              nil,
		"model: gpt-4o\n":               {value("gpt-4o", 1)},
		"\n\r\nuse gpt-4o, or gpt-4.":   {word("gpt-4o", 3), word("gpt-4", 3)},
		`m := "o1"; o1 = 'o3' + "o1 x"`: {value("o1", 1), value("o3", 1)},
		"`o1` \"o1'":                    {value("o1", 1)},
		`"{\"model\":\"o1\"}"`:          {value("model", 1), value("o1", 1)},
		`"o1.`:                          nil,
		"my_gpt-4 GPT-4 Gpt-4":          nil,
		"my-gpt-4 gpt-4-x":              {word("my-gpt-4", 1), word("gpt-4-x", 1)},
		"“gpt-4”":                       {word("gpt-4", 1)},
		"'openai/gpt-4'":                {value("openai/gpt-4", 1)},
		"- -- ... ://":                  nil,
		"'o1'\r\nuse gpt-4\r\n":         {value("o1", 1), word("gpt-4", 2)},

		"vertex_ai/gpt-4 Org/gpt-4 x/My_gpt-4": {word("vertex_ai/gpt-4", 1), word("Org/gpt-4", 1)},

		"gpt-5* gpt-5.* gpt-5-* gpt-5- 'gpt-5*' *gpt-5": {word("gpt-5", 1)},
		"*gpt-4* and **gpt-4**":                         {word("gpt-4", 1), word("gpt-4", 1)},

		"model: o1":                {value("o1", 1)},
		"model: o1 # the best":     {value("o1", 1)},
		"chat_model:\to1\r\nx: o1": {value("o1", 1)},
		`{"model": o1}`:            {value("model", 1), value("o1", 1)},
		"defaultModel: o1,":        {value("o1", 1)},
		"ENV OPENAI_MODEL=o1":      {value("o1", 1)},
		"model: o1(x) model: o1.x": {value("o1.x", 1)},
		"model=o1 models: o1 model o1 model:o1 MODEL= o1": nil,

		"gpt-4 // mesh:ignore\ngpt-4":     {ignored("gpt-4", 1), word("gpt-4", 2)},
		"x\n# mesh:ignore gpt-4\n\ngpt-4": {ignored("gpt-4", 2), word("gpt-4", 4)},
		"gpt-4 mesh:ignore-file":          {word("gpt-4", 1), word("mesh:ignore-file", 1)},
	} {
		assert.Equal(t, want, slices.Collect(retired.Words([]byte(text))), text)
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
		var got []retired.Word
		for word, err := range retired.Read(strings.NewReader(text)) {
			require.NoError(t, err, name)
			got = append(got, word)
		}
		assert.True(t, slices.Equal(slices.Collect(retired.Words([]byte(text))), got), "%s: %d words", name, len(got))
	}
	for word := range retired.Read(strings.NewReader("gpt-4o gpt-4")) {
		assert.Equal(t, "gpt-4o", word.Text)
		break
	}
}

func TestReadEndsWithAnError(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	for want, r := range map[error]io.Reader{
		retired.ErrBinary: strings.NewReader(strings.Repeat("gpt-4o\n", 200_000) + "\x00"),
		broken:            io.MultiReader(strings.NewReader("gpt-4o\n"), iotest.ErrReader(broken)),
	} {
		var last error
		for word, err := range retired.Read(r) {
			require.NoError(t, last, "the error is the end")
			assert.True(t, word.Text == "gpt-4o" || err != nil)
			last = err
		}
		require.ErrorIs(t, last, want)
	}
}

func TestIDs(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"gpt-4o":                {"gpt-4o"},
		"https://h/v1/gpt-4o/x": {"https://h/v1/gpt-4o/x", "//h/v1/gpt-4o/x", "/h/v1/gpt-4o/x", "h/v1/gpt-4o/x", "v1/gpt-4o/x", "gpt-4o/x", "gpt-4o"},
		"ft:gpt-4-0613:acme::1": {"ft:gpt-4-0613:acme::1"},
		"openai/ft:gpt-4:x::1":  {"openai/ft:gpt-4:x::1", "ft:gpt-4:x::1"},
		"x:gpt-4-:claude-2@text-bison.": {"x:gpt-4-:claude-2@text-bison.", "gpt-4-:claude-2@text-bison.", "claude-2@text-bison.",
			"claude-2", "text-bison"},
		"azure/o1":      {"azure/o1", "o1"},
		"openai:o1":     {"openai:o1", "o1"},
		"models/ada":    {"models/ada"},
		"b/a.c-v2:1":    {"b/a.c-v2:1", "a.c-v2:1", "a.c-v2"},
		"openai":        {"openai"},
		"openai:":       {"openai:"},
		"":              {""},
		"x_y/gpt-4":     {"x_y/gpt-4", "gpt-4", "gpt-4"},
		"gateway/a:b-c": {"gateway/a:b-c", "a:b-c", "b-c", "b-c"},
	} {
		assert.Equal(t, want, retired.IDs(text), text)
	}
	assert.Equal(t, []string{"gpt-4", "gpt-4"}, retired.Word{Text: "x_y/gpt-4"}.IDs())
}

// FuzzWords checks that words are whole, in order and on their lines.
func FuzzWords(f *testing.F) {
	f.Add([]byte("model: o1 # mesh:ignore\n**gpt-4** vertex_ai/gpt-4* 'o1'"))
	f.Fuzz(func(t *testing.T, text []byte) {
		lines := strings.Split(string(text), "\n")
		last := 1
		for word := range retired.Words(text) {
			require.GreaterOrEqual(t, word.Line, last)
			last = word.Line
			require.Contains(t, lines[word.Line-1], word.Text)
			require.Equal(t, codebase.IsIgnored(lines[word.Line-1]), word.Ignored)
			require.NotEmpty(t, word.Text)
			for _, id := range word.IDs() {
				require.Contains(t, word.Text, id)
			}
		}
	})
}
