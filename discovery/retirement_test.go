package discovery_test

import (
	"maps"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
)

const dayLong = 24 * time.Hour

// noon is the middle of a day in UTC.
func noon(t *testing.T, date string) time.Time {
	t.Helper()
	day, err := time.Parse(time.DateOnly, date)
	require.NoError(t, err)
	return day.Add(12 * time.Hour)
}

func TestRetiredFromTheDayAfter(t *testing.T) {
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

// builtInRows reads the data itself, without the code under test.
func builtInRows(t *testing.T) [][]string {
	t.Helper()
	var rows [][]string
	for line := range strings.Lines(discovery.RetirementsCSV) {
		if !strings.HasPrefix(line, "#") {
			rows = append(rows, strings.Split(strings.TrimSuffix(line, "\n"), ","))
		}
	}
	require.Equal(t, []string{"provider", "model_id", "date", "builds", "note"}, rows[0])
	return rows[1:]
}

func TestTheDataIsWellFormed(t *testing.T) {
	t.Parallel()
	rows := builtInRows(t)
	assert.Len(t, rows, 258, "257 rows of fixtures/retirements.csv, and one that only WIRE.md section 10 has")
	seen := map[string]bool{}
	for _, row := range rows {
		require.Len(t, row, 5, row)
		provider, err := discovery.ParseProvider(row[0])
		require.NoError(t, err, row)
		assert.Equal(t, string(provider), row[0], row)
		assert.Equal(t, strings.ToLower(strings.TrimSpace(row[1])), row[1])
		assert.False(t, seen[row[0]+row[1]], "%v twice", row)
		seen[row[0]+row[1]] = true
		if row[2] != "deprecated" && row[2] != "none" {
			_, err = time.Parse(time.DateOnly, row[2])
			assert.NoError(t, err, row)
		}
		assert.Contains(t, []string{"", "all"}, row[3], row)
	}
}

func TestTheRegistryIsTheData(t *testing.T) {
	t.Parallel()
	registry := discovery.Retirements()
	for _, row := range builtInRows(t) {
		key := discovery.ModelKey{Provider: discovery.Provider(row[0]), ID: row[1]}
		if row[2] == "none" {
			assert.NotContains(t, registry, key)
			continue
		}
		assert.Equal(t, row[2], registry[key], row)
	}
	assert.Len(t, registry, 257)
}

// Where the sources differ the newest copy of the provider's page counts, and the data says what the others have.
func TestConflictsAreSettled(t *testing.T) {
	t.Parallel()
	notes := map[string]string{}
	for _, row := range builtInRows(t) {
		if row[4] != "" {
			notes[row[1]] = row[4]
		}
	}
	for id, want := range map[string][2]string{
		"gemini-1.5-flash":      {"2025-09-29", "2026-06-17"},
		"gemini-1.5-pro":        {"2025-09-29", "2026-06-17"},
		"gemini-2.5-flash":      {"2026-12-01", "2026-10-16"},
		"gemini-2.5-pro":        {"2026-12-01", "2026-10-16"},
		"gemini-2.5-flash-lite": {"", "2026-10-16"},
	} {
		date, ok := discovery.RetirementDate(discovery.Gemini, id)
		assert.Equal(t, want[0] != "", ok, id)
		assert.Equal(t, want[0], date, id)
		assert.Contains(t, notes[id], want[1], "the data says what was not followed")
	}
	date, _ := discovery.RetirementDate(discovery.OpenAI, "code-davinci-002")
	assert.Equal(t, "2024-01-04", date)
	assert.Contains(t, notes["code-davinci-002"], "2023-03-23")
	date, _ = discovery.RetirementDate(discovery.OpenAI, "gpt-image-1.5-2025-12-16")
	assert.Equal(t, "2026-12-01", date)
	assert.Contains(t, notes["gpt-image-1.5-2025-12-16"], "WIRE.md")
	assert.Len(t, notes, 7)
}

func TestRetirementUnderAnySpelling(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ provider, id, want string }{
		{"OpenAI", "gpt-4o", "2027-01-14"},
		{"Open AI", " OpenAI/GPT-4o ", "2027-01-14"},
		{"openai", "openai/gpt-4-1-nano", "2026-10-23"},
		{"openai", "gpt-4o-2024-05-13", "2026-10-23"},
		{"openai", "openai/gpt-4o-2024-05-13:free", "2026-10-23"},
		{"openai", "GPT 4o mini", "2027-01-14"},
		{"x-ai", "x-ai/grok-4-07-09", "2026-05-15"},
		{"grok", "Grok-4-0709", "2026-05-15"},
		{"X AI", "grok-4-latest", "2026-05-15"},
		{"xai", "x-ai/grok-3-beta", "2026-05-15"},
		{"xai", "x-ai/grok-3-mini-beta", "deprecated"},
		{"xai", "x-ai/grok-4-1-fast-reasoning", "2026-05-15"},
		{"xai", "x-ai/grok-beta", "deprecated"},
		{"claude", "claude-opus-4-20250514", "2026-06-15"},
		{"anthropic", "claude-opus-4@20250514", "2026-06-15"},
		{"anthropic", "claude-4-opus-20250514", "2026-06-15"},
		{"anthropic", "us.anthropic.claude-3-5-sonnet-20241022-v2:0", "2025-10-28"},
		{"anthropic", "anthropic/claude-3.5-sonnet-20240620", "2025-10-28"},
		{"anthropic", "claude-sonnet-3-7-20250219", "2026-02-19"},
		{"anthropic", "anthropic/claude-sonnet-4.5", "2026-11-30"},
		{"anthropic", "anthropic/claude-2.1", "2025-07-21"},
		{"anthropic", "claude-1.3", "2024-11-06"},
		{"google", "models/gemini-2.0-flash-001", "2026-06-01"},
		{"Google", "gemini-2-0-flash", "2026-06-01"},
		{"gemini", "google/gemini-2.5-pro-preview-05-06", "2025-12-02"},
		{"gemini", "models/gemini-embedding-001", "2028-05-14"},
		{"gemini", "google/veo-2.0-generate-001", "2026-06-30"},
		{"DeepSeek AI", "deepseek-ai/DeepSeek-Chat", "2026-07-24"},
		{"deepseek", "deepseek/deepseek-v4-flash", "deprecated"},
	} {
		date, ok := discovery.RetirementDate(discovery.Provider(c.provider), c.id)
		assert.True(t, ok, "%s %s", c.provider, c.id)
		assert.Equal(t, c.want, date, "%s %s", c.provider, c.id)
	}
}

