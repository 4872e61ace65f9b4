package main

import (
	"encoding/json"
	"errors"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func idsAndDates(ids map[string]bool, dates map[string]string) string {
	all := make(map[string]bool)
	for id := range ids {
		all[id] = true
	}
	for id, date := range dates {
		delete(all, id)
		all[id+"="+date] = true
	}
	return strings.Join(slices.Sorted(maps.Keys(all)), " ")
}

const dateTable = "# as of 2026-11-22\nprovider,model_id,date,builds,replacement,note\n"

// runDates updates the dates in dir from releases, and returns the changes, the table and
// warnings.
func runDates(t *testing.T, dir, day string, releases ...release) (changes []dateChange, table, warnings string) {
	t.Helper()
	var all []origin
	for _, r := range releases {
		all = append(all, origin{r.Name, func() (release, error) {
			if r.Version == "" {
				return r, errors.New("no answer")
			}
			return r, nil
		}})
	}
	var out, warn strings.Builder
	if err := updateDates(&out, &warn, day, dir, filepath.Join(dir, "state.json"), all); err != nil {
		t.Fatal(err)
	}
	for d := json.NewDecoder(strings.NewReader(out.String())); ; {
		var c dateChange
		if err := d.Decode(&c); err == io.EOF {
			return changes, readText(t, filepath.Join(dir, "retirements.csv")), warn.String()
		} else if err != nil {
			t.Fatal(err)
		}
		changes = append(changes, c)
	}
}

func openAI(name, day string, dates map[string]string, ids ...string) release {
	r := release{Provider: "openai", Name: name, Version: "1.0.0", Day: day, IDs: map[string]bool{}, Dates: dates}
	for _, id := range ids {
		r.IDs[id] = true
	}
	return r
}

func TestDates(t *testing.T) {
	const row = "openai,gpt-5,2027-01-01,all,gpt-6,a note\n"
	for name, c := range map[string]struct {
		rows     string
		releases []release
		kinds    string
		want     string
	}{
		"agrees":           {row, []release{openAI("a", "2026-11-24", map[string]string{"gpt-5": "2027-01-01"}, "gpt-5")}, "", row},
		"another date":     {row, []release{openAI("a", "2026-11-24", map[string]string{"gpt-5": "2027-02-01"}, "gpt-5")}, "dated gpt-5", "openai,gpt-5,2027-02-01,all,gpt-6,a 1.0.0 of 2026-11-24\n"},
		"an old SDK":       {row, []release{openAI("a", "2026-11-22", map[string]string{"gpt-5": "2027-02-01"}, "gpt-5")}, "disagreed gpt-5", row},
		"the newest wins":  {row, []release{openAI("a", "2026-11-25", map[string]string{"gpt-5": "2027-03-01"}, "gpt-5"), openAI("b", "2026-11-24", map[string]string{"gpt-5": "2027-02-01"}, "gpt-5")}, "dated gpt-5", "openai,gpt-5,2027-03-01,all,gpt-6,a 1.0.0 of 2026-11-25\n"},
		"a new date":       {row, []release{openAI("a", "2026-11-24", map[string]string{"gpt-4": "2027-02-01", "gpt-5-mini": "2027-02-02", "o3": "2027-02-03"}, "gpt-4", "gpt-5-mini", "o3")}, "dated gpt-4, dated gpt-5-mini, dated o3", "openai,gpt-4,2027-02-01,,,a 1.0.0 of 2026-11-24\n" + row + "openai,gpt-5-mini,2027-02-02,,,a 1.0.0 of 2026-11-24\nopenai,o3,2027-02-03,,,a 1.0.0 of 2026-11-24\n"},
		"in a comment":     {row, []release{openAI("a", "2026-11-24", map[string]string{"gpt-4": "2027-02-01"}, "gpt-5")}, "", row},
		"a comment, known": {row, []release{openAI("a", "2026-11-24", map[string]string{"gpt-known": "2027-02-01"}, "gpt-5")}, "dated gpt-known", row + "openai,gpt-known,2027-02-01,,,a 1.0.0 of 2026-11-24\n"},
		"another provider": {row, []release{{Provider: "gemini", Name: "a", Version: "1", Day: "2026-11-24", IDs: map[string]bool{"gemini-9": true}, Dates: map[string]string{"gemini-9": "2027-02-01"}}}, "dated gemini-9", "gemini,gemini-9,2027-02-01,,,a 1 of 2026-11-24\n" + row},
	} {
		dir := write(t, map[string]string{"retirements.csv": dateTable + c.rows, "models.csv": "provider,model_id\nopenai,gpt-known\n"})
		changes, table, warnings := runDates(t, dir, "2026-11-28", c.releases...)
		var kinds []string
		for _, change := range changes {
			kinds = append(kinds, change.Kind+" "+change.Model)
		}
		if strings.Join(kinds, ", ") != c.kinds || table != dateTable+c.want || warnings != "" {
			t.Errorf("%s: %v, %s\n%s", name, kinds, warnings, table)
		}
		if again, _, _ := runDates(t, dir, "2026-11-29", c.releases...); c.kinds != "" && strings.HasPrefix(c.kinds, "dated") && again != nil {
			t.Errorf("%s: the next night %v", name, again)
		}
	}
}

// Last night's SDK has ten ids and five dates.
func TestAbsentSDKs(t *testing.T) {
	ids := strings.Fields("m-0 m-1 m-2 m-3 m-4 m-5 m-6 m-7 m-8 m-9")
	dates := map[string]string{"m-0": "2027-01-01", "m-1": "2027-01-01", "m-2": "2027-01-01", "m-3": "2027-01-01", "m-4": "2027-01-01"}
	some := func(n int) map[string]string {
		cut := make(map[string]string)
		for _, id := range ids[:n] {
			cut[id] = "2027-02-01"
		}
		return cut
	}
	for name, c := range map[string]struct {
		next release
		want string
	}{
		"all":            {openAI("a", "2026-11-25", some(5), ids...), ""},
		"80 % are left":  {openAI("a", "2026-11-25", some(4), ids[:8]...), ""},
		"too few ids":    {openAI("a", "2026-11-25", some(5), ids[:7]...), "facts: a counts as absent: it has 7 of 10 ids\n"},
		"too few dates":  {openAI("a", "2026-11-25", some(3), ids...), "facts: a counts as absent: it has 3 of 5 dates\n"},
		"other ids":      {openAI("a", "2026-11-25", some(5), "n-0", "n-1", "n-2", "n-3", "n-4", "n-5", "n-6", "n-7", "n-8", "n-9"), "facts: a counts as absent: it has 0 of 10 ids\n"},
		"cannot be read": {release{Name: "a"}, "facts: a counts as absent: no answer\n"},
	} {
		dir := write(t, map[string]string{"retirements.csv": dateTable, "models.csv": "provider,model_id\n"})
		runDates(t, dir, "2026-11-26", openAI("a", "2026-11-24", dates, ids...))
		changes, _, warnings := runDates(t, dir, "2026-11-27", c.next)
		if warnings != c.want || (changes == nil) != (c.want != "") {
			t.Errorf("%s: %v, %q", name, changes, warnings)
		}
		s, err := readState(filepath.Join(dir, "state.json"))
		if err != nil {
			t.Fatal(err)
		}
		if r := s.SDKs["a"]; (r.Read == "2026-11-26") != (c.want != "") || (len(r.IDs) == 10) != (c.want != "" || name == "all") {
			t.Errorf("%s: the state has %v", name, r)
		}
		s.Changed = map[string]string{"models.dev": "2026-12-01", "genai-prices": "2026-12-01", "litellm": "2026-12-01"}
		var out strings.Builder
		if silent := s.printSilent(&out, "2026-12-11"); silent != (c.want != "") {
			t.Errorf("%s: %s", name, &out)
		}
	}
}
