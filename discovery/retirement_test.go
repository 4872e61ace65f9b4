package discovery_test

import (
	"encoding/json"
	"maps"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
)

const dayLong = 24 * time.Hour

// noon returns the middle of a day in UTC.
func noon(t *testing.T, date string) time.Time {
	t.Helper()
	day, err := time.Parse(time.DateOnly, date)
	require.NoError(t, err)
	return day.Add(12 * time.Hour)
}

func TestRetiredFromTheDayAfterTheDate(t *testing.T) {
	t.Parallel()
	r := discovery.Registry{{Provider: discovery.OpenAI, ID: "m"}: "2026-11-30"}
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
		assert.Equal(t, c.want, r.IsRetiredOn(discovery.OpenAI, "m", c.day), c.name)
	}
}

func TestNotRetiredWithoutADate(t *testing.T) {
	t.Parallel()
	late := noon(t, "2999-01-01")
	r := discovery.Registry{
		{Provider: discovery.XAI, ID: "grok-beta"}: "deprecated",
		{Provider: discovery.XAI, ID: "grok-9"}:    "soon",
		{Provider: discovery.XAI, ID: "grok-8"}:    "",
	}
	for _, id := range []string{"grok-beta", "grok-9", "grok-8", "grok-7", ""} {
		assert.False(t, r.IsRetiredOn(discovery.XAI, id, late), id)
		assert.False(t, discovery.IsRetiredOn(discovery.XAI, id, late), id)
	}
	date, ok := r.RetirementDate(discovery.XAI, "grok-beta")
	assert.True(t, ok)
	assert.Equal(t, "deprecated", date)
	_, ok = r.RetirementDate(discovery.XAI, "grok-7")
	assert.False(t, ok)
	_, ok = discovery.RetirementDate("meta", "llama")
	assert.False(t, ok)
	_, ok = discovery.Registry(nil).RetirementDate(discovery.OpenAI, "gpt-4o")
	assert.False(t, ok, "the nil registry is empty")
}

func TestMerge(t *testing.T) {
	t.Parallel()
	key := func(id string) discovery.ModelKey {
		return discovery.ModelKey{Provider: discovery.OpenAI, ID: id}
	}
	table := discovery.Registry{key("a"): "2026-01-01", key("b"): "2026-01-01", key("c"): "deprecated"}
	live := discovery.Registry{key("b"): "deprecated", key("c"): "2026-02-02", key("d"): "2026-03-03"}
	before, beforeLive := maps.Clone(table), maps.Clone(live)

	assert.Equal(t, discovery.Registry{key("a"): "2026-01-01", key("b"): "deprecated", key("c"): "2026-02-02", key("d"): "2026-03-03"},
		discovery.Merge(table, live))
	assert.Equal(t, before, table)
	assert.Equal(t, beforeLive, live)
	merged := discovery.Merge(table, nil)
	assert.Equal(t, table, merged)
	delete(merged, key("a"))
	assert.Equal(t, before, table, "also without live entries it is a copy")
}

// An alias stands for one build, so it follows the newest one of its date, in whatever order the live list has them.
func TestAliasFollowsItsNewestBuild(t *testing.T) {
	t.Parallel()
	key := func(id string) discovery.ModelKey {
		return discovery.ModelKey{Provider: discovery.Anthropic, ID: id}
	}
	alias, older, newest := key("claude-3-5-sonnet-latest"), key("claude-3-5-sonnet-20240620"), key("claude-3-5-sonnet-20241022")
	table := discovery.Registry{alias: "2025-10-28", older: "2025-10-28", newest: "2025-10-28"}
	for range 20 { // the order of a map is random
		merged := discovery.Merge(table, discovery.Registry{older: "2025-10-22", newest: "2025-11-11"})
		assert.Equal(t, "2025-11-11", merged[alias])
	}
	merged := discovery.Merge(table, discovery.Registry{older: "2025-10-22"})
	assert.Equal(t, "2025-10-28", merged[alias], "the newest build has kept its date")
	merged = discovery.Merge(table, discovery.Registry{newest: ""})
	assert.NotContains(t, merged, alias)
	merged = discovery.Merge(table, discovery.Registry{newest: "2025-11-11", alias: "2025-12-12"})
	assert.Equal(t, "2025-12-12", merged[alias], "its own date comes first")
}

func TestIsRetiredUsesTheCurrentDay(t *testing.T) {
	t.Parallel()
	assert.True(t, discovery.IsRetired(discovery.Anthropic, "claude-1.0"))
	assert.False(t, discovery.IsRetired(discovery.Anthropic, "claude-99"))
	synctest.Test(t, func(t *testing.T) { // midnight UTC on 1 January 2000
		r := discovery.Registry{{Provider: discovery.OpenAI, ID: "old"}: "1999-12-31", {Provider: discovery.OpenAI, ID: "last"}: "2000-01-01"}
		assert.True(t, r.IsRetired(discovery.OpenAI, "old"))
		assert.False(t, r.IsRetired(discovery.OpenAI, "last"), "not yet on the date itself")
		assert.False(t, discovery.IsRetired(discovery.Anthropic, "claude-1.0"))
	})
}

func TestRetiringWithin(t *testing.T) {
	t.Parallel()
	key := func(p discovery.Provider, id string) discovery.ModelKey {
		return discovery.ModelKey{Provider: p, ID: id}
	}
	r := discovery.Registry{
		key(discovery.XAI, "b"):      "2000-01-11",
		key(discovery.XAI, "a"):      "2000-01-11",
		key(discovery.Gemini, "z"):   "2000-01-11",
		key(discovery.OpenAI, "now"): "2000-01-01",
		key(discovery.OpenAI, "tmr"): "2000-01-02",
		key(discovery.OpenAI, "old"): "1999-12-31",
		key(discovery.OpenAI, "far"): "2000-01-12",
		key(discovery.OpenAI, "dep"): "deprecated",
		key(discovery.OpenAI, "odd"): "soon",
	}
	ids := func(d time.Duration) (list []string) {
		for _, soon := range r.RetiringWithin(d) {
			assert.Equal(t, r[soon.ModelKey], soon.Date)
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
	assert.Empty(t, discovery.Registry(nil).RetiringWithin(dayLong))
}

func TestConcurrentReaders(t *testing.T) {
	t.Parallel()
	r := discovery.Retirements()
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			r.IsRetired(discovery.XAI, "x-ai/grok-4-07-09")
			r.RetiringWithin(1000 * dayLong)
			discovery.Retirements()
			discovery.NormalizeModelID(discovery.Gemini, "models/gemini-2-0-flash-001")
			_, _ = discovery.ParseProvider("X AI")
		})
	}
	wg.Wait()
}

func TestNilRegistryIsAnEmptyObject(t *testing.T) {
	t.Parallel()
	text, err := json.Marshal(discovery.Registry(nil))
	require.NoError(t, err)
	assert.Equal(t, "{}", string(text))
}
