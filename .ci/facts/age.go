package main

import (
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

// errOld is the error of tables that need work.
var errOld = errors.New("the tables are old")

// ageCommand prints what makes the tables old: a feed without a change in two weeks, ids that no table has, pages of the providers
// that changed, and prices that end within a month without a successor. It updates the hashes of the pages in the state. The error
// is errOld for a silent feed and for a price without a successor; the rest is for a person to read.
//
//	facts age -day YYYY-MM-DD -facts DIR -state FILE
//
// The lists of the providers are requested with the keys in OPENAI_API_KEY, ANTHROPIC_API_KEY, GEMINI_API_KEY, XAI_API_KEY and
// DEEPSEEK_API_KEY.
func ageCommand(out, warn io.Writer, args []string) error {
	flags := flag.NewFlagSet("age", flag.ContinueOnError)
	flags.SetOutput(warn)
	day := flags.String("day", "", "today, as 2026-12-01")
	dir := flags.String("facts", "discovery/facts", "the directory of the tables")
	stateFile := flags.String("state", "", "the state of the command feeds, which is updated")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if !isDate(*day) || *stateFile == "" {
		return errors.New("age needs -day and -state")
	}
	known, err := readTables(*dir)
	if err != nil {
		return err
	}
	t, err := readTable(filepath.Join(*dir, "prices.csv"))
	if err != nil {
		return err
	}
	s, err := readState(*stateFile)
	if err != nil {
		return err
	}
	web := &web{client: &http.Client{Timeout: 30 * time.Second}, out: out}
	web.pages(s, t, *day)
	found := web.models(os.Getenv)
	found.addFeeds(s)
	found.addSDKs(warn)
	found.print(out, known, t)
	silent, ends := s.printSilent(out, *day), t.printEnds(out, *day)
	if err := s.write(*stateFile); err != nil {
		return err
	}
	if silent || ends {
		return errOld
	}
	return nil
}

// after returns a day a number of days later.
func after(day string, days int) string {
	at, _ := time.Parse(time.DateOnly, day)
	return at.AddDate(0, 0, days).Format(time.DateOnly)
}

// maxSilence is the number of days after which a feed without a change is not believed to be maintained.
const maxSilence = 14

// printSilent prints the feeds whose newest change is too old, and reports whether there is one. A feed that cannot be read has no
// changes either.
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
	return silent
}

// horizon is the number of days in which the end of a price is printed.
const horizon = 30

// printEnds prints the prices that end within the horizon and have no row of their successor, with a price or without one, and
// reports whether there is one. A row without a price states that the price is not known.
func (t *table) printEnds(out io.Writer, day string) (found bool) {
	for _, r := range t.rows {
		until := r.cell("valid_until")
		if r.cells == nil || until == "" || until < day || until > after(day, horizon) || r.prices() == (rates{}) || t.succeeded(r, until) {
			continue
		}
		found = true
		fmt.Fprintf(out, "%s: %s: the price ends on %s, which has neither a price nor a row without one\n", r.cell("provider"), r.cell("model_id"), until)
	}
	return found
}

// succeeded reports whether another row is in force at the end of a row: one of the same mode and modality, for prompts of its length
// or shorter ones, or one for text without a price, which holds for the whole model.
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

// foundIDs has where each provider/id was found.
type foundIDs map[string][]string

func (f foundIDs) add(provider, id, where string) {
	if key := provider + "/" + id; !slices.Contains(f[key], where) {
		f[key] = append(f[key], where)
	}
}

// addFeeds adds the ids that feeds state.
func (f foundIDs) addFeeds(s *state) {
	for _, feed := range feeds {
		for key, one := range s.Feeds[feed.name] {
			if one.Gone == "" && one.Named && !key.isPattern() {
				f.add(key.provider, key.model, feed.name)
			}
		}
	}
}

// addSDKs adds the ids of the newest SDKs.
func (f foundIDs) addSDKs(warn io.Writer) {
	for _, s := range sdks {
		dir, version, err := download(s.module)
		if err != nil {
			fmt.Fprintf(warn, "facts: %s counts as absent: %v\n", s.module, err)
			continue
		}
		ids, _, err := readSDK(dir, s)
		if err != nil {
			fmt.Fprintf(warn, "facts: %s counts as absent: %v\n", s.module, err)
			continue
		}
		for id := range ids {
			f.add(s.provider, id, "SDK "+version)
		}
	}
}

// print prints the ids that no table has.
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
