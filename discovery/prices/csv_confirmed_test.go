package prices_test

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

const confirmedColumns = "provider,model_id,above,valid_from,mode,modality,confirmed_at\n"

// verified returns when each row of a model was verified.
func verified(list *prices.List, model string) (days []string) {
	for _, r := range list.ForModel(models.OpenAI, model) {
		days = append(days, r.VerifiedAt)
	}
	return days
}

func TestWithConfirmedMovesTheVerification(t *testing.T) {
	t.Parallel()
	before := prices.BuiltIn()
	day := before.AsOf().AddDate(0, 0, 1).Format(time.DateOnly)
	list, err := before.WithConfirmed("# a comment\n" + confirmedColumns +
		"openai,gpt-4o,0,2024-10-16,,," + day + "\nopenai,gpt-4o,0,2024-05-13,,,2020-01-01\nopenai,gpt-4.1,0,,,,\nacme,acme-1,0,,,," + day + "\n")
	require.NoError(t, err)
	assert.Equal(t, day, list.AsOf().Format(time.DateOnly))
	assert.Contains(t, verified(list, "gpt-4o"), day)
	assert.Contains(t, verified(list, "gpt-4o"), "2024-09-06", "an earlier day changes nothing")
	assert.Equal(t, verified(before, "gpt-4.1"), verified(list, "gpt-4.1"), "a row without a day keeps its own")
	assert.NotContains(t, verified(before, "gpt-4o"), day, "the list itself stays")
	cost, err := list.CostOf(prices.Call{Provider: models.OpenAI, Model: "gpt-4o", Usage: thousand, At: on(t, "2026-11-22")})
	require.NoError(t, err)
	assert.Equal(t, day, *cost.VerifiedAt)

	var file bytes.Buffer
	require.NoError(t, list.Save(&file))
	loaded, err := prices.Load(&file)
	require.NoError(t, err)
	assert.Equal(t, list.Rows(""), loaded.Rows(""), "a saved list keeps the days")
}

// A table that replaces another one is compared by the days of its sources: confirmed rows do not make a table newer.
func TestWithTableAfterWithConfirmed(t *testing.T) {
	t.Parallel()
	csv, _ := prices.BuiltIn().Table()
	list, err := prices.BuiltIn().WithConfirmed(confirmedColumns + "openai,gpt-4.1,0,,,," + time.Now().UTC().Format(time.DateOnly) + "\n")
	require.NoError(t, err)
	again, err := list.WithTable(csv, "")
	require.NoError(t, err)
	assert.Len(t, again.Rows(""), len(list.Rows("")))
}

func TestWithConfirmedRefuses(t *testing.T) {
	t.Parallel()
	tomorrow, after := time.Now().UTC().AddDate(0, 0, 1).Format(time.DateOnly), time.Now().UTC().AddDate(0, 0, 2).Format(time.DateOnly)
	row := func(cells string) string { return confirmedColumns + cells + "\n" }
	_, err := prices.BuiltIn().WithConfirmed(row("openai,gpt-4.1,0,,,," + tomorrow))
	require.NoError(t, err, "today somewhere")
	for text, reason := range map[string]string{
		"":                                                              "the last line is not complete",
		"<html></html>\n":                                               "the columns are not those of this version",
		row("openai,gpt-4.1"):                                           "line 2: the number of cells is wrong",
		row("openai,gpt-4.1,0,,,," + after):                             "line 2: the day is in the future",
		row("openai,gpt-4.1,0,,,,2026-13-01"):                           "line 2: the day is not valid",
		row("openai,gpt-4.1,0,,,,yesterday"):                            "line 2: the day is not valid",
		row("openai,gpt-0,0,,,,2026-11-22"):                             "line 2: the table has no such row",
		row("openai,gpt-4.1,x,,,,2026-11-22"):                           "line 2: the table has no such row",
		row("openai,gpt-4.1,-1,,,,2026-11-22"):                          "line 2: the table has no such row",
		row("openai,gpt-4.1,0,x,,,2026-11-22"):                          "line 2: the table has no such row",
		row("openai,gpt-4.1,0,,batch,,2026-11-22"):                      "line 2: the table has no such row",
		row(",gpt-4.1,0,,,,2026-11-22"):                                 "line 2: the table has no such row",
		strings.TrimSuffix(row("openai,gpt-4.1,0,,,,2026-11-22"), "\n"): "the last line is not complete",
	} {
		list, err := prices.BuiltIn().WithConfirmed(text)
		var wrong *prices.ValueError
		require.ErrorAs(t, err, &wrong, text)
		assert.Contains(t, err.Error(), reason, text)
		assert.Nil(t, list)
	}
	var wrong *prices.ValueError
	_, err = new(prices.List).WithConfirmed(confirmedColumns)
	require.ErrorAs(t, err, &wrong, "a list without a table")
}

// The nightly job writes the file for the table beside it.
func TestConfirmedFileFitsTheTable(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("confirmed.csv")
	require.NoError(t, err)
	list, err := prices.BuiltIn().WithConfirmed(string(text))
	require.NoError(t, err)
	assert.Equal(t, list.Rows(""), prices.BuiltIn().Rows(""), "BuiltIn has the days")
	table, _ := prices.BuiltIn().Table()
	without, err := new(prices.List).WithTable(table, "")
	require.NoError(t, err)
	assert.NotEqual(t, verified(without, "gpt-realtime"), verified(list, "gpt-realtime"), "a day is later than the verification")
}
