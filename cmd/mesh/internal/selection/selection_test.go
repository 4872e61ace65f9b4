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
	now := time.Now().UTC()
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
		"weeks":        {Flags{Last: "2w"}, today.AddDate(0, 0, -14), today},
		"all":          {Flags{Last: "all", AllowAll: true}, time.Time{}, time.Time{}},
		"month":        {Flags{Month: "2026-02"}, time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC), time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)},
		"last month": {
			Flags{Last: "month"}, time.Date(now.Year(), now.Month()-1, 1, 0, 0, 0, 0, time.UTC), time.Date(now.Year(), now.Month(), 1, 0, 0, 0, 0, time.UTC),
		},
	} {
		from, to, err := test.flags.Times(now)
		require.NoError(t, err, name)
		assert.Equal(t, test.from, from.UTC(), name)
		assert.Equal(t, test.to, to.UTC(), name)
	}
	for _, flags := range []Flags{{From: "1d", To: "7d"}, {From: "1d", To: "1d"}, {From: "7x"}, {To: "7x"}, {Last: "0d"}, {Last: "7"}, {Last: "0w"}, {Last: "9999w"}, {Last: "year"}, {Last: "all"}, {Month: "10"}, {Month: "2026-13"}, {Last: "2026-11-01"}} {
		_, _, err := flags.Times(now)
		var usage *exit.Error
		assert.ErrorAs(t, err, &usage, flags)
	}
}

// An error names exactly what the command accepts.
func TestSelectionErrors(t *testing.T) {
	t.Parallel()
	for want, flags := range map[string]Flags{
		`--last "3" must be days such as 28d, weeks such as 1w, or month`:      {Last: "3"},
		`--last "3" must be days such as 28d, weeks such as 1w, month or all`:  {Last: "3", AllowAll: true},
		`--month "2026-13" does not exist`:                                     {Month: "2026-13"},
		`--month "10" must be like 2026-10`:                                    {Month: "10"},
		`--from: time "2026-11-31" does not exist`:                             {From: "2026-11-31"},
		`--to: time "x" must be like 2026-11-21, 7d (seven days ago) or 2026-`: {To: "x"},
	} {
		_, _, err := flags.Times(time.Now())
		assert.ErrorContains(t, err, want)
	}
}

// Days start at midnight in the zone, even when its clocks change.
func TestSelectionInAZone(t *testing.T) {
	t.Parallel()
	berlin, err := time.LoadLocation("Europe/Berlin")
	require.NoError(t, err)
	now := time.Date(2026, 10, 26, 0, 30, 0, 0, berlin)
	for flags, want := range map[*Flags][2]string{
		{Last: "1d"}:       {"2026-10-24T22:00:00Z", "2026-10-25T23:00:00Z"},
		{Month: "2026-10"}: {"2026-09-30T22:00:00Z", "2026-10-31T23:00:00Z"},
		{From: "2026-10-25", To: "2026-10-26T00:00:00Z"}: {"2026-10-24T22:00:00Z", "2026-10-26T00:00:00Z"},
	} {
		from, to, err := flags.Times(now)
		require.NoError(t, err)
		assert.Equal(t, want, [2]string{from.UTC().Format(time.RFC3339), to.UTC().Format(time.RFC3339)})
	}
}

func TestSelectionHasOnePeriod(t *testing.T) {
	t.Parallel()
	for _, s := range []Flags{{From: "7d", Last: "7d"}, {To: "7d", Month: "2026-10"}, {Last: "7d", Month: "2026-10"}} {
		require.ErrorContains(t, s.Parse(), "use only one of --from and --to, --last and --month")
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
