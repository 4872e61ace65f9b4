package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestSilentFeeds(t *testing.T) {
	work := write(t, map[string]string{"table.csv": ruleTable})
	runDay(t, feedFiles(t, feedsWith("", quote{})), "2026-06-02", work)
	runDay(t, feedFiles(t, feedsWith("gpt-5", quote{"1", "4", "0.1"}, "litellm")), "2026-06-12", work)
	runDay(t, feedFiles(t, feedsWith("gpt-5", quote{"1", "4", "0.1"}, "litellm")), "2026-06-16", work)
	for day, want := range map[string]string{
		"2026-06-16": "",
		"2026-06-17": "models.dev: its newest change is of 2026-06-02\ngenai-prices: its newest change is of 2026-06-02\n",
		"2026-06-27": "models.dev: its newest change is of 2026-06-02\ngenai-prices: its newest change is of 2026-06-02\nlitellm: its newest change is of 2026-06-12\n",
	} {
		s, err := readState(filepath.Join(work, "state.json"))
		if err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		if silent := s.printSilent(&out, day); out.String() != want || silent != (want != "") {
			t.Errorf("%s: %v, %q", day, silent, &out)
		}
	}
	var out strings.Builder
	if empty, _ := readState(filepath.Join(t.TempDir(), "none")); !empty.printSilent(&out, "2026-06-02") || strings.Count(out.String(), "never been read") != 3 {
		t.Error("a feed that was never read must count as silent: " + out.String())
	}
}

func TestEndsOfPrices(t *testing.T) {
	const header = "provider,model_id,above,input,cache_read,cache_write_5m,cache_write_1h,output,valid_from,valid_until,sources,verified_at,same_as,mode,modality\n"
	for name, c := range map[string]struct{ rows, want string }{
		"no end":           {"openai,m,0,1,,,,2,,,page,2026-11-01,,,\n", ""},
		"an end":           {"openai,m,0,1,,,,2,,2026-12-01,page,2026-11-01,,,\n", "openai: m: the price ends on 2026-12-01"},
		"in the last day":  {"openai,m,0,1,,,,2,,2026-12-22,page,2026-11-01,,,\n", "openai: m: the price ends on 2026-12-22"},
		"later":            {"openai,m,0,1,,,,2,,2026-12-23,page,2026-11-01,,,\n", ""},
		"long ago":         {"openai,m,0,1,,,,2,,2026-11-21,page,2026-11-01,,,\n", ""},
		"a successor":      {"openai,m,0,1,,,,2,,2026-12-01,page,2026-11-01,,,\nopenai,m,0,2,,,,2,2026-12-01,,page,2026-11-01,,,\n", ""},
		"a reason":         {"openai,m,0,1,,,,2,,2026-12-01,page,2026-11-01,,,\nopenai,m,0,,,,,,2026-12-01,,,2026-11-01,,,\n", ""},
		"a day between":    {"openai,m,0,1,,,,2,,2026-12-01,page,2026-11-01,,,\nopenai,m,0,2,,,,2,2026-12-02,,page,2026-11-01,,,\n", "the price ends on 2026-12-01"},
		"a flat price":     {"openai,m,200000,1,,,,2,,2026-12-01,page,2026-11-01,,,\nopenai,m,0,2,,,,2,,,page,2026-11-01,,,\n", ""},
		"a longer prompt":  {"openai,m,0,1,,,,2,,2026-12-01,page,2026-11-01,,,\nopenai,m,200000,2,,,,2,,,page,2026-11-01,,,\n", "the price ends on 2026-12-01"},
		"a whole model":    {"openai,m,0,1,,,,2,,2026-12-01,page,2026-11-01,,,audio\nopenai,m,0,,,,,,2026-12-01,,,2026-11-01,,,\n", ""},
		"another modality": {"openai,m,0,1,,,,2,,2026-12-01,page,2026-11-01,,,audio\nopenai,m,0,2,,,,2,,,page,2026-11-01,,,\n", "the price ends on 2026-12-01"},
	} {
		table, err := readTable(filepath.Join(write(t, map[string]string{"t.csv": header + c.rows}), "t.csv"))
		if err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		if found := table.printEnds(&out, "2026-11-22"); found != (c.want != "") || !strings.Contains(out.String(), c.want) {
			t.Errorf("%s: %q", name, &out)
		}
	}
}

// If a built-in price ends within a month after the table's day, a row must follow it.
func TestEndsOfTheBuiltInTable(t *testing.T) {
	table, err := readTable("../../discovery/facts/prices.csv")
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if table.printEnds(&out, "2026-11-22") {
		t.Error(out.String())
	}
}

func TestUnknownIDs(t *testing.T) {
	table, err := readTable(filepath.Join(write(t, map[string]string{"t.csv": ruleTable}), "t.csv"))
	if err != nil {
		t.Fatal(err)
	}
	s := &state{Feeds: map[string]statements{"litellm": {
		{"openai", "gpt-5", 0}: {Named: true}, {"openai", "gpt-7", 0}: {Named: true}, {"openai", "gpt-7", 200000}: {Named: true},
		{"openai", "gpt-6", 0}: {Named: true, Gone: "2026-06-01"}, {"openai", "gpt-8*", 0}: {Named: true}, {"openai", "dated", 0}: {Named: true},
	}}}
	found := foundIDs{}
	found.add("openai", "gpt-7", "/v1/models")
	found.addFeeds(s)
	var out strings.Builder
	found.print(&out, map[string]string{"openai/dated": "2027-01-01"}, table)
	if out.String() != "openai/gpt-7 is in no table; seen in /v1/models, litellm\n" {
		t.Error(out.String())
	}
}

func TestAgeCommandNeedsItsFlags(t *testing.T) {
	for _, args := range [][]string{nil, {"-day", "today", "-state", "x"}, {"-day", "2026-11-22"}} {
		if err := ageCommand(os.Stdout, &strings.Builder{}, args); err == nil {
			t.Errorf("%q", args)
		}
	}
}
