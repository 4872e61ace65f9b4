package prices_test

import (
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// The rows that WriteCSV writes are read back as they were.
func TestReadCSVReadsWhatWriteCSVWrites(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	require.NoError(t, prices.BuiltIn().WriteCSV(&text))
	rows, err := prices.ReadCSV(iotest.OneByteReader(strings.NewReader(text.String())))
	require.NoError(t, err)
	assert.Equal(t, prices.BuiltIn().Rows(""), rows)
}

func TestReadCSVOfAUser(t *testing.T) {
	t.Parallel()
	rows, err := prices.ReadCSV(strings.NewReader("\ufeffmodel_hint,provider,input_per_mtok,output_per_mtok\n# our hosts\n\"qwen3, ours\", local ,0,0\r\nllama-3.3-70b,groq,0.59,0.79\n"))
	require.NoError(t, err)
	assert.Equal(t, []prices.Row{
		{Provider: "local", ModelHint: "qwen3, ours", InputPerMTok: "0", OutputPerMTok: "0"},
		{Provider: "groq", ModelHint: "llama-3.3-70b", InputPerMTok: "0.59", OutputPerMTok: "0.79"},
	}, rows)
	list, err := prices.BuiltIn().With(rows...)
	require.NoError(t, err)
	assert.Equal(t, []models.Provider{"anthropic", "deepseek", "gemini", "groq", "local", "openai", "xai"}, list.Providers())
	assert.Empty(t, new(prices.List).Providers())

	rows, err = prices.ReadCSV(strings.NewReader("provider,model_hint"))
	require.NoError(t, err)
	assert.Equal(t, []prices.Row{}, rows)
}

func TestReadCSVNamesTheLineAndTheColumn(t *testing.T) {
	t.Parallel()
	const header = "provider,model_hint,input_per_mtok,tier_threshold_tokens,valid_from,valid_until,modality\n"
	const row = "groq,m,1,,,,\n"
	for text, field := range map[string]string{
		"":                                        "line 1",
		"provider\n":                              "line 1",
		"provider,model_hint,price\n":             "line 1, column 3",
		"provider,model_hint,provider\n":          "line 1, column 3",
		header + row + "groq,m,1\n":               "line 3",
		header + row + "groq,m,\"1,,,,\n":         "line 4, column 0",
		header + row + "groq,m,1x,,,,\n":          "line 3, column input_per_mtok",
		header + row + "groq,m,-1,,,,\n":          "line 3, column input_per_mtok",
		header + row + "groq,m,1,many,,,\n":       "line 3, column tier_threshold_tokens",
		header + row + "groq,m,1,-1,,,\n":         "line 3, column tier_threshold_tokens",
		header + row + "groq,m,1,,soon,,\n":       "line 3, column valid_from",
		header + row + "groq,m,1,,,never,\n":      "line 3, column valid_until",
		header + row + "groq,m,1,,,,smell\n":      "line 3, column modality",
		header + "\n\n" + row + "Gr/oq,m,1,,,,\n": "line 5, column provider",
		header + row + ",m,1,,,,\n":               "line 3, column provider",
		header + row + "groq, ,1,,,,\n":           "line 3, column model_hint",
	} {
		rows, err := prices.ReadCSV(strings.NewReader(text))
		var wrong *prices.ValueError
		require.ErrorAs(t, err, &wrong, text)
		if !strings.HasPrefix(field, "line 4") {
			assert.Contains(t, wrong.Reason, " in "+field+": ", text)
		} else {
			assert.Regexp(t, `^is wrong in line \d, column \d+: `, wrong.Reason)
		}
		assert.Nil(t, rows)
	}
	_, err := prices.ReadCSV(iotest.ErrReader(iotest.ErrTimeout))
	require.ErrorIs(t, err, iotest.ErrTimeout)
	_, err = prices.ReadCSV(nil)
	require.Error(t, err)
}

// FuzzReadCSV checks that rows that are read are rows of With, and are read again as they are.
func FuzzReadCSV(f *testing.F) {
	f.Add("provider,model_hint,input_per_mtok\ngroq,m,1\n")
	f.Add("provider,model_hint,mode,valid_from\nopenai,\"m\",batch,2026-01-01\n")
	f.Fuzz(func(t *testing.T, text string) {
		rows, err := prices.ReadCSV(strings.NewReader(text))
		if err != nil {
			assert.Nil(t, rows)
			return
		}
		list, err := new(prices.List).With(rows...)
		require.NoError(t, err)
		var out strings.Builder
		require.NoError(t, list.WriteCSV(&out))
		again, err := prices.ReadCSV(strings.NewReader(out.String()))
		require.NoError(t, err)
		require.Len(t, again, len(rows))
		for i := range rows {
			if rows[i].Source == "" {
				rows[i].Source = again[i].Source
			}
		}
		assert.Equal(t, rows, again)
	})
}
