package main

import (
	"path/filepath"
	"strings"
	"testing"
)

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
