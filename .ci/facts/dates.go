package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// dateChange is a retirement date that an SDK has, and retirements.csv doesn't.
type dateChange struct {
	// Kind is dated if the table changes. It's disagreed if the SDK isn't newer than the
	// table's "as of" day.
	Kind     string `json:"kind"`
	Provider string `json:"provider"`
	Model    string `json:"model"`
	Old      string `json:"old"`
	New      string `json:"new"`
	Source   string `json:"source"`
}

// datesCommand updates retirements.csv from the newest official SDKs, and prints
// changes as JSON lines. The state keeps the SDKs' dates. Absent SDKs are reported to
// warn.
//
//	facts dates -day YYYY-MM-DD -facts DIR -state FILE
func datesCommand(out, warn io.Writer, args []string) error {
	o, err := parseNightly("dates", warn, args)
	if err != nil {
		return err
	}
	return updateDates(out, warn, o.day, o.dir, o.stateFile, origins(npm))
}

func updateDates(out, warn io.Writer, day, dir, stateFile string, all []origin) error {
	s, err := readState(stateFile)
	if err != nil {
		return err
	}
	known, err := readTables(dir)
	if err != nil {
		return err
	}
	path := filepath.Join(dir, "retirements.csv")
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	s.readSDKs(all, day, warn)
	t := retirements{strings.SplitAfter(string(text), "\n"), known}
	for _, c := range t.update(slices.Collect(maps.Values(s.SDKs))) {
		if err := json.NewEncoder(out).Encode(c); err != nil {
			return err
		}
	}
	return errors.Join(replace(path, []byte(strings.Join(t.lines, ""))), s.write(stateFile))
}

type retirements struct {
	lines []string          // of retirements.csv
	known map[string]string // provider/id -> date, also of undated models
}

// update applies dates from releases after the table's "as of" day.
func (t *retirements) update(releases []release) (changes []dateChange) {
	_, after, _ := strings.Cut(strings.Join(t.lines, ""), "# as of ")
	asOf, _, _ := strings.Cut(after, "\n")
	for _, s := range sdks {
		found := stated(releases, s.provider)
		for _, id := range slices.Sorted(maps.Keys(found)) {
			r := found[id]
			old, listed := t.known[s.provider+"/"+id]
			declared := slices.ContainsFunc(releases, func(r release) bool { return r.Provider == s.provider && r.IDs[id] })
			if old == r.Dates[id] || !listed && !declared {
				continue
			}
			c := dateChange{"disagreed", s.provider, id, old, r.Dates[id], r.String()}
			if r.Day > asOf {
				c.Kind = "dated"
				t.set(c)
			}
			changes = append(changes, c)
		}
	}
	return changes
}

// set keeps the other cells in an existing row.
func (t *retirements) set(c dateChange) {
	key := []string{c.Provider, c.Model}
	at := len(t.lines) - 1 // after the last newline
	for i, line := range t.lines {
		cells := strings.Split(strings.TrimSpace(line), ",")
		switch {
		case strings.HasPrefix(line, "#") || len(cells) != 6 || cells[0] == "provider":
		case slices.Equal(cells[:2], key):
			cells[2], cells[5] = c.New, c.Source
			t.lines[i] = strings.Join(cells, ",") + "\n"
			return
		case at == len(t.lines)-1 && slices.Compare(cells[:2], key) > 0:
			at = i
		}
	}
	t.lines = slices.Insert(t.lines, at, fmt.Sprintf("%s,%s,%s,,,%s\n", c.Provider, c.Model, c.New, c.Source))
}
