package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// line is a printed change.
type line struct {
	Kind, Provider, Model, From string
	Above                       int64
	Old, New                    map[string]any
	Sources                     map[string]map[string]any
}

func (l line) String() string {
	return fmt.Sprintf("%s %s/%s/%d %s %v-%v", l.Kind, l.Provider, l.Model, l.Above, l.From, l.New["input"], l.New["output"])
}

// runDay runs the command on the feeds of a folder and returns what it printed.
func runDay(t *testing.T, dir, day, work string) (lines []line, warnings string) {
	t.Helper()
	var out, warn bytes.Buffer
	err := feedsCommand(&out, &warn, []string{"-dir", dir, "-day", day, "-table", filepath.Join(work, "table.csv"), "-state", filepath.Join(work, "state.json")})
	if err != nil {
		t.Fatal(err)
	}
	for d := json.NewDecoder(&out); ; {
		var l line
		if err := d.Decode(&l); err == io.EOF {
			return lines, warn.String()
		} else if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, l)
	}
}

// proposed returns the changes of the table.
func proposed(lines []line) (changes []string) {
	for _, l := range lines {
		if l.Kind == "added" || l.Kind == "changed" || l.Kind == "ended" {
			changes = append(changes, l.String())
		}
	}
	return changes
}

func readText(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestReplay runs the snapshots of 2026 in order. Every change that two feeds show between two snapshots must be proposed, and
// every proposed price must have been true: it is one of the built-in table, in force on the first day of the change.
func TestReplay(t *testing.T) {
	file, err := os.Open("testdata/table-2026-01-01.csv.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	table, err := io.ReadAll(unzipped)
	if err != nil {
		t.Fatal(err)
	}
	work := write(t, map[string]string{"table.csv": string(table)})
	truth, err := readTable("../../discovery/internal/pricelist/prices.csv")
	if err != nil {
		t.Fatal(err)
	}
	days, err := filepath.Glob("testdata/2026-*")
	if err != nil || len(days) != 6 {
		t.Fatal(days, err)
	}
	var changes []string
	for _, dir := range days {
		lines, warnings := runDay(t, dir, filepath.Base(dir), work)
		if warnings != "" {
			t.Errorf("%s: %s", dir, warnings)
		}
		for _, l := range lines {
			if l.Kind != "changed" && l.Kind != "added" {
				continue
			}
			var p rates
			for i, name := range columns {
				if usd, ok := l.New[name].(float64); ok {
					p[i] = decimal(fmt.Sprint(usd), 1)
				}
			}
			if !anyRow(truth.inForce(priceKey{l.Provider, l.Model, l.Above}, l.From), p) {
				t.Errorf("%s: wrong: %v", dir, l)
			}
		}
		changes = append(changes, proposed(lines)...)
	}
	want := []string{
		"ended anthropic/claude-opus-4-6/200000 2026-03-13 <nil>-<nil>",
		"ended anthropic/claude-sonnet-4-6/200000 2026-03-13 <nil>-<nil>",
		"changed openai/gpt-5.6-luna/0 2026-07-30 0.2-1.2",
		"changed openai/gpt-5.6-luna/272000 2026-07-30 0.4-1.8",
		"changed openai/gpt-5.6-terra/0 2026-07-30 2-12",
		"changed openai/gpt-5.6-terra/272000 2026-07-30 4-18",
	}
	if !slices.Equal(changes, want) {
		t.Errorf("proposed:\n%s\nwant:\n%s", strings.Join(changes, "\n"), strings.Join(want, "\n"))
	}
	before := readText(t, filepath.Join(work, "table.csv"))
	if lines, _ := runDay(t, days[5], "2026-08-20", work); proposed(lines) != nil || readText(t, filepath.Join(work, "table.csv")) != before {
		t.Error("a second run on the same day changed the table")
	}
}

const ruleTable = `# comment
provider,model_id,above,input,cache_read,cache_write_5m,cache_write_1h,output,valid_from,valid_until,sources,verified_at,same_as,mode,modality
openai,gpt-5,0,2,0.2,,,8,,,page,2026-06-01,,,
openai,gpt-5,200000,4,,,,16,,,page,2026-06-01,,,
openai,gpt-5-mini,0,1,0.1,,,4,,,page,2026-06-01,,,
deepseek,deepseek-v9,0,1,,,,2,,,page,2026-06-01,,peak,
deepseek,deepseek-v9,0,0.5,,,,1,,,page,2026-06-01,,off-peak,
`

// quote is what a feed has for a model: input, output and cached input.
type quote [3]string

// feedFiles returns three feeds with the same models. Each has 30 others, so that it is not too short.
func feedFiles(t *testing.T, all map[string]map[string]quote) string {
	t.Helper()
	files := make(map[string]string)
	for _, name := range []string{"models.dev", "genai-prices", "litellm"} {
		quotes, ok := all[name]
		if !ok {
			continue
		}
		var models []string
		add := func(id string, q quote) {
			source, _, _ := strings.Cut(strings.Replace(id, "gpt", "openai", 1), "-")
			switch name {
			case "models.dev":
				models = append(models, fmt.Sprintf(`%q:{"models":{%q:{"cost":{"input":%s,"output":%s,"cache_read":%s}}}}`, source, id, q[0], q[1], q[2]))
			case "genai-prices":
				models = append(models, fmt.Sprintf(`{"id":%q,"models":[{"id":%q,"match":{"equals":%q},"prices":{"input_mtok":%s,"output_mtok":%s,"cache_read_mtok":%s}}]}`, source, id, id, q[0], q[1], q[2]))
			case "litellm":
				models = append(models, fmt.Sprintf(`%q:{"litellm_provider":%q,"mode":"chat","input_cost_per_token":%se-6,"output_cost_per_token":%se-6,"cache_read_input_token_cost":%se-6}`, id, source, q[0], q[1], q[2]))
			}
		}
		for id, q := range quotes {
			add(id, q)
		}
		for i := range 30 {
			add(fmt.Sprintf("gpt-other-%d", i), quote{"1", "2", "0.1"})
		}
		switch name {
		case "models.dev": // one object for each provider
			byProvider := map[string][]string{}
			for _, m := range models {
				provider, rest, _ := strings.Cut(m, `:{"models":{`)
				byProvider[provider] = append(byProvider[provider], strings.TrimSuffix(rest, "}}"))
			}
			var providers []string
			for p, list := range byProvider {
				providers = append(providers, p+`:{"models":{`+strings.Join(list, ",")+"}}")
			}
			files[name+".json"] = "{" + strings.Join(providers, ",") + "}"
		case "genai-prices":
			files[name+".json"] = "[" + strings.Join(models, ",") + "]"
		case "litellm":
			files[name+".json"] = "{" + strings.Join(models, ",") + "}"
		}
	}
	return write(t, files)
}

// feedsWith returns the feeds with another quote of a model in some of them.
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

// TestRule has the first answer of the feeds, and what a second one changes.
func TestRule(t *testing.T) {
	two, three := []string{"genai-prices", "litellm"}, []string{"models.dev", "genai-prices", "litellm"}
	for name, c := range map[string]struct {
		day   string
		feeds map[string]map[string]quote
		want  []string // the changes
		print string   // the first line that is printed
	}{
		"two agree":            {"2026-06-12", feedsWith("gpt-5", quote{"1", "4", "0.1"}, two...), []string{"changed openai/gpt-5/0 2026-06-12 1-4"}, "changed"},
		"a cache price alone":  {"2026-06-12", feedsWith("gpt-5", quote{"2", "8", "0.1"}, two...), []string{"changed openai/gpt-5/0 2026-06-12 2-8"}, "changed"},
		"a new model":          {"2026-06-12", feedsWith("gpt-6", quote{"3", "9", "0.3"}, two...), []string{"added openai/gpt-6/0 2026-06-12 3-9"}, "added"},
		"one feed lies":        {"2026-06-12", feedsWith("gpt-5", quote{"1", "4", "0.1"}, "litellm"), nil, "disagreed"},
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

func TestRowsOfAChange(t *testing.T) {
	work := write(t, map[string]string{"table.csv": ruleTable})
	runDay(t, feedFiles(t, feedsWith("", quote{})), "2026-06-02", work)
	runDay(t, feedFiles(t, feedsWith("gpt-5", quote{"1", "4", "0.1"}, "models.dev", "litellm")), "2026-06-12", work)
	want := strings.Replace(ruleTable, "openai,gpt-5,0,2,0.2,,,8,,,page,2026-06-01,,,\n",
		"openai,gpt-5,0,2,0.2,,,8,,2026-06-12,page,2026-06-01,,,\nopenai,gpt-5,0,1,0.1,,,4,2026-06-12,,modelsdev+litellm,2026-06-12,,,\n", 1)
	if text := readText(t, filepath.Join(work, "table.csv")); text != want {
		t.Errorf("got:\n%s\nwant:\n%s", text, want)
	}
}

// TestTierOfANewModel has a model whose tier one feed lists later, and one whose tier ended.
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

func TestPlaceOfAnAddedRow(t *testing.T) {
	for model, next := range map[string]string{"gpt-4": "openai,gpt-5,0,2,", "gpt-5-a": "openai,gpt-5-mini,", "gpt-9": "deepseek,deepseek-v9,0,1,"} {
		work := write(t, map[string]string{"table.csv": ruleTable})
		runDay(t, feedFiles(t, feedsWith("", quote{})), "2026-06-02", work)
		runDay(t, feedFiles(t, feedsWith(model, quote{"3", "9", "0.3"}, "models.dev", "litellm")), "2026-06-12", work)
		want := "openai," + model + ",0,3,0.3,,,9,2026-06-12,,modelsdev+litellm,2026-06-12,,,\n" + next
		if text := readText(t, filepath.Join(work, "table.csv")); !strings.Contains(text, want) {
			t.Errorf("%s is not before %s:\n%s", model, next, text)
		}
	}
}

func TestLongContextOfXAI(t *testing.T) {
	for _, above := range []string{"199999", "200000"} {
		work := write(t, map[string]string{"table.csv": strings.Replace(ruleTable, "openai,gpt-5,200000,4", "xai,grok-9,"+above+",4", 1)})
		table, err := readTable(filepath.Join(work, "table.csv"))
		if err != nil {
			t.Fatal(err)
		}
		if key := (priceKey{"xai", "grok-9", 200000}); len(table.inForce(key, "2026-06-12")) != 1 || table.aboveCell(key) != above {
			t.Errorf("%s: %v", above, table.aboveCell(key))
		}
	}
}

// TestAbsentFeeds has files that count as absent: what the feed stated before stays, and it has no vote.
func TestAbsentFeeds(t *testing.T) {
	changed := feedsWith("gpt-5", quote{"1", "4", "0.1"}, "models.dev", "litellm")
	for name, text := range map[string]string{
		"missing": "", "broken": `{"gpt-5":`, "empty": `{}`, "a list": `[]`, "short": `{"gpt-5":{"litellm_provider":"openai","mode":"chat","input_cost_per_token":1e-6,"output_cost_per_token":4e-6}}`,
		"huge": strings.Repeat(" ", maxFeed+1), "text after": `{} {}`,
	} {
		t.Run(name, func(t *testing.T) {
			work := write(t, map[string]string{"table.csv": ruleTable})
			runDay(t, feedFiles(t, feedsWith("", quote{})), "2026-06-02", work)
			dir := feedFiles(t, changed)
			path := filepath.Join(dir, "litellm.json")
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			if text != "" {
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			lines, warnings := runDay(t, dir, "2026-06-12", work)
			if proposed(lines) != nil || !strings.Contains(warnings, "litellm counts as absent") {
				t.Errorf("%v, %q", lines, warnings)
			}
			if lines, _ = runDay(t, feedFiles(t, changed), "2026-06-13", work); len(proposed(lines)) != 1 {
				t.Errorf("after the outage: %v", lines)
			}
		})
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

func TestDecimal(t *testing.T) {
	for text, want := range map[string]string{
		"1.25e-07": "0.125", "3e-6": "3", "0.0": "0", "-1": "", "1/2": "", "1e999999999": "", "0x1p-2": "", "": "", "NaN": "", "2.4999999999999998e-07": "0.25",
	} {
		if got := decimal(text, 1e6); got != want {
			t.Errorf("decimal(%q) = %q, want %q", text, got, want)
		}
	}
}

func FuzzReadFeeds(f *testing.F) {
	f.Add([]byte(`[{"id":"openai","models":[{"id":"gpt-5","match":{"or":[{"starts_with":"gpt-5"}]},"prices":[{"constraint":{"start_date":"2026-01-01"},"prices":{"input_mtok":{"base":1,"tiers":[{"start":200000,"price":2}]},"output_mtok":3}}]}]}]`))
	f.Add([]byte(`{"openai":{"models":{"gpt-5":{"cost":{"input":1,"output":2,"tiers":[{"tier":{"size":200000},"input":2,"output":3}]}}}}}`))
	f.Add([]byte(`{"gpt-5":{"litellm_provider":"openai","mode":"chat","input_cost_per_token":1e-6,"output_cost_per_token":2e-6,"input_cost_per_token_above_200k_tokens":2e-6}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, feed := range feeds {
			found, err := feed.read(text, "2026-06-12")
			if err != nil {
				continue
			}
			for key, one := range found {
				if strings.ContainsAny(key.String()+strings.Join(one.Prices[:], "")+one.Start, ",\n\r\"") || key.above < 0 {
					t.Errorf("%s: %v would break the table", key, one)
				}
			}
		}
	})
}