// prefixOf is how another place spells the ids of a provider.
var prefixOf = map[discovery.Provider]string{
	discovery.OpenAI: "openai/", discovery.DeepSeek: "deepseek/", discovery.Anthropic: "anthropic/", discovery.Gemini: "models/", discovery.XAI: "x-ai/",
}

func TestEveryEntryIsFoundUnderItsSpellings(t *testing.T) {
	t.Parallel()
	for key, want := range discovery.Retirements() {
		for _, id := range []string{key.ID, " " + key.ID + "\n", strings.ToUpper(key.ID), prefixOf[key.Provider] + key.ID, key.ID + ":free"} {
			date, ok := discovery.RetirementDate(key.Provider, id)
			assert.True(t, ok, "%s %s", key.Provider, id)
			assert.Equal(t, want, date, "%s %s", key.Provider, id)
		}
	}
}

// A build has its own date or none.
func TestADateDoesNotLeakToOtherBuilds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		p  discovery.Provider
		id string
	}{
		{discovery.Anthropic, "claude-3-5-sonnet"}, // only its builds are listed
		{discovery.Anthropic, "claude-3-5-sonnet-latest"},
		{discovery.Anthropic, "claude-opus-4"},
		{discovery.Anthropic, "claude-opus-4-0"},
		{discovery.Anthropic, "claude-3-5-sonnet-20990101"},
		{discovery.Anthropic, "claude-sonnet-4-5-20990101"}, // only the name without build, and another build, are listed
		{discovery.Anthropic, "claude-sonnet-4-5@20990101"},
		{discovery.OpenAI, "gpt-4o-2024-12-01"},
		{discovery.OpenAI, "openai/gpt-4.1-mini-2025-04-14"},
		{discovery.OpenAI, "gpt-4o-search-preview"},
		{discovery.XAI, "grok-4-1225"},
		{discovery.XAI, "grok-4-12-25"},
		{discovery.XAI, "grok-2"},
		{discovery.XAI, "grok-4.5"},
		{discovery.Gemini, "gemini-2.0-flash-002"},
		{discovery.Gemini, "gemini-2.5-pro-preview-12-12"},
		{discovery.Gemini, "gemini-3-pro"},
		{discovery.Gemini, "gemini-2.5-flash-lite"},
		{discovery.DeepSeek, "deepseek/deepseek-chat-v3.1"},
		{discovery.DeepSeek, "deepseek/deepseek-r1"},
	} {
		date, ok := discovery.RetirementDate(c.p, c.id)
		assert.False(t, ok, "%s %s has %s", c.p, c.id, date)
		assert.False(t, discovery.IsRetiredOn(c.p, c.id, noon(t, "2999-01-01")), c.id)
	}
}

// Where the source says that all of a line goes, a build without a row goes with it; a build with one has its own date.
func TestWholeLines(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		p        discovery.Provider
		id, want string
	}{
		{discovery.Gemini, "models/gemini-1.5-pro-002", "2025-09-29"},
		{discovery.Gemini, "gemini-1.5-flash-8b-001", "2025-09-29"},
		{discovery.OpenAI, "gpt-4o-audio-preview-2024-12-17", "2026-05-07"},
		{discovery.OpenAI, "gpt-4o-audio-preview-2024-10-01", "2025-10-10"},
		{discovery.OpenAI, "gpt-4o-mini-realtime-preview-2024-12-17", "2026-05-07"},
	} {
		date, ok := discovery.RetirementDate(c.p, c.id)
		assert.True(t, ok, c.id)
		assert.Equal(t, c.want, date, c.id)
	}
	own := discovery.Registry{{Provider: discovery.OpenAI, ID: "gpt-4o-mini-2024-07-18"}: "2027-01-14"}
	_, ok := own.RetirementDate(discovery.OpenAI, "gpt-4o-audio-preview-2024-12-17")
	assert.False(t, ok, "a registry that does not know the line knows no date")
}

