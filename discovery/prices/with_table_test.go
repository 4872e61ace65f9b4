package prices_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

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
