package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSelectionOfTimes(t *testing.T) {
	t.Parallel()
	now := time.Now()
	today := now.UTC().Truncate(24 * time.Hour)
	for name, test := range map[string]struct {
		flags    selection
		from, to time.Time
	}{
		"none":         {selection{}, time.Time{}, time.Time{}},
		"last":         {selection{last: "7d"}, today.AddDate(0, 0, -7), today},
		"relative":     {selection{from: "7d", to: "0d"}, today.AddDate(0, 0, -7), today},
		"open":         {selection{from: "7d"}, today.AddDate(0, 0, -7), time.Time{}},
		"mixed":        {selection{from: "2020-02-29", to: "1d"}, time.Date(2020, 2, 29, 0, 0, 0, 0, time.UTC), today.AddDate(0, 0, -1)},
		"within a day": {selection{from: "2020-02-29T12:30:00Z"}, time.Date(2020, 2, 29, 12, 30, 0, 0, time.UTC), time.Time{}},
	} {
		from, to, err := test.flags.times(now)
		require.NoError(t, err, name)
		assert.Equal(t, test.from, from.UTC(), name)
		assert.Equal(t, test.to, to.UTC(), name)
	}
	for _, flags := range []selection{{from: "1d", to: "7d"}, {from: "1d", to: "1d"}, {from: "7x"}, {to: "7x"}, {last: "0d"}, {last: "7"}, {last: "2026-11-01"}} {
		_, _, err := flags.times(now)
		var usage *usageError
		assert.ErrorAs(t, err, &usage, flags)
	}
}

func TestSelectionOfLabels(t *testing.T) {
	t.Parallel()
	s := selection{labels: []string{"team=search", "job=a=b,c", "user="}}
	require.NoError(t, s.parse())
	assert.Equal(t, map[string]string{"team": "search", "job": "a=b,c", "user": ""}, s.match)
	for _, labels := range [][]string{{"team"}, {"=x"}, {""}, {"team=a", "team=b"}, {"team=", "team="}} {
		s := selection{labels: labels}
		var usage *usageError
		assert.ErrorAs(t, s.parse(), &usage, labels)
	}
}
