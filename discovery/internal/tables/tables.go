// Package tables reads and checks the CSV files of package facts.
package tables

import (
	"errors"
	"fmt"
	"iter"
	"strings"
)

// Table describes a CSV file without quotes. Lines that begin with # are comments.
type Table struct {
	Name    string // of the file
	Columns string // the first line
	Checks  []Check
	// Key returns cells that must be unique in the table, joined.
	Key func(cells []string) string
	// CheckRow, unless nil, compares a row's valid cells. It returns a contradiction, or "".
	CheckRow func(cells []string) string
}

// Check returns the requirement that a cell doesn't meet, or "".
type Check func(cell string) string

// Rows yields each row's cells. The table must be valid.
func Rows(text string) iter.Seq[[]string] {
	return func(yield func([]string) bool) {
		begun := false
		for line := range strings.Lines(text) {
			switch {
			case line[0] == '#':
			case !begun:
				begun = true
			case !yield(strings.Split(strings.TrimSuffix(line, "\n"), ",")):
				return
			}
		}
	}
}

// Validate checks all cells. The error names the file, line and column of the first
// wrong one, and quotes nothing from text.
func (t *Table) Validate(text string) error {
	if !strings.HasSuffix(text, "\n") {
		return fmt.Errorf("%s: the last line is incomplete", t.Name)
	}
	begun, number := false, 0
	seen := make(map[string]int) // key -> line
	for line := range strings.Lines(text) {
		number++
		line = strings.TrimSuffix(line, "\n")
		var err error
		switch {
		case strings.HasPrefix(line, "#"):
		case !begun:
			begun = true
			if line != t.Columns { // an unknown column may limit what a row is for
				err = errors.New("unsupported columns")
			}
		default:
			cells := strings.Split(line, ",")
			if err = t.check(cells); err != nil {
				break
			}
			if first := seen[t.Key(cells)]; first > 0 {
				err = fmt.Errorf("the same row as line %d", first)
			}
			seen[t.Key(cells)] = number
		}
		if err != nil {
			return fmt.Errorf("%s:%d: %w", t.Name, number, err)
		}
	}
	if !begun {
		return fmt.Errorf("%s: no columns", t.Name)
	}
	return nil
}

// maxCell bounds a cell, in bytes.
const maxCell = 1000

func (t *Table) check(cells []string) error {
	if len(cells) != len(t.Checks) {
		return fmt.Errorf("%d cells instead of %d", len(cells), len(t.Checks))
	}
	for i, check := range t.Checks {
		must := check(cells[i])
		if len(cells[i]) > maxCell || strings.ContainsFunc(cells[i], notPlain) {
			must = "must be short plain text"
		}
		if must != "" {
			return fmt.Errorf("%s %s", strings.Split(t.Columns, ",")[i], must)
		}
	}
	if t.CheckRow != nil {
		if wrong := t.CheckRow(cells); wrong != "" {
			return errors.New(wrong)
		}
	}
	return nil
}

func notPlain(r rune) bool { return r < ' ' || r > '~' }

// AsOf returns the day in the comment "# as of 2026-11-28", or "".
func AsOf(text string) string {
	_, after, _ := strings.Cut(text, "# as of ")
	day, _, _ := strings.Cut(after, "\n")
	return day
}

// PriceKey joins those cells in a prices.csv row that confirmed.csv repeats.
func PriceKey(cells []string) string { return Key(0, 1, 2, 8, 13, 14)(cells) }

// Key returns a function that joins those cells.
func Key(columns ...int) func(cells []string) string {
	return func(cells []string) string {
		key := make([]string, len(columns))
		for i, column := range columns {
			key[i] = cells[column]
		}
		return strings.Join(key, ",")
	}
}
