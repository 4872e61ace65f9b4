package pricelist_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery/internal/pricelist"
	"github.com/mesh-gateway/mesh-go/discovery/internal/usage"
)

// A fee needs the provider's own page or two sources, unless it's 0 or unknown.
func TestEveryFeeHasItsSources(t *testing.T) {
	t.Parallel()
	list := lines(t, "fees.csv")
	require.Len(t, terms().Fees, len(list))
	for i, cells := range list {
		require.Len(t, cells, 10, cells)
		assert.Regexp(t, `^(request|query|prompt|source|container)$`, cells[2])
		assert.Regexp(t, `^(\d+(\.\d*[1-9])?)?$`, cells[3])
		assert.Regexp(t, `^(20\d\d-\d\d-\d\d(T\d\d:\d\d:\d\dZ)?)?$`, cells[5])
		assert.Regexp(t, `^(20\d\d-\d\d-\d\d)?$`, cells[6])
		assert.Regexp(t, `^(never)?$`, cells[7])
		sources := strings.Split(cells[8], "+")
		assert.True(t, len(sources) > 1 || sources[0] == "page" || cells[3] == "" || cells[3] == "0", cells)
		fee := terms().Fees[i]
		assert.Equal(t, cells[3] != "", fee.USD != nil, cells)
		assert.NotRegexp(t, `\(\)|, ,|; ;|  |^$`, fee.Source)
	}
}

// A region's factor needs the provider's own page or two sources, or has a question mark.
func TestEveryRegionHasItsSources(t *testing.T) {
	t.Parallel()
	for _, cells := range lines(t, "regions.csv") {
		require.Len(t, cells, 8, cells)
		assert.Regexp(t, `^(bedrock|vertex|azure)$`, cells[1])
		assert.Regexp(t, `^(1(\.\d)?\??)?$`, cells[2])
		assert.Equal(t, !strings.Contains(cells[7], "+") && cells[2] != "", strings.HasSuffix(cells[2], "?"), cells)
		assert.Equal(t, cells[2] == "", cells[7] == "", cells)
		assert.NotContains(t, cells[3:6], "", cells)
	}
}

// If the longest matching pattern's fee isn't valid now, shorter patterns don't replace
// it, whatever their order.
func TestFeeOfTheLongestPattern(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)
	rows := []pricelist.Row{{Model: "gpt-5-mini", Input: pricelist.ParsePrice("1")}}
	all := pricelist.Fee{What: "search", Scope: pricelist.Scope{Models: []string{"*", "gpt-5*"}}, USD: pricelist.ParsePrice("1")}
	ended := pricelist.Fee{What: "search", Scope: pricelist.Scope{Models: []string{"gpt-5-mini*"}, Until: at}, USD: pricelist.ParsePrice("2")}
	now := ended
	now.From, now.Until, now.USD = at, time.Time{}, pricelist.ParsePrice("3")
	for want, lists := range map[string][][]pricelist.Fee{
		"":  {{all, ended}, {ended, all}},
		"1": {{all}},
		"3": {{all, ended, now}, {now, ended, all}},
	} {
		for _, fees := range lists {
			call := pricelist.Call{Model: "gpt-5-mini", At: at, Usage: usage.Usage{ToolUses: map[string]int64{"search": 2}}, Terms: &pricelist.Terms{Fees: fees}}
			charge, err := call.ByList(rows, nil)
			if want == "" {
				assert.Equal(t, &pricelist.UnknownError{What: "tool", Name: "search"}, err)
				continue
			}
			require.NoError(t, err)
			require.Len(t, charge.Uses, 1)
			assert.Equal(t, want, charge.Uses[0].USD.String())
		}
	}
}
