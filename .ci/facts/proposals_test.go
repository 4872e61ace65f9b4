package main

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// On 2026-11-29, two feeds have gpt-6.2-astra and gemini-4-neon, and Anthropic's package
// has a date for Opus 4.5. The tables are from 2026-11-22 and lack all three.
func TestProposals(t *testing.T) {
	work := t.TempDir()
	for name, from := range map[string]string{"table.csv": "prices.csv", "retirements.csv": "retirements.csv", "models.csv": "models.csv"} {
		text, err := readFeed("testdata/proposals/" + from)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(work, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if lines, _ := runDay(t, "testdata/2026-08-20", "2026-11-16", work); proposed(lines) != nil {
		t.Fatal(lines)
	}
	lines, warnings := runDay(t, "testdata/proposals", "2026-11-29", work)
	want := []string{
		"filled gemini/gemini-4-neon/0 2026-11-18 3-15", "filled openai/gpt-6.2-astra/0 2026-11-17 8-40", "changed openai/gpt-6.2-astra/272000 2026-11-17 16-60",
	}
	if changes := proposed(lines); !slices.Equal(changes, want) || warnings != "" {
		t.Errorf("%v, %s", changes, warnings)
	}
	wantLines(t, filepath.Join(work, "table.csv"),
		"openai,gpt-6.2-astra,0,8,0.4,10,,40,2026-11-17,,vercel+litellm+web+modelsdev+genai,2026-11-29,,,",
		"openai,gpt-6.2-astra,272000,16,0.8,20,,60,2026-11-17,,modelsdev+genai+litellm,2026-11-29,,,",
		"gemini,gemini-4-neon,0,3,0.15,,,15,2026-11-18,,vercel+web+modelsdev+genai,2026-11-29,,,",
	)
	dates, _, warnings := runDates(t, work, "2026-11-29", slices.Collect(maps.Values(recordedReleases(t)))...)
	source := "@anthropic-ai/sdk 1.14.0 of 2026-11-24"
	if !slices.Equal(dates, []dateChange{
		{"dated", "anthropic", "claude-opus-4-5", "", "2027-01-22", source}, {"dated", "anthropic", "claude-opus-4-5-20251101", "", "2027-01-22", source},
	}) || warnings != "" {
		t.Errorf("%v, %s", dates, warnings)
	}
	wantLines(t, filepath.Join(work, "retirements.csv"), "anthropic,claude-opus-4-5,2027-01-22,,,"+source, "anthropic,claude-opus-4-5-20251101,2027-01-22,,,"+source)
}

func wantLines(t *testing.T, path string, lines ...string) {
	t.Helper()
	for _, line := range lines {
		if !strings.Contains(readText(t, path), "\n"+line+"\n") {
			t.Errorf("%s lacks %s", path, line)
		}
	}
}

// Each case has a gpt-6 row with a gap, which two feeds may fill on 2026-06-12.
func TestGaps(t *testing.T) {
	two := []string{"models.dev", "genai-prices"}
	for name, c := range map[string]struct {
		row   string
		feeds map[string]map[string]quote
		want  string // the row, or "" for the same one
	}{
		"a recent row":       {"openai,gpt-6,0,3,,,,9,2026-04-13,,page,2026-06-01,,,", feedsWith("gpt-6", quote{"3", "9", "0.3"}, two...), "openai,gpt-6,0,3,0.3,,,9,2026-04-13,,page+modelsdev+genai,2026-06-12,,,"},
		"61 days":            {"openai,gpt-6,0,3,,,,9,2026-04-12,,page,2026-06-01,,,", feedsWith("gpt-6", quote{"3", "9", "0.3"}, two...), ""},
		"an open start":      {"openai,gpt-6,0,3,,,,9,,,page,2026-06-01,,,", feedsWith("gpt-6", quote{"3", "9", "0.3"}, two...), ""},
		"a single source":    {"openai,gpt-6,0,3,0.3?,5?,,9,2026-06-01,,page,2026-06-01,,,", feedsWith("gpt-6", quote{"3", "9", "0.3"}, two...), "openai,gpt-6,0,3,0.3,5?,,9,2026-06-01,,page+modelsdev+genai,2026-06-12,,,"},
		"one feed":           {"openai,gpt-6,0,3,,,,9,2026-06-01,,page,2026-06-01,,,", feedsWith("gpt-6", quote{"3", "9", "0.3"}, "litellm"), ""},
		"another value":      {"openai,gpt-6,0,3,,,,9,2026-06-01,,page,2026-06-01,,,", with(feedsWith("gpt-6", quote{"3", "9", "0.3"}, two...), "litellm", "gpt-6", quote{"3", "9", "0.6"}), ""},
		"for another price":  {"openai,gpt-6,0,3,,,,9,2026-06-01,,page,2026-06-01,,,", with(feedsWith("gpt-6", quote{"3", "9", "0.3"}, two...), "litellm", "gpt-6", quote{"3", "8", "0.6"}), ""},
		"without a value":    {"openai,gpt-6,0,3,,,,9,2026-06-01,,page,2026-06-01,,,", with(feedsWith("gpt-6", quote{"3", "9", "0.3"}, two...), "litellm", "gpt-6", quote{"3", "9", "0"}), "openai,gpt-6,0,3,0.3,,,9,2026-06-01,,page+modelsdev+genai+litellm,2026-06-12,,,"},
		"no price":           {"openai,gpt-6,0,,,,,,2026-04-13,,,2026-06-01,,,", feedsWith("gpt-6", quote{"3", "9", "0.3"}, two...), "openai,gpt-6,0,3,0.3,,,9,2026-04-13,,modelsdev+genai,2026-06-12,,,"},
		"no price, 61 days":  {"openai,gpt-6,0,,,,,,2026-04-12,,,2026-06-01,,,", feedsWith("gpt-6", quote{"3", "9", "0.3"}, two...), "openai,gpt-6,0,,,,,,2026-04-12,2026-06-12,,2026-06-01,,,\nopenai,gpt-6,0,3,0.3,,,9,2026-06-12,,modelsdev+genai,2026-06-12,,,"},
		"no price, no start": {"openai,gpt-6,0,,,,,,,,,2026-06-01,,,", feedsWith("gpt-6", quote{"3", "9", "0.3"}, two...), "openai,gpt-6,0,,,,,,,2026-06-12,,2026-06-01,,,\nopenai,gpt-6,0,3,0.3,,,9,2026-06-12,,modelsdev+genai,2026-06-12,,,"},
	} {
		work := write(t, map[string]string{"table.csv": ruleTable + c.row + "\n"})
		runDay(t, feedFiles(t, feedsWith("", quote{})), "2026-06-02", work)
		runDay(t, feedFiles(t, c.feeds), "2026-06-12", work)
		if c.want == "" {
			c.want = c.row
		}
		if text := readText(t, filepath.Join(work, "table.csv")); text != ruleTable+c.want+"\n" {
			t.Errorf("%s:\n%s", name, strings.TrimPrefix(text, ruleTable))
		}
	}
}

// A pattern that matches a build isn't a second feed with its price.
func TestPatternsFillNoGaps(t *testing.T) {
	const row = "openai,gpt-6-2026-05-01,0,3,,,,9,2026-06-01,,page,2026-06-01,,,\n"
	work := write(t, map[string]string{"table.csv": ruleTable + row})
	runDay(t, feedFiles(t, feedsWith("", quote{})), "2026-06-02", work)
	dir := feedFiles(t, with(feedsWith("gpt-6-2026-05-01", quote{"3", "9", "0.3"}, "models.dev"), "genai-prices", "gpt-6", quote{"3", "9", "0.3"}))
	path := filepath.Join(dir, "genai-prices.json")
	if err := os.WriteFile(path, []byte(strings.Replace(readText(t, path), `{"equals":"gpt-6"}`, `{"starts_with":"gpt-6"}`, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if lines, _ := runDay(t, dir, "2026-06-12", work); proposed(lines) != nil || !strings.HasSuffix(readText(t, filepath.Join(work, "table.csv")), row) {
		t.Error(lines)
	}
}

func with(all map[string]map[string]quote, feed, id string, q quote) map[string]map[string]quote {
	all[feed][id] = q
	return all
}

// A new model starts on its release day, and so does its tier.
func TestReleaseOfANewModel(t *testing.T) {
	for released, want := range map[string]string{
		"2026-04-13": "2026-04-13", "2026-06-12": "2026-06-12", "2026-04-12": "2026-06-12", "2026-06-13": "2026-06-12", "2026-05": "2026-06-12", "": "2026-06-12",
	} {
		work := write(t, map[string]string{"table.csv": ruleTable})
		runDay(t, feedFiles(t, feedsWith("", quote{})), "2026-06-02", work)
		dir := feedFiles(t, feedsWith("gpt-6", quote{"3", "9", "0.3"}, "models.dev", "litellm"))
		for name, change := range map[string][2]string{
			"models.dev": {`"gpt-6":{"cost":{`, `"gpt-6":{"release_date":"` + released + `","cost":{"tiers":[{"tier":{"size":272000},"input":6,"output":18}],`},
			"litellm":    {`"gpt-6":{`, `"gpt-6":{"input_cost_per_token_above_272k_tokens":6e-6,"output_cost_per_token_above_272k_tokens":18e-6,`},
		} {
			path := filepath.Join(dir, name+".json")
			if err := os.WriteFile(path, []byte(strings.Replace(readText(t, path), change[0], change[1], 1)), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		lines, _ := runDay(t, dir, "2026-06-12", work)
		if changes := proposed(lines); !slices.Equal(changes, []string{"added openai/gpt-6/0 " + want + " 3-9", "added openai/gpt-6/272000 " + want + " 6-18"}) {
			t.Errorf("%s: %v", released, changes)
		}
	}
}
