package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const ruleTable = `# comment
provider,model_id,above,input,cache_read,cache_write_5m,cache_write_1h,output,valid_from,valid_until,sources,verified_at,same_as,mode,modality
openai,gpt-5,0,2,0.2,,,8,,,page,2026-06-01,,,
openai,gpt-5,200000,4,,,,16,,,page,2026-06-01,,,
openai,gpt-5-mini,0,1,0.1,,,4,,,page,2026-06-01,,,
deepseek,deepseek-v9,0,1,,,,2,,,page,2026-06-01,,peak,
deepseek,deepseek-v9,0,0.5,,,,1,,,page,2026-06-01,,off-peak,
`

// quote is a feed's price for a model: input, output and cached input.
type quote [3]string

// feedsWith returns the feeds, with another quote for a model in those named.
func feedsWith(id string, q quote, names ...string) map[string]map[string]quote {
	all := map[string]map[string]quote{}
	for _, f := range feeds {
		all[f.name] = map[string]quote{"gpt-5": {"2", "8", "0.2"}, "gpt-5-mini": {"1", "4", "0.1"}, "deepseek-v9": {"1", "2", "0"}}
		if slices.Contains(names, f.name) {
			all[f.name][id] = q
		}
	}
	return all
}

// The feeds are read once, and then again with other prices.
func TestRule(t *testing.T) {
	two, three := []string{"genai-prices", "litellm"}, []string{"models.dev", "genai-prices", "litellm"}
	for name, c := range map[string]struct {
		day   string
		feeds map[string]map[string]quote
		want  []string // the changes
		print string   // the first printed line's kind
	}{
		"two agree":            {"2026-06-12", feedsWith("gpt-5", quote{"1", "4", "0.1"}, two...), []string{"changed openai/gpt-5/0 2026-06-12 1-4"}, "changed"},
		"a cache price alone":  {"2026-06-12", feedsWith("gpt-5", quote{"2", "8", "0.1"}, two...), []string{"changed openai/gpt-5/0 2026-06-12 2-8"}, "changed"},
		"a new model":          {"2026-06-12", feedsWith("gpt-6", quote{"3", "9", "0.3"}, two...), []string{"added openai/gpt-6/0 2026-06-12 3-9"}, "added"},
		"one feed is wrong":    {"2026-06-12", feedsWith("gpt-5", quote{"1", "4", "0.1"}, "litellm"), nil, "disagreed"},
		"one has a new model":  {"2026-06-12", feedsWith("gpt-6", quote{"3", "9", "0.3"}, "litellm"), nil, ""},
		"a price of 0":         {"2026-06-12", feedsWith("gpt-5", quote{"0", "0", "0"}, three...), nil, "disagreed"},
		"an input of 0":        {"2026-06-12", feedsWith("gpt-5", quote{"0", "8", "0"}, three...), nil, "disagreed"},
		"a new model for 0":    {"2026-06-12", feedsWith("gpt-6", quote{"0", "0", "0"}, three...), nil, "disagreed"},
		"a factor of 1,000":    {"2026-06-12", feedsWith("gpt-5", quote{"0.002", "0.008", "0.0002"}, three...), nil, "disagreed"},
		"times 1,000":          {"2026-06-12", feedsWith("gpt-5-mini", quote{"1000", "4000", "100"}, three...), nil, "disagreed"},
		"times 150":            {"2026-06-12", feedsWith("gpt-5-mini", quote{"150", "600", "15"}, three...), nil, "disagreed"},
		"another model's id":   {"2026-06-12", feedsWith("gpt-5", quote{"1", "4", "0.1"}, "models.dev"), nil, "disagreed"},
		"an alias":             {"2026-06-12", feedsWith("gpt-6-latest", quote{"3", "9", "0.3"}, three...), nil, ""},
		"no text":              {"2026-06-12", feedsWith("gpt-6-realtime", quote{"3", "9", "0.3"}, three...), nil, ""},
		"a model sold by mode": {"2026-06-12", feedsWith("deepseek-v9", quote{"3", "9", "0"}, three...), nil, "disagreed"},
		"verified later":       {"2026-05-12", feedsWith("gpt-5", quote{"1", "4", "0.1"}, three...), nil, "disagreed"},
		"an id with a comma":   {"2026-06-12", feedsWith("gpt-6,1", quote{"3", "9", "0.3"}, three...), nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			work := write(t, map[string]string{"table.csv": ruleTable})
			if lines, warnings := runDay(t, feedFiles(t, feedsWith("", quote{})), "2026-05-02", work); len(lines) > 0 || warnings != "" {
				t.Fatalf("the first answer changed something: %v, %s", lines, warnings)
			}
			lines, warnings := runDay(t, feedFiles(t, c.feeds), c.day, work)
			if changes := proposed(lines); !slices.Equal(changes, c.want) || warnings != "" {
				t.Errorf("%v, %s; want %v", changes, warnings, c.want)
			}
			if c.print == "" && len(lines) == 0 {
				return
			}
			if len(lines) != 1 || lines[0].Kind != c.print || len(lines[0].Sources) == 0 {
				t.Errorf("printed %v, want one %s", lines, c.print)
			}
			if text := readText(t, filepath.Join(work, "table.csv")); c.want == nil && text != ruleTable {
				t.Errorf("the table has changed:\n%s", text)
			}
		})
	}
}

