package table_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/table"
)

func TestLabels(t *testing.T) {
	t.Parallel()
	for want, labels := range map[string]map[string]string{
		"":                                      nil,
		"with team=search":                      {"team": "search"},
		"without job":                           {"job": ""},
		"with job=a=b, team=x, without a, user": {"team": "x", "user": "", "job": "a=b", "a": ""},
	} {
		assert.Equal(t, want, table.Labels(labels))
	}
}

func TestPeriod(t *testing.T) {
	t.Parallel()
	at := func(text string) time.Time {
		moment, err := time.Parse("2006-01-02T15:04", text)
		require.NoError(t, err)
		return moment.In(time.FixedZone("", 3600))
	}
	for _, row := range []struct {
		from, to            string
		running             bool
		want, length, start string
	}{
		{"2026-10-25T00:00", "2026-11-22T00:00", false, "25 Oct to 21 Nov 2026 (28 days, UTC)", "28 days", "25 Oct 2026"},
		{"2025-12-31T00:00", "2026-01-02T00:00", false, "31 Dec 2025 to 1 Jan 2026 (2 days, UTC)", "2 days", "31 Dec 2025"},
		{"2026-11-21T00:00", "2026-11-22T00:00", false, "21 Nov 2026 (1 day, UTC)", "1 day", "21 Nov 2026"},
		{"2026-11-15T00:00", "2026-11-23T00:00", true, "15 Nov to 22 Nov 2026 (8 days, today included, UTC)", "8 days", "15 Nov 2026"},
		{"2026-11-20T12:00", "2026-11-22T00:00", false, "20 Nov 2026, 12:00 to 22 Nov 2026, 00:00 (36 hours, UTC)", "36 hours", "20 Nov 2026, 12:00"},
		{"2026-11-20T12:00", "2026-11-21T12:00", false, "20 Nov 2026, 12:00 to 21 Nov 2026, 12:00 (24 hours, UTC)", "24 hours", "20 Nov 2026, 12:00"},
		{"2026-11-20T00:00", "2026-11-20T00:30", false, "20 Nov 2026, 00:00 to 20 Nov 2026, 00:30 (30 minutes, UTC)", "30 minutes", "20 Nov 2026"},
		{"2026-11-20T00:00", "9999-12-31T00:00", true, "20 Nov 2026 to 30 Dec 9999 (2,912,119 days, today included, UTC)", "2,912,119 days", "20 Nov 2026"},
		{"0001-01-01T00:00", "9999-12-31T12:00", true, "1 Jan 0001, 00:00 to 31 Dec 9999, 12:00 (87,649,404 hours, today included, UTC)", "87,649,404 hours", "1 Jan 0001"},
	} {
		from, to := at(row.from), at(row.to)
		assert.Equal(t, []string{row.want, row.length, row.start}, []string{table.Period(from, to, row.running, "UTC"), table.Length(from, to), table.Start(from)})
	}
}

// The period ends at the last nanosecond that JSON can represent.
func TestLastDay(t *testing.T) {
	t.Parallel()
	from, to := time.Date(9999, 12, 1, 0, 0, 0, 0, time.UTC), time.Date(9999, 12, 31, 23, 59, 59, 999999999, time.UTC)
	assert.Equal(t, "1 Dec to 31 Dec 9999 (31 days, UTC)", table.Period(from, to, false, "UTC"))
}

func TestOldPrices(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 12, 7, 23, 59, 0, 0, time.UTC)
	for day, want := range map[string]string{
		"": "", "never": "", "9999-12-31": "", "2027-01-01": "", "2026-12-07": "", "2026-11-23": "",
		"0001-01-01": "the table is from 0001-01-01, 739956 days old; mesh update gets the newest",
		"2026-11-22": "the table is from 2026-11-22, 15 days old; mesh update gets the newest",
	} {
		assert.Equal(t, want, table.OldPrices(day, now), day)
	}
}
