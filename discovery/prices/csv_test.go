package prices_test

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

func TestCSVHasStableColumns(t *testing.T) {
	t.Parallel()
	list, err := new(prices.List).With(prices.Row{
		Provider: models.OpenAI, ModelHint: `a "model", of ours`, InputPerMTok: "0", OutputPerMTok: "0.0000001",
		TierThresholdTokens: 200_001, UsageUnit: "count", Source: "contract", ValidFrom: "2026-12-01", Mode: "batch",
	})
	require.NoError(t, err)
	var text strings.Builder
	require.NoError(t, list.WriteCSV(&text))
	assert.Equal(t, `provider,model_hint,sku_id,sku_description,input_per_mtok,output_per_mtok,cache_read_per_mtok,`+
		`cache_write_5m_per_mtok,cache_write_1h_per_mtok,tier_threshold_tokens,usage_unit,source,verified_at,valid_from,valid_until,modality,mode
openai,"a ""model"", of ours",,,0,0.0000001,,,,200001,count,contract,,2026-12-01,,,batch
`, text.String())
}

// TestCSVHasEveryPrice reads the CSV back and compares it with the rows' JSON.
func TestCSVHasEveryPrice(t *testing.T) {
	t.Parallel()
	rows := prices.BuiltIn().Rows("")
	var text strings.Builder
	require.NoError(t, prices.BuiltIn().WriteCSV(&text))
	require.NotContains(t, text.String(), "\r")
	lines, err := csv.NewReader(strings.NewReader(text.String())).ReadAll()
	require.NoError(t, err)
	require.Len(t, lines, len(rows)+1)
	for i := range rows {
		assert.Equal(t, jsonCells(t, lines[0], rows[i]), lines[i+1])
	}
}

// jsonCells returns a row's JSON fields as cells.
func jsonCells(t *testing.T, names []string, row prices.Row) []string {
	t.Helper()
	data, err := json.Marshal(row)
	require.NoError(t, err)
	decoder := json.NewDecoder(strings.NewReader(string(data)))
	decoder.UseNumber()
	var fields map[string]any
	require.NoError(t, decoder.Decode(&fields))
	cells := make([]string, len(names))
	for i, name := range names {
		require.Contains(t, fields, name)
		switch value := fields[name].(type) {
		case json.Number:
			cells[i] = value.String()
		case string:
			cells[i] = value
		}
	}
	return cells
}

// TestCSVHasEveryFieldOfTheJSON fails if a field is added to Row but not to the CSV.
func TestCSVHasEveryFieldOfTheJSON(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	require.NoError(t, new(prices.List).WriteCSV(&text))
	var wrong *prices.ValueError
	require.ErrorAs(t, prices.BuiltIn().WriteCSV(nil), &wrong)
	header := strings.Split(strings.TrimSpace(text.String()), ",")
	row := reflect.TypeFor[prices.Row]()
	for i := range row.NumField() {
		name := row.Field(i).Tag.Get("json")
		assert.True(t, slices.Contains(header, name), name)
	}
}

func TestCSVReturnsTheErrorOfTheWriter(t *testing.T) {
	t.Parallel()
	full := errors.New("the disk is full")
	assert.ErrorIs(t, prices.BuiltIn().WriteCSV(failingWriter{full}), full)
}

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
	for row, reason := range map[string]string{
		"Gr/oq,m,1,,,,\n": "must be openai, deepseek, anthropic, gemini, xai, or another name of at most 64 lower-case letters, digits, dots and hyphens",
		"groq,m,1,,2026-11-02,2026-11-01T00:00:00Z,\n": "must be after valid_from",
	} {
		_, err := prices.ReadCSV(strings.NewReader(header + row))
		require.ErrorContains(t, err, ": "+reason)
	}
	_, err := prices.ReadCSV(iotest.ErrReader(iotest.ErrTimeout))
	require.ErrorIs(t, err, iotest.ErrTimeout)
	_, err = prices.ReadCSV(nil)
	require.Error(t, err)
}

// FuzzReadCSV checks that With accepts all rows that ReadCSV returns, and that they
// survive another round trip.
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
