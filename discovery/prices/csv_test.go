package prices_test

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

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
