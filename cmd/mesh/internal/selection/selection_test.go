package selection

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/exit"
)

func TestSelectionOfTimes(t *testing.T) {
	t.Parallel()
	now := time.Now()
	today := now.UTC().Truncate(24 * time.Hour)
	for name, test := range map[string]struct {
		flags    Flags
		from, to time.Time
	}{
		"none":         {Flags{}, time.Time{}, time.Time{}},
		"last":         {Flags{Last: "7d"}, today.AddDate(0, 0, -7), today},
		"relative":     {Flags{From: "7d", To: "0d"}, today.AddDate(0, 0, -7), today},
		"open":         {Flags{From: "7d"}, today.AddDate(0, 0, -7), time.Time{}},
		"mixed":        {Flags{From: "2020-02-29", To: "1d"}, time.Date(2020, 2, 29, 0, 0, 0, 0, time.UTC), today.AddDate(0, 0, -1)},
		"within a day": {Flags{From: "2020-02-29T12:30:00Z"}, time.Date(2020, 2, 29, 12, 30, 0, 0, time.UTC), time.Time{}},
	} {
		from, to, err := test.flags.Times(now)
		require.NoError(t, err, name)
		assert.Equal(t, test.from, from.UTC(), name)
		assert.Equal(t, test.to, to.UTC(), name)
	}
	for _, flags := range []Flags{{From: "1d", To: "7d"}, {From: "1d", To: "1d"}, {From: "7x"}, {To: "7x"}, {Last: "0d"}, {Last: "7"}, {Last: "2026-11-01"}} {
		_, _, err := flags.Times(now)
		var usage *exit.Error
		assert.ErrorAs(t, err, &usage, flags)
	}
}

func TestSelectionOfLabels(t *testing.T) {
	t.Parallel()
	s := Flags{labels: []string{"team=search", "job=a=b,c", "user="}}
	require.NoError(t, s.Parse())
	assert.Equal(t, map[string]string{"team": "search", "job": "a=b,c", "user": ""}, s.Match)
	for _, labels := range [][]string{{"team"}, {"=x"}, {""}, {"team=a", "team=b"}, {"team=", "team="}} {
		s := Flags{labels: labels}
		var usage *exit.Error
		assert.ErrorAs(t, s.Parse(), &usage, labels)
	}
}
