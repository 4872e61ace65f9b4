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

// runDay runs the command on the feeds in dir and returns its output.
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

// proposed returns changes to the table.
func proposed(lines []line) (changes []string) {
	for _, l := range lines {
		if l.Kind == "added" || l.Kind == "changed" || l.Kind == "ended" || l.Kind == "filled" {
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

// Replays the 2026 snapshots in order. A change that two feeds show must be proposed, and
// every proposed price must be true: the built-in table has it on the change's first day.
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
	truth, err := readTable("../../discovery/facts/prices.csv")
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
			if l.Kind != "changed" && l.Kind != "added" && l.Kind != "filled" {
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

// feedFiles returns three feeds with the same models. Each has 30 others, so that it
// isn't too short.
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

// A broken feed counts as absent: its earlier statements stay, and it has no vote.
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
