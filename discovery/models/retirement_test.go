package models_test

import (
	"encoding/json"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery/models"
)

const dayLong = 24 * time.Hour

func noon(t *testing.T, date string) time.Time {
	t.Helper()
	day, err := time.Parse(time.DateOnly, date)
	require.NoError(t, err)
	return day.Add(12 * time.Hour)
}

func TestRetiredFromTheDayAfterTheDate(t *testing.T) {
	t.Parallel()
	r := models.Registry{}.With(entries{{Provider: models.OpenAI, ID: "m"}: "2026-11-30"})
	west := time.FixedZone("west", -5*3600)
	east := time.FixedZone("east", 14*3600)
	for _, c := range []struct {
		name string
		day  time.Time
		want bool
	}{
		{"the day before", time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC), false},
		{"the beginning of the date", time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC), false},
		{"the end of the date", time.Date(2026, 11, 30, 23, 59, 59, 999999999, time.UTC), false},
		{"the beginning of the day after", time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC), true},
		{"years after", time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC), true},
		{"years before", time.Date(2001, 1, 1, 0, 0, 0, 0, time.UTC), false},
		{"still the date in the west, the day after in UTC", time.Date(2026, 11, 30, 19, 0, 0, 0, west), true},
		{"still the date in the west and in UTC", time.Date(2026, 11, 30, 18, 59, 59, 0, west), false},
		{"the day after in the east, still the date in UTC", time.Date(2026, 12, 1, 13, 59, 59, 0, east), false},
		{"the day after in the east and in UTC", time.Date(2026, 12, 1, 14, 0, 0, 0, east), true},
		{"no day at all", time.Time{}, false},
	} {
		assert.Equal(t, c.want, r.IsRetiredOn(models.OpenAI, "m", c.day), c.name)
	}
}

func TestNotRetiredWithoutADate(t *testing.T) {
	t.Parallel()
	late := noon(t, "2999-01-01")
	r := models.Registry{}.With(entries{
		{Provider: models.XAI, ID: "grok-beta"}: "deprecated",
		{Provider: models.XAI, ID: "grok-9"}:    "soon",
		{Provider: models.XAI, ID: "grok-8"}:    "",
	})
	for _, id := range []string{"grok-beta", "grok-9", "grok-8", "grok-7", ""} {
		assert.False(t, r.IsRetiredOn(models.XAI, id, late), id)
		assert.False(t, models.IsRetiredOn(models.XAI, id, late), id)
	}
	date, ok := r.RetirementDate(models.XAI, "grok-beta")
	assert.True(t, ok)
	assert.Equal(t, "deprecated", date)
	_, ok = r.RetirementDate(models.XAI, "grok-7")
	assert.False(t, ok)
	_, ok = models.RetirementDate("meta", "llama")
	assert.False(t, ok)
	_, ok = models.Registry{}.RetirementDate(models.OpenAI, "gpt-4o")
	assert.False(t, ok, "the nil registry is empty")
}

func TestIsRetiredUsesTheCurrentDay(t *testing.T) {
	t.Parallel()
	assert.True(t, models.IsRetired(models.Anthropic, "claude-1.0"))
	assert.False(t, models.IsRetired(models.Anthropic, "claude-99"))
	synctest.Test(t, func(t *testing.T) { // midnight UTC on 1 January 2000
		r := models.Registry{}.With(entries{{Provider: models.OpenAI, ID: "old"}: "1999-12-31", {Provider: models.OpenAI, ID: "last"}: "2000-01-01"})
		assert.True(t, r.IsRetired(models.OpenAI, "old"))
		assert.False(t, r.IsRetired(models.OpenAI, "last"), "not yet on the date itself")
		assert.False(t, models.IsRetired(models.Anthropic, "claude-1.0"))
	})
}

func TestRetiringWithin(t *testing.T) {
	t.Parallel()
	key := func(p models.Provider, id string) models.ModelKey {
		return models.ModelKey{Provider: p, ID: id}
	}
	r := models.Registry{}.With(entries{
		key(models.XAI, "b"):      "2000-01-11",
		key(models.XAI, "a"):      "2000-01-11",
		key(models.Gemini, "z"):   "2000-01-11",
		key(models.OpenAI, "now"): "2000-01-01",
		key(models.OpenAI, "tmr"): "2000-01-02",
		key(models.OpenAI, "old"): "1999-12-31",
		key(models.OpenAI, "far"): "2000-01-12",
		key(models.OpenAI, "dep"): "deprecated",
		key(models.OpenAI, "odd"): "soon",
	})
	ids := func(d time.Duration) (list []string) {
		for _, soon := range r.RetiringWithin(d) {
			date, _ := r.RetirementDate(soon.Provider, soon.ID)
			assert.Equal(t, date, soon.Date)
			list = append(list, soon.ID)
		}
		return list
	}
	synctest.Test(t, func(t *testing.T) { // midnight UTC on 1 January 2000
		assert.Equal(t, []string{"now", "tmr", "z", "a", "b"}, ids(10*dayLong), "soonest first, then by provider and id")
		assert.Equal(t, []string{"now", "tmr"}, ids(10*dayLong-1))
		assert.Equal(t, []string{"now", "tmr"}, ids(dayLong))
		assert.Equal(t, []string{"now"}, ids(dayLong-1))
		assert.Equal(t, []string{"now"}, ids(0))
		assert.Empty(t, ids(-1))
		assert.Len(t, ids(1<<63-1), 6, "all future dates")
		<-time.After(23 * time.Hour)
		assert.Equal(t, []string{"now"}, ids(dayLong-1), "days count, not hours")
		<-time.After(time.Hour)
		assert.Equal(t, []string{"tmr"}, ids(0), "the model is retired and no longer listed")
	})
	assert.Empty(t, models.Registry{}.RetiringWithin(dayLong))
}

func TestConcurrentReaders(t *testing.T) {
	t.Parallel()
	r := models.Retirements()
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			r.IsRetired(models.XAI, "x-ai/grok-4-07-09")
			r.RetiringWithin(1000 * dayLong)
			models.Retirements()
			models.NormalizeModelID(models.Gemini, "models/gemini-2-0-flash-001")
			_, _ = models.ParseProvider("X AI")
		})
	}
	wg.Wait()
}

func TestNilRegistryIsAnEmptyObject(t *testing.T) {
	t.Parallel()
	text, err := json.Marshal(models.Registry{})
	require.NoError(t, err)
	assert.Equal(t, "{}", string(text))
}
