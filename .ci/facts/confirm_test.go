package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// dayOf returns a row's day in confirmed.csv.
func dayOf(t *testing.T, work, row string) string {
	t.Helper()
	_, after, found := strings.Cut(readText(t, filepath.Join(work, "confirmed.csv")), "\n"+row+",")
	if !found {
		t.Fatalf("%s is not in confirmed.csv", row)
	}
	day, _, _ := strings.Cut(after, "\n")
	return day
}

func TestConfirmedDays(t *testing.T) {
	const row = "openai,gpt-5,0,,,"
	alone := feedsWith("", quote{})
	delete(alone["models.dev"], "gpt-5")
	delete(alone["genai-prices"], "gpt-5")
	gone := feedsWith("", quote{})
	for _, quotes := range gone {
		delete(quotes, "gpt-5")
	}
	for name, c := range map[string]struct {
		next map[string]map[string]quote
		want string
	}{
		"all state it":          {feedsWith("", quote{}), "2026-06-12"},
		"one feed states it":    {alone, "2026-06-12"},
		"no feed states it":     {gone, "2026-06-02"},
		"one feed contradicts":  {feedsWith("gpt-5", quote{"1", "4", "0.1"}, "litellm"), "2026-06-02"},
		"another cache price":   {feedsWith("gpt-5", quote{"2", "8", "0.1"}, "litellm"), "2026-06-02"},
		"two feeds changed it":  {feedsWith("gpt-5", quote{"1", "4", "0.1"}, "litellm", "models.dev"), "2026-06-02"},
		"a price without votes": {feedsWith("gpt-5", quote{"0", "0", "0"}, "litellm"), "2026-06-12"},
	} {
		work := write(t, map[string]string{"table.csv": ruleTable})
		runDay(t, feedFiles(t, feedsWith("", quote{})), "2026-06-02", work)
		if got := dayOf(t, work, row); got != "2026-06-02" {
			t.Errorf("%s: at first %q", name, got)
		}
		runDay(t, feedFiles(t, c.next), "2026-06-12", work)
		if got := dayOf(t, work, row); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// DeepSeek has no price for standard requests. A feed states one mode's price.
func TestConfirmedModes(t *testing.T) {
	work := write(t, map[string]string{"table.csv": ruleTable})
	runDay(t, feedFiles(t, feedsWith("", quote{})), "2026-06-02", work)
	if peak, off := dayOf(t, work, "deepseek,deepseek-v9,0,,peak,"), dayOf(t, work, "deepseek,deepseek-v9,0,,off-peak,"); peak != "2026-06-02" || off != "" {
		t.Errorf("%q, %q", peak, off)
	}
}

// An abandoned feed still answers, but never changes.
func TestSilentFeedsConfirmNothing(t *testing.T) {
	work := write(t, map[string]string{"table.csv": ruleTable})
	for _, day := range []string{"2026-06-02", "2026-06-16", "2026-06-17", "2026-07-17"} {
		runDay(t, feedFiles(t, feedsWith("", quote{})), day, work)
	}
	if got := dayOf(t, work, "openai,gpt-5,0,,,"); got != "2026-06-16" {
		t.Error(got)
	}
}

// A row that no feed states has no day, and a row that left the table is dropped.
func TestConfirmedHasTheRowsOfTheTable(t *testing.T) {
	work := write(t, map[string]string{"table.csv": ruleTable, "confirmed.csv": confirmedHead + "openai,gpt-gone,0,,,,2026-06-01\nopenai,gpt-5,0,,,,2026-06-01\n"})
	runDay(t, t.TempDir(), "2026-06-12", work)
	text := readText(t, filepath.Join(work, "confirmed.csv"))
	if strings.Contains(text, "gpt-gone") || dayOf(t, work, "openai,gpt-5,0,,,") != "2026-06-01" || dayOf(t, work, "openai,gpt-5,200000,,,") != "" {
		t.Error(text)
	}
	if rows := strings.Count(text, "\n") - 2; rows != 5 {
		t.Errorf("%d rows:\n%s", rows, text)
	}
}

func TestReadConfirmedRefuses(t *testing.T) {
	for name, text := range map[string]string{
		"other columns": "provider,model_id\n", "a short line": confirmedHead + "openai,gpt-5\n", "no day": confirmedHead + "openai,gpt-5,0,,,,soon\n",
	} {
		dir := write(t, map[string]string{"confirmed.csv": text})
		if _, err := readConfirmed(filepath.Join(dir, "confirmed.csv")); err == nil {
			t.Error(name)
		}
	}
}
