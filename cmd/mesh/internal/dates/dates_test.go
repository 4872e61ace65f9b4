package dates_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/dates"
)

func TestDay(t *testing.T) {
	t.Parallel()
	early := time.Date(2026, 11, 22, 0, 30, 0, 0, time.FixedZone("", 3600)) // the 21st in UTC
	for text, want := range map[string]string{
		"2026-11-01": "2026-11-01", "0d": "2026-11-21", "1d": "2026-11-20", "7d": "2026-11-14", "007d": "2026-11-14", "266d": "2026-02-28", "36500d": "1926-12-16",
	} {
		day, ok := dates.Day(text, early.UTC())
		require.True(t, ok, text)
		assert.Equal(t, want+"T00:00:00Z", day.Format(time.RFC3339), text)
	}
	for _, text := range []string{"", "d", "7", "7x", "-7d", "+7d", "7.5d", "7D", " 7d", "7d ", "36501d", "65543d", "99999999999999999999d", "yesterday", "2026-13-01", "2026-11-21T07:00:00Z"} {
		_, ok := dates.Day(text, early.UTC())
		assert.False(t, ok, text)
	}
}

func TestTime(t *testing.T) {
	t.Parallel()
	zero, err := dates.Time("")
	require.NoError(t, err)
	assert.True(t, zero.IsZero())
	at, err := dates.Time("2026-11-21T07:00:00+01:00")
	require.NoError(t, err)
	assert.Equal(t, time.Date(2026, 11, 21, 6, 0, 0, 0, time.UTC), at.UTC())
	before := time.Now()
	week, err := dates.Time("7d")
	require.NoError(t, err)
	assert.WithinRange(t, week, before.AddDate(0, 0, -8), time.Now().AddDate(0, 0, -7))
	for _, text := range []string{"2026-11-31", "2026-13-01", "2026-11-31T07:00:00Z", "2026-11-21T24:00:00Z"} {
		_, err = dates.Time(text)
		require.EqualError(t, err, fmt.Sprintf("time %q does not exist", text))
	}
	_, err = dates.Time("7x")
	assert.EqualError(t, err, `time "7x" must be like 2026-11-21, 7d (seven days ago) or 2026-11-21T07:00:00Z`)
}