func TestFineTunesHaveDatesOfTheirOwn(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]string{
		"ft:babbage-002:acme::1":                          "2026-10-23", // the model itself goes on 2026-09-28
		"ft:gpt-3.5-turbo-0125:acme:Our Model:8x":         "2026-10-23",
		"openai/ft:gpt-3.5-turbo-0613:acme::1":            "2026-10-23",
		"ft:gpt-4-0613:acme::1":                           "2026-10-23",
		"ft:gpt-4.1-nano-2025-04-14:acme::1":              "2026-10-23",
		"ft:gpt-4-1-nano-2025-04-14:acme::1:ckpt-step-80": "2026-10-23",
		"ft:gpt-4o-mini-2024-07-18:acme::1":               "", // its model has a date, its fine-tunes have none
		"ft:gpt-4.1-nano-2026-01-01:acme::1":              "",
	} {
		date, ok := discovery.RetirementDate(discovery.OpenAI, id)
		assert.Equal(t, want != "", ok, id)
		assert.Equal(t, want, date, id)
	}
	others := discovery.Registry{{Provider: discovery.XAI, ID: "ft-grok-4"}: "2026-10-23"}
	_, ok := others.RetirementDate(discovery.XAI, "ft:grok-4:acme::1")
	assert.False(t, ok, "this is OpenAI's way of naming fine-tunes")
}

func TestAnExactKeyComesFirst(t *testing.T) {
	t.Parallel()
	r := discovery.Registry{
		{Provider: discovery.XAI, ID: "grok-3"}:      "2026-05-15",
		{Provider: discovery.XAI, ID: "grok-3-beta"}: "2026-01-01",
		{Provider: "acme", ID: "Their Model"}:        "2026-02-02",
		{Provider: "Google", ID: "Their Model"}:      "2026-03-03",
	}
	date, _ := r.RetirementDate("Google", "Their Model")
	assert.Equal(t, "2026-03-03", date, "a key is found as it stands, in whatever spelling")
	for id, want := range map[string]string{"grok-3-beta": "2026-01-01", "x-ai/grok-3-beta": "2026-01-01", "grok-3-latest": "2026-05-15"} {
		date, _ := r.RetirementDate(discovery.XAI, id)
		assert.Equal(t, want, date, id)
	}
	for _, id := range []string{"Their Model", " Their Model "} {
		date, _ := r.RetirementDate("acme", id)
		assert.Equal(t, "2026-02-02", date, id)
	}
}

func TestTheCopyIsTheCallers(t *testing.T) {
	t.Parallel()
	mine := discovery.Retirements()
	clear(mine)
	mine[discovery.ModelKey{Provider: discovery.OpenAI, ID: "gpt-4o"}] = "1999-01-01"
	assert.False(t, discovery.IsRetiredOn(discovery.OpenAI, "gpt-4o", noon(t, "2026-11-21")))
	assert.Len(t, discovery.Retirements(), 257)
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

func TestTodayIsTheClocks(t *testing.T) {
	t.Parallel()
	assert.True(t, discovery.IsRetired(discovery.Anthropic, "claude-1.0"))
	assert.False(t, discovery.IsRetired(discovery.Anthropic, "claude-99"))
	synctest.Test(t, func(t *testing.T) { // here it is midnight UTC on 1 January 2000
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
	synctest.Test(t, func(t *testing.T) { // it is midnight UTC on 1 January 2000
		assert.Equal(t, []string{"now", "tmr", "z", "a", "b"}, ids(10*dayLong), "soonest first, then by provider and id")
		assert.Equal(t, []string{"now", "tmr"}, ids(10*dayLong-1))
		assert.Equal(t, []string{"now", "tmr"}, ids(dayLong))
		assert.Equal(t, []string{"now"}, ids(dayLong-1))
		assert.Equal(t, []string{"now"}, ids(0))
		assert.Empty(t, ids(-1))
		assert.Len(t, ids(1<<63-1), 6, "all that is to come")
		<-time.After(23 * time.Hour)
		assert.Equal(t, []string{"now"}, ids(dayLong-1), "what counts is the day, not the hour")
		<-time.After(time.Hour)
		assert.Equal(t, []string{"tmr"}, ids(0), "yesterday's is retired, and gone from the list")
	})
	assert.Empty(t, discovery.Registry(nil).RetiringWithin(dayLong))
}

func TestReadersDoNotDisturbEachOther(t *testing.T) {
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
