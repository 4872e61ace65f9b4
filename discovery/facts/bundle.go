package facts

import (
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"strconv"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/internal/tables"
)

// BundleName is the file that [Facts.WriteTo] writes and a mirror must serve, for
// discovery.Client.UpdateFacts. It includes the format's number, so that programs for
// another format request another file.
const BundleName = "facts-1.txt"

// A bundle begins with bundleHead and its version. Each table follows the line "-- NAME
// --". The last line is bundleEnd and a digest over all lines before it.
const (
	bundleHead = "mesh-go-facts-1 "
	bundleEnd  = "fnv1a128 "
)

// confirmed is written by a nightly job, so it lacks an "as of" day.
const confirmed = "confirmed.csv"

// maxBundle bounds a bundle, and each file in a directory, in bytes.
const maxBundle = 32 << 20

// ErrOld is wrapped by errors from [Facts.Newer]. Use errors.Is.
var ErrOld = errors.New("facts: not newer")

// WriteTo writes all tables and the version, for [Read].
func (f *Facts) WriteTo(w io.Writer) (int64, error) {
	var text strings.Builder
	text.WriteString(bundleHead + f.Version() + "\n")
	for _, table := range allTables() {
		text.WriteString(beginning(table.Name) + f.Table(table.Name))
	}
	n, err := io.WriteString(w, text.String()+digestLine(text.String()))
	if err != nil {
		return int64(n), fmt.Errorf("facts: WriteTo: %w", err)
	}
	return int64(n), nil
}

func beginning(name string) string { return "-- " + name + " --\n" }

// digestLine uses FNV because package sha256 would add 140 KB to every program with
// package models, and protect no better: anyone who can forge a bundle can forge its
// digest.
func digestLine(text string) string {
	digest := fnv.New128a()
	_, _ = io.WriteString(digest, text) // a hash has no errors
	return fmt.Sprintf("%s%x\n", bundleEnd, digest.Sum(nil))
}

// Read parses facts that [Facts.WriteTo] wrote.
//
// If the digest, a column or a cell is wrong, it returns no facts, only an error. For a
// cell, the error names the table and line. No error quotes r. The digest detects damage,
// not forgery.
func Read(r io.Reader) (*Facts, error) {
	text, err := readAll(r)
	if err != nil {
		return nil, fmt.Errorf("facts: %w", err)
	}
	end := strings.LastIndex(strings.TrimSuffix(text, "\n"), "\n") + 1
	head, rest, _ := strings.Cut(text[:end], "\n")
	version, ok := strings.CutPrefix(head, bundleHead)
	switch {
	case !ok:
		return nil, errors.New("facts: not a bundle of this format")
	case text[end:] != digestLine(text[:end]):
		return nil, errors.New("facts: the bundle is damaged: the digest differs")
	}
	f := &Facts{version: version, received: map[string]string{}}
	last := "" // previous table
	for _, table := range allTables() {
		text, after, found := strings.Cut(rest, beginning(table.Name))
		if !found || last == "" && text != "" {
			return nil, fmt.Errorf("facts: the bundle lacks %s", table.Name)
		}
		f.received[last], last, rest = text, table.Name, after
	}
	f.received[last] = rest
	return f.checked()
}

// ReadFS reads a copy of this package's directory in the repository. Like [Read], it
// returns no facts if anything is wrong.
func ReadFS(fsys fs.FS) (*Facts, error) {
	version, err := readFile(fsys, "VERSION")
	f := &Facts{version: strings.TrimSpace(version), received: map[string]string{}}
	for _, table := range allTables() {
		if err == nil {
			f.received[table.Name], err = readFile(fsys, table.Name)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("facts: %w", err)
	}
	return f.checked()
}

// readFile converts line ends to a bundle's.
func readFile(fsys fs.FS, name string) (string, error) {
	file, err := fsys.Open(name)
	if err != nil {
		return "", err
	}
	defer file.Close()
	text, err := readAll(file)
	if err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	return strings.ReplaceAll(text, "\r\n", "\n"), nil
}

func readAll(r io.Reader) (string, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxBundle+1))
	if err == nil && len(text) > maxBundle {
		err = fmt.Errorf("longer than %d bytes", maxBundle)
	}
	return string(text), err
}

// checked returns f if all its cells are valid.
func (f *Facts) checked() (*Facts, error) {
	day, _, ok := parseVersion(f.version)
	if !ok || day.After(tables.Tomorrow()) { // it would stay newer than all others
		return nil, errors.New("facts: VERSION must be a day that is not in the future and a number, as in 2026-12-01.1")
	}
	for _, table := range allTables() {
		text := f.received[table.Name]
		err := table.Validate(text)
		if table.Name != confirmed && err == nil && tables.PastDay(tables.AsOf(text)) != "" {
			err = fmt.Errorf("%s: must have a line # as of, with a day that is not in the future", table.Name)
		}
		if err != nil {
			return nil, fmt.Errorf("facts: %w", err)
		}
	}
	if err := checkConfirmed(f.received["prices.csv"], f.received[confirmed]); err != nil {
		return nil, fmt.Errorf("facts: %w", err)
	}
	return f, nil
}

func parseVersion(version string) (day time.Time, number int, ok bool) {
	date, count, _ := strings.Cut(version, ".")
	day, err1 := time.Parse(time.DateOnly, date)
	number, err2 := strconv.Atoi(count)
	return day, number, err1 == nil && err2 == nil && number > 0 && strconv.Itoa(number) == count
}

// Newer returns nil if f may replace than: f's version must be later, and f must have
// prices for at least nine tenths of than's priced models. Prices are never removed, so a
// table that lacks many was cut. The error matches [ErrOld].
func (f *Facts) Newer(than *Facts) error {
	day, number, _ := parseVersion(f.Version())
	otherDay, otherNumber, _ := parseVersion(than.Version())
	switch {
	case day.Before(otherDay), day.Equal(otherDay) && number <= otherNumber:
		return fmt.Errorf("%w: version %s, and %s is in use", ErrOld, f.Version(), than.Version())
	case lacksPrices(f.Table("prices.csv"), than.Table("prices.csv")):
		return fmt.Errorf("%w, or cut: less than nine tenths of the models have a price", ErrOld)
	}
	return nil
}
