package report_test

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/report"
	"github.com/mesh-gateway/mesh-go/discovery/bills"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// Calls that aren't selected must not appear anywhere: not in budgets, bills, the earlier
// period or the month.
func TestMatchLabels(t *testing.T) {
	t.Parallel()
	records := someRecords(3000, 60)
	for _, match := range []map[string]string{{"project": "p2"}, {"project": "p2", "user": "u3"}, {"project": ""}, {"project": "", "team": ""}} {
		o := report.Options{
			Budgets: []string{"5", "5/month/label:user"},
			Bills:   []*bills.Comparison{compared(t, "1", 0, billed("gpt-5.2", "1"))},
		}
		want := build(t, o, slices.DeleteFunc(slices.Clone(records), func(r calls.Record) bool { return !r.HasLabels(match) })...)
		require.NotZero(t, want.Source.Calls)
		o.MatchLabels = match
		got := build(t, o, records...)
		assert.Equal(t, match, got.Source.MatchLabels)
		want.Source.MatchLabels = match
		assert.Equal(t, want, got)
	}
	without, err := json.Marshal(build(t, report.Options{}, records...))
	require.NoError(t, err)
	assert.NotContains(t, string(without), "match_labels")
}

// The text names the selection, so that some calls don't look like all.
func TestMatchLabelsIsShown(t *testing.T) {
	t.Parallel()
	r := build(t, report.Options{MatchLabels: map[string]string{"project": "p2\x1b<b>", "team": ""}}, someRecords(100, 60)...)
	assert.Contains(t, textOf(t, r, 80), "Nov 2026 (28 days, UTC)\nOnly calls with project=p2")
	assert.NotContains(t, textOf(t, r, 80), "\x1b")
	r = build(t, report.Options{}, someRecords(100, 60)...)
	assert.NotContains(t, textOf(t, r, 80), "nly calls")
}

// If a label has two to seven values, their daily costs add up to each day's.
func TestDaysByLabel(t *testing.T) {
	t.Parallel()
	for n := range 10 {
		records := []calls.Record{priced(at(2), "0.5")}
		for i := range n {
			r := priced(at(1+i%3), prices.USD(strconv.Itoa(9-i)))
			r.Labels = map[string]string{"team": string(rune('a' + i)), "other": "x"}
			records = append(records, r)
		}
		d := build(t, report.Options{}, records...).Days
		if n < 2 || n > 7 {
			assert.Empty(t, d.Label, n)
			assert.Empty(t, d.Values)
			continue
		}
		assert.Equal(t, "team", d.Label)
		assert.Equal(t, strings.Split("a b c d e f", " ")[:min(n, 6)], d.Values)
		all := prices.USD("0")
		for _, day := range d.Rows {
			require.Len(t, day.Values, len(d.Values)+1)
			sum := prices.USD("0")
			for _, usd := range day.Values {
				sum = sum.Add(usd)
			}
			assert.Equal(t, day.USD, sum, day.Day)
			all = all.Add(day.Values[1])
		}
		assert.EqualValues(t, "8", all, "the costs of b")
	}
}
