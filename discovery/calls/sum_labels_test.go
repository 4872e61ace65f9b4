package calls_test

import (
	"maps"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// TestMatchLabels checks that Sum selects the records that HasLabels accepts.
func TestMatchLabels(t *testing.T) {
	t.Parallel()
	const at = "2026-11-20T12:00:00Z"
	file := writeFiles(t, map[string]string{"calls.jsonl": strings.Join([]string{
		lineOf(at, `,"usd":"1","labels":{"team":"search","user":"ann"}`),
		lineOf(at, `,"usd":"10","labels":{"team":"search"}`),
		lineOf(at, `,"usd":"100","labels":{"user":"ann"}`),
		lineOf(at, `,"usd":"1000"`),
		lineOf(at, `,"usd":"10000","labels":{"team":null,"user":""}`),
		lineOf(at, `,"usd":"100000","labels":{"team":"Search"}`),
		lineOf(at, `,"usd":"1000000","labels":{"te\u0061m":"se\u0061rch"}`),
		lineOf(at, ",\"usd\":\"10000000\",\"labels\":{\"team\":\"x\xff\"}"),
	}, "\n")})
	for want, match := range map[string]map[string]string{
		"11111111": nil,
		"1000011":  {"team": "search"},
		"1":        {"team": "search", "user": "ann"},
		"1000010":  {"team": "search", "user": ""},
		"11100":    {"team": ""},
		"100":      {"user": "ann", "team": ""},
		"11111010": {"user": ""},
		"10000000": {"team": "x\ufffd"},
		"0":        {"team": "sear"},
	} {
		total := new(big.Rat)
		rows, err := sum(calls.Options{MatchLabels: match, By: [][]string{{"day", "label:team"}}}, file)
		require.NoError(t, err)
		for _, row := range rows {
			addAmount(total, row.USD)
		}
		assert.Equal(t, want, total.RatString(), slices.Collect(maps.Keys(match)))
		total.SetInt64(0)
		for r, err := range calls.Read(calls.Options{Recorded: true}, file) {
			require.NoError(t, err)
			if r.HasLabels(match) {
				addAmount(total, r.USD)
			}
		}
		assert.Equal(t, want, total.RatString(), "of records: %v", match)
	}
}

// Labels already seen in an earlier line aren't parsed again, but others may start the
// same way.
func TestLabelsThatBeginLikeOthers(t *testing.T) {
	t.Parallel()
	var lines []string
	for range 2 {
		for _, labels := range []string{`{"team":"a"}`, `{"team":"a}"}`, `{"team":"a\"}"}`, `{"team":"a","user":"}"}`, `{"user":"}","team":"b"}`, `{ "team":"b"}`, `{}`} {
			lines = append(lines, lineOf("2026-11-20T12:00:00Z", `,"usd":"1","labels":`+labels+`,"path":"/}"`))
		}
	}
	file := writeFiles(t, map[string]string{"calls.jsonl": strings.Join(lines, "\n")})
	want := map[string]int{"a": 4, "a}": 2, `a"}`: 2, "b": 4, "": 2}
	rows, err := sum(calls.Options{By: [][]string{{"label:team"}}}, file)
	require.NoError(t, err)
	got, read := map[string]int{}, map[string]int{}
	for _, row := range rows {
		got[row.Value("label:team")] = row.Calls
	}
	assert.Equal(t, want, got)
	for r, err := range calls.Read(calls.Options{}, file) {
		require.NoError(t, err)
		read[r.Labels["team"]]++
	}
	assert.Equal(t, want, read)
}

// Invalid lines are reported, whatever labels are selected.
func TestMatchLabelsReportsLinesThatCannotBeRead(t *testing.T) {
	t.Parallel()
	const at = "2026-11-20T12:00:00Z"
	rows, err := sumOf(t, calls.Options{MatchLabels: map[string]string{"team": "x"}},
		lineOf(at, `,"usd":"1","labels":{"team":"x"}`), lineOf(at, `,"usd":"1","labels":{"team":1}`), "{", lineOf(at, `,"usd":"1"`))
	require.Len(t, rows, 1)
	assert.Equal(t, 1, rows[0].Calls)
	assert.ErrorContains(t, err, "calls.jsonl:2: ")
	assert.ErrorContains(t, err, "calls.jsonl:3: ")
}

func addAmount(total *big.Rat, usd prices.USD) {
	amount, _ := new(big.Rat).SetString(string(usd))
	total.Add(total, amount)
}
