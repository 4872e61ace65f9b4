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
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
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

// TestCSVHasEveryPrice reads the CSV back and compares it with the JSON of the same rows.
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

// jsonCells returns the fields of a row's JSON as cells.
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

// TestCSVHasEveryFieldOfTheJSON fails when a field is added to Row and not to the CSV.
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

func TestWithTableReplacesTheTable(t *testing.T) {
	t.Parallel()
	builtIn := prices.BuiltIn()
	csv, tag := builtIn.Table()
	assert.Empty(t, tag)
	own, err := builtIn.With(ownRow())
	require.NoError(t, err)
	list, err := own.WithTable(csv, `"v2"`)
	require.NoError(t, err)
	again, tag := list.Table()
	assert.Equal(t, csv, again)
	assert.Equal(t, `"v2"`, tag)
	assert.Len(t, list.Rows(""), len(own.Rows("")))
	assert.Equal(t, own.Rows("")[0], list.Rows("")[0], "the own row stays")
	assert.Contains(t, list.Rows("")[1].Source, "; price table of ")
	same, err := list.WithTable(csv, `"v3"`)
	require.NoError(t, err)
	assert.Equal(t, list.Rows(""), same.Rows(""))
}

func TestWithTableOfAnEmptyList(t *testing.T) {
	t.Parallel()
	csv, _ := prices.BuiltIn().Table()
	empty := new(prices.List)
	text, tag := empty.Table()
	assert.Empty(t, text+tag)
	list, err := empty.WithTable(csv, "")
	require.NoError(t, err)
	assert.Len(t, list.Rows(""), len(prices.BuiltIn().Rows("")))
}

func TestWithTableRefuses(t *testing.T) {
	t.Parallel()
	csv, _ := prices.BuiltIn().Table()
	var damaged *discovery.ValueError
	for _, text := range []string{"", "x", strings.Replace(csv, "anthropic,", ",", 1)} {
		_, err := prices.BuiltIn().WithTable(text, "")
		require.ErrorAs(t, err, &damaged)
	}
	lines := strings.SplitAfter(csv, "\n")
	_, err := prices.BuiltIn().WithTable(strings.Join(lines[:len(lines)/2], ""), "")
	require.ErrorIs(t, err, prices.ErrOldTable)
}

const tableColumns = "provider,model_id,above,input,cache_read,cache_write_5m,cache_write_1h,output,valid_from,valid_until,sources,verified_at,same_as,mode,modality"

// Released programs refuse a table with other columns. A row with a further column would otherwise be read without it, as the price
// of calls that it is not for.
func TestWithTableRefusesOtherColumns(t *testing.T) {
	t.Parallel()
	csv, _ := prices.BuiltIn().Table()
	require.Contains(t, csv, "\n"+tableColumns+"\n", "the columns of prices.csv are a promise")
	for name, change := range map[string]func(cells []string) []string{
		"a further column":  func(cells []string) []string { return append(cells, "x") },
		"reordered columns": func(cells []string) []string { slices.Reverse(cells); return cells },
		"a missing column":  func(cells []string) []string { return cells[:len(cells)-1] },
		"a renamed column":  func(cells []string) []string { cells[1] = "x"; return cells },
	} {
		var table strings.Builder
		for line := range strings.Lines(csv) {
			if !strings.HasPrefix(line, "#") {
				line = strings.Join(change(strings.Split(strings.TrimSuffix(line, "\n"), ",")), ",") + "\n"
			}
			table.WriteString(line)
		}
		var damaged *discovery.ValueError
		_, err := prices.BuiltIn().WithTable(table.String(), "")
		require.ErrorAs(t, err, &damaged, name)
		assert.Contains(t, err.Error(), "the columns are not those of this version", name)
	}
}

// A later table may have more comments, and rows with providers, modes, modalities and sources that this version does not know.
func TestWithTableOfALaterVersion(t *testing.T) {
	t.Parallel()
	csv, _ := prices.BuiltIn().Table()
	day := prices.BuiltIn().AsOf().Format(time.DateOnly)
	later := "# A further comment.\n" + csv + "openai,gpt-4.1,0,7,,,,9,,,page+newfeed," + day + ",,dream,video\nopenai,gpt-later,0,1,,,,2,,,newfeed+other," + day + ",,,\n" +
		"acme,acme-1,0,1,,,,2,,,page," + day + ",,,\n"
	list, err := prices.BuiltIn().WithTable(later, "")
	require.NoError(t, err)
	call := prices.Call{Provider: models.OpenAI, Model: "gpt-4.1", Usage: thousand, At: time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)}
	before, err := prices.BuiltIn().CostOf(call)
	require.NoError(t, err)
	after, err := list.CostOf(call)
	require.NoError(t, err)
	assert.Equal(t, before.USD, after.USD)
	assert.Empty(t, list.Rows("acme"))
	rows := list.ForModel(models.OpenAI, "gpt-later")
	require.Len(t, rows, 1)
	assert.True(t, strings.HasPrefix(rows[0].Source, "third-party tables (newfeed, other), not confirmed"), rows[0].Source)
}

func ownRow() prices.Row {
	return prices.Row{Provider: models.OpenAI, ModelHint: "own", InputPerMTok: "1", OutputPerMTok: "1"}
}