// The tier is in one feed, in two, in none, and then in one and two again.
func TestTierOfANewModel(t *testing.T) {
	work := write(t, map[string]string{"table.csv": ruleTable})
	run := func(day string, tiers ...string) []string {
		dir := feedFiles(t, feedsWith("gpt-6", quote{"3", "9", "0.3"}, "models.dev", "litellm"))
		if len(tiers) == 0 {
			dir = feedFiles(t, feedsWith("", quote{}))
		}
		for name, change := range map[string][2]string{
			"models.dev": {`"gpt-6":{"cost":{`, `"gpt-6":{"cost":{"tiers":[{"tier":{"size":272000},"input":6,"output":18}],`},
			"litellm":    {`"gpt-6":{`, `"gpt-6":{"input_cost_per_token_above_272k_tokens":6e-6,"output_cost_per_token_above_272k_tokens":18e-6,`},
		} {
			if slices.Contains(tiers, name) {
				path := filepath.Join(dir, name+".json")
				if err := os.WriteFile(path, []byte(strings.Replace(readText(t, path), change[0], change[1], 1)), 0o600); err != nil {
					t.Fatal(err)
				}
			}
		}
		lines, _ := runDay(t, dir, day, work)
		return proposed(lines)
	}
	for _, step := range []struct {
		day   string
		tiers []string
		want  []string
	}{
		{"2026-06-02", nil, nil},
		{"2026-06-12", []string{"models.dev"}, []string{"added openai/gpt-6/0 2026-06-12 3-9"}},
		{"2026-06-13", []string{"models.dev", "litellm"}, []string{"added openai/gpt-6/272000 2026-06-13 6-18"}},
		{"2026-06-14", []string{"none"}, []string{"ended openai/gpt-6/272000 2026-06-14 <nil>-<nil>"}},
		{"2026-06-15", []string{"models.dev"}, nil},
		{"2026-06-16", []string{"models.dev", "litellm"}, []string{"added openai/gpt-6/272000 2026-06-16 6-18"}},
	} {
		if got := run(step.day, step.tiers...); !slices.Equal(got, step.want) {
			t.Errorf("%s: %v, want %v", step.day, got, step.want)
		}
	}
}

func TestMissing(t *testing.T) {
	work := write(t, map[string]string{"table.csv": ruleTable})
	all := feedsWith("", quote{})
	runDay(t, feedFiles(t, all), "2026-06-02", work)
	for _, models := range all {
		delete(models, "gpt-5-mini")
	}
	lines, _ := runDay(t, feedFiles(t, all), "2026-06-12", work)
	if len(lines) != 1 || lines[0].Kind != "missing" || lines[0].Model != "gpt-5-mini" || readText(t, filepath.Join(work, "table.csv")) != ruleTable {
		t.Error(lines)
	}
}
