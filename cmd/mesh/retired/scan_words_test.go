package retired_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/retired"
)

func TestWords(t *testing.T) {
	t.Parallel()
	word := func(text string) retired.Word { return retired.Word{Text: text} }
	value := func(text string) retired.Word { return retired.Word{Text: text, Value: true} }
	for text, want := range map[string][]retired.Word{
		"":                              nil,
		"model: gpt-4o\n":               {value("gpt-4o")},
		"\n\r\nuse gpt-4o, or gpt-4.":   {word("gpt-4o"), word("gpt-4")},
		`m := "o1"; o1 = 'o3' + "o1 x"`: {value("o1"), value("o3")},
		"`o1` \"o1'":                    {value("o1")},
		`"{\"model\":\"o1\"}"`:          {value("model"), value("o1")},
		`"o1.`:                          nil,
		"my_gpt-4 GPT-4 Gpt-4":          nil,
		"my-gpt-4 gpt-4-x":              {word("my-gpt-4"), word("gpt-4-x")},
		"“gpt-4”":                       {word("gpt-4")},
		"'openai/gpt-4'":                {value("openai/gpt-4")},
		"- -- ... ://":                  nil,
		"'o1'\r\nuse gpt-4\r\n":         {value("o1"), word("gpt-4")},

		"vertex_ai/gpt-4 Org/gpt-4 x/My_gpt-4": {word("vertex_ai/gpt-4"), word("Org/gpt-4")},

		"gpt-5* gpt-5.* gpt-5-* gpt-5- 'gpt-5*' *gpt-5": {word("gpt-5")},
		"*gpt-4* and **gpt-4**":                         {word("gpt-4"), word("gpt-4")},

		"model: o1":                {value("o1")},
		"model: o1 # the best":     {value("o1")},
		"chat_model:\to1\r\nx: o1": {value("o1")},
		`{"model": o1}`:            {value("model"), value("o1")},
		"defaultModel: o1,":        {value("o1")},
		"ENV OPENAI_MODEL=o1":      {value("o1")},
		"model: o1(x) model: o1.x": {value("o1.x")},
		"model=o1 models: o1 model o1 model:o1 MODEL= o1": nil,
	} {
		var got []retired.Word
		for w := range retired.Words(text) {
			assert.Equal(t, w.Text, text[w.At:w.At+len(w.Text)])
			w.At = 0
			got = append(got, w)
		}
		assert.Equal(t, want, got, text)
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

// Words must be whole and in order.
func FuzzWords(f *testing.F) {
	f.Add("model: o1 # x\n**gpt-4** vertex_ai/gpt-4* 'o1'")
	f.Fuzz(func(t *testing.T, text string) {
		end := 0
		for word := range retired.Words(text) {
			require.GreaterOrEqual(t, word.At, end)
			end = word.At + len(word.Text)
			require.Equal(t, word.Text, text[word.At:end])
			require.NotEmpty(t, word.Text)
			for _, id := range word.IDs() {
				require.Contains(t, word.Text, id)
			}
		}
	})
}
