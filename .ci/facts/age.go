package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// errOld means that the tables need work.
var errOld = errors.New("the tables are old")

// ageCommand prints reasons why the tables are old:
//
//   - feeds without a change in two weeks
//   - ids missing from all tables
//   - provider pages that changed
//   - prices that end within a month without a successor
//
// It updates the page hashes in the state. It returns errOld for a silent feed and for
// a price without a successor. A person reads the rest.
//
//	facts age -day YYYY-MM-DD -facts DIR -state FILE
//
// The keys for the providers' model lists are in OPENAI_API_KEY, ANTHROPIC_API_KEY,
// GEMINI_API_KEY, XAI_API_KEY and DEEPSEEK_API_KEY.
func ageCommand(out, warn io.Writer, args []string) error {
	o, err := parseNightly("age", warn, args)
	if err != nil {
		return err
	}
	known, err := readTables(o.dir)
	if err != nil {
		return err
	}
	t, err := readTable(filepath.Join(o.dir, "prices.csv"))
	if err != nil {
		return err
	}
	s, err := readState(o.stateFile)
	if err != nil {
		return err
	}
	web := &web{client: &http.Client{Timeout: 30 * time.Second}, out: out}
	web.pages(s, t, o.day)
	found := web.models(os.Getenv)
	found.addFeeds(s)
	found.addSDKs(s)
	found.print(out, known, t)
	silent, ends := s.printSilent(out, o.day), t.printEnds(out, o.day)
	if err := s.write(o.stateFile); err != nil {
		return err
	}
	if silent || ends {
		return errOld
	}
	return nil
}

// nightly has the flags of commands that read the tables and update the state.
type nightly struct{ day, dir, stateFile string }

func parseNightly(name string, warn io.Writer, args []string) (o nightly, err error) {
	flags := flag.NewFlagSet(name, flag.ContinueOnError)
	flags.SetOutput(warn)
	flags.StringVar(&o.day, "day", "", "today, as 2026-12-01")
	flags.StringVar(&o.dir, "facts", "discovery/facts", "the directory of the tables")
	flags.StringVar(&o.stateFile, "state", "", "the state of the command feeds, which is updated")
	if err = flags.Parse(args); err == nil && (!isDate(o.day) || o.stateFile == "") {
		err = errors.New(name + " needs -day and -state")
	}
	return o, err
}

func after(day string, days int) string {
	at, _ := time.Parse(time.DateOnly, day)
	return at.AddDate(0, 0, days).Format(time.DateOnly)
}

// maxSilence is in days. We assume that a feed without changes for longer is
// unmaintained.
const maxSilence = 14

// printSilent reports whether a feed's newest change is too old, or an SDK was last read
// too long ago. An unreadable feed doesn't change either.
func (s *state) printSilent(out io.Writer, day string) (silent bool) {
	for _, f := range feeds {
		switch changed := s.Changed[f.name]; {
		case changed == "":
			fmt.Fprintf(out, "%s: it has never been read\n", f.name)
		case after(changed, maxSilence) < day:
			fmt.Fprintf(out, "%s: its newest change is of %s\n", f.name, changed)
		default:
			continue
		}
		silent = true
	}
	for _, r := range slices.SortedFunc(maps.Values(s.SDKs), func(a, b release) int { return cmp.Compare(a.Name, b.Name) }) {
		if after(r.Read, maxSilence) < day {
			fmt.Fprintf(out, "%s: it was last read on %s\n", r.Name, r.Read)
			silent = true
		}
	}
	return silent
}

// horizon is in days.
const horizon = 30

// printEnds prints prices that end within the horizon if no row follows, and reports
// whether there is any. A row without a price is a successor, too: it states that the
// price is unknown.
func (t *table) printEnds(out io.Writer, day string) (found bool) {
	for _, r := range t.rows {
		until := r.cell("valid_until")
		if r.cells == nil || until == "" || until < day || until > after(day, horizon) || r.prices() == (rates{}) || t.succeeded(r, until) {
			continue
		}
		found = true
		fmt.Fprintf(out, "%s: %s: the price ends on %s, and no row follows, priced or not\n", r.cell("provider"), r.cell("model_id"), until)
	}
	return found
}

// succeeded reports whether another row is in force when r ends: with the same mode and
// modality, for the same or shorter prompts, or a text row without a price, which covers
// the whole model.
func (t *table) succeeded(r *row, until string) bool {
	key := r.key()
	return slices.ContainsFunc(t.rows, func(next *row) bool {
		k := next.key()
		if next.cells == nil || k.provider != key.provider || k.model != key.model || k.above > key.above || !next.validOn(until) {
			return false
		}
		same := next.cell("mode") == r.cell("mode") && next.cell("modality") == r.cell("modality")
		return same || (next.textRow() && next.prices() == (rates{}))
	})
}

// provider/id -> places where it was found
type foundIDs map[string][]string

func (f foundIDs) add(provider, id, where string) {
	if key := provider + "/" + id; !slices.Contains(f[key], where) {
		f[key] = append(f[key], where)
	}
}

// addFeeds leaves out patterns.
func (f foundIDs) addFeeds(s *state) {
	for _, feed := range feeds {
		for key, one := range s.Feeds[feed.name] {
			if one.Gone == "" && one.Named && !key.isPattern() {
				f.add(key.provider, key.model, feed.name)
			}
		}
	}
}

func (f foundIDs) addSDKs(s *state) {
	for _, r := range s.SDKs {
		for id := range r.IDs {
			f.add(r.Provider, id, r.Name+" "+r.Version)
		}
	}
}

// print prints only ids missing from all tables.
func (f foundIDs) print(out io.Writer, known map[string]string, t *table) {
	priced := make(map[string]bool)
	for key := range t.keys() {
		priced[key.provider+"/"+key.model] = true
	}
	for _, id := range slices.Sorted(maps.Keys(f)) {
		if _, dated := known[id]; !dated && !priced[id] {
			fmt.Fprintf(out, "%s is in no table; seen in %s\n", id, strings.Join(f[id], ", "))
		}
	}
}
