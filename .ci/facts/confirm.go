package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// keyColumns identify a table row.
var keyColumns = []string{"provider", "model_id", "above", "valid_from", "mode", "modality"}

var confirmedHead = "# When the public price feeds last stated each row of prices.csv. .ci/facts writes this file every night.\n" +
	strings.Join(keyColumns, ",") + ",confirmed_at\n"

// confirmed maps keyColumns cells to the day when the feeds last stated the row.
type confirmed map[string]string

// confirmedFile is in the table's directory.
func confirmedFile(table string) string { return filepath.Join(filepath.Dir(table), "confirmed.csv") }

// readConfirmed returns an empty map if the file is missing.
func readConfirmed(path string) (confirmed, error) {
	days := make(confirmed)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return days, nil
	} else if err != nil {
		return nil, err
	}
	for line := range strings.Lines(strings.TrimPrefix(string(text), confirmedHead)) {
		line = strings.TrimSpace(line)
		end := strings.LastIndexByte(line, ',')
		if strings.Count(line, ",") != len(keyColumns) || (line[end+1:] != "" && !isDate(line[end+1:])) {
			return nil, fmt.Errorf("%s: %q is no row with a day", path, line)
		}
		days[line[:end]] = line[end+1:]
	}
	return days, nil
}

// move sets the day for every row that the feeds state.
func (c confirmed) move(t *table, s *state, found map[string]statements, day string) {
	for _, r := range t.rows {
		if !r.textRow() || !r.validOn(day) || !r.prices().known() {
			continue
		}
		in := t.inForce(r.key(), day)
		if len(in) == 0 {
			_, _, in = t.verified(r.key(), day) // sold only in modes, like DeepSeek's models
		}
		if slices.Contains(in, r) && s.states(r, in, found, day) {
			c[r.id()] = day
		}
	}
}

// states reports whether some feed states this row's price and no feed has a different
// price. Silent feeds don't count: they would confirm an old price forever.
func (s *state) states(r *row, in []*row, found map[string]statements, day string) (stated bool) {
	for _, v := range s.votes(r.key(), found, nil) {
		switch {
		case v.Gone != "" || v.Doubt != "" || after(s.Changed[v.feed.name], maxSilence) < day:
		case !anyRow(in, v.Prices):
			return false
		default:
			stated = stated || anyRow([]*row{r}, v.Prices)
		}
	}
	return stated
}

// write writes the rows in table order.
func (c confirmed) write(path string, t *table) error {
	text := confirmedHead
	for _, r := range t.rows {
		if r.cells != nil {
			text += r.id() + "," + c[r.id()] + "\n"
		}
	}
	return replace(path, []byte(text))
}

func (r *row) id() string {
	cells := make([]string, len(keyColumns))
	for i, name := range keyColumns {
		cells[i] = r.cell(name)
	}
	return strings.Join(cells, ",")
}
