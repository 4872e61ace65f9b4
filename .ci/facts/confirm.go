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

// keyColumns identify a row of the table.
var keyColumns = []string{"provider", "model_id", "above", "valid_from", "mode", "modality"}

// confirmedHead is the beginning of confirmed.csv.
var confirmedHead = "# When the public price feeds last stated each row of prices.csv. .ci/facts writes this file every night.\n" +
	strings.Join(keyColumns, ",") + ",confirmed_at\n"

// confirmed has the day on which the feeds last stated a row, by its cells of keyColumns.
type confirmed map[string]string

// confirmedFile returns the name of the file beside a table.
func confirmedFile(table string) string { return filepath.Join(filepath.Dir(table), "confirmed.csv") }

// readConfirmed reads the days of the rows of a table. A missing file has none.
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

// move sets the day of every row that the feeds state.
func (c confirmed) move(t *table, s *state, found map[string]statements, day string) {
	for _, r := range t.rows {
		if !r.textRow() || !r.validOn(day) || !r.prices().known() {
			continue
		}
		in := t.inForce(r.key(), day)
		if len(in) == 0 {
			_, _, in = t.verified(r.key(), day) // sold in modes alone, as DeepSeek's are
		}
		if slices.Contains(in, r) && s.states(r, in, found, day) {
			c[r.id()] = day
		}
	}
}

// states reports whether a feed states a row of a price, and none another price. A silent feed is not believed: an old price would stay
// confirmed.
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

// write writes the days of the rows of a table, in its order.
func (c confirmed) write(path string, t *table) error {
	text := confirmedHead
	for _, r := range t.rows {
		if r.cells != nil {
			text += r.id() + "," + c[r.id()] + "\n"
		}
	}
	return replace(path, []byte(text))
}

// id returns the cells of keyColumns.
func (r *row) id() string {
	cells := make([]string, len(keyColumns))
	for i, name := range keyColumns {
		cells[i] = r.cell(name)
	}
	return strings.Join(cells, ",")
}
