package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
)

// feed is a public price list. Feeds in one group copy from each other, so they share
// one vote. We set the groups here, because the data doesn't show whether it was
// copied.
type feed struct {
	// name is the file name without .json. code is used in the table's sources column.
	name, code, group string
	read              func(text []byte, day string) (statements, error)
}

var feeds = []feed{
	{"models.dev", "modelsdev", "models.dev", readModelsDev},
	{"genai-prices", "genai", "genai-prices", readGenaiPrices},
	{"litellm", "litellm", "litellm", readLiteLLM},
}

// Only LiteLLM has retirement dates, so two feeds never agree on a date. We compare its
// dates with the SDKs instead.

// minPrices: a feed with fewer prices counts as absent.
const minPrices = 20

// feedsCommand updates a price table from the day's feeds and prints changes as JSON
// lines. In confirmed.csv, next to the table, it sets the day for each row that the
// feeds state. Absent feeds are reported to warn.
//
//	facts feeds -dir DIR -day YYYY-MM-DD -table FILE -state FILE
func feedsCommand(out, warn io.Writer, args []string) error {
	flags := flag.NewFlagSet("feeds", flag.ContinueOnError)
	flags.SetOutput(warn)
	dir := flags.String("dir", "", "the directory with models.dev.json, genai-prices.json and litellm.json, each also as .gz or missing")
	day := flags.String("day", "", "the day on which the feeds were read, as 2026-12-01")
	tableFile := flags.String("table", "", "the price table, which is updated")
	stateFile := flags.String("state", "", "what each feed stated last and since when, which is updated")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *dir == "" || *tableFile == "" || *stateFile == "" || flags.NArg() > 0 {
		return errors.New("feeds needs -dir, -day, -table and -state, and nothing else")
	}
	if !isDate(*day) {
		return errors.New("-day must be a date such as 2026-12-01")
	}
	t, err := readTable(*tableFile)
	if err != nil {
		return err
	}
	s, err := readState(*stateFile)
	if err != nil {
		return err
	}
	if *day < s.Day {
		return fmt.Errorf("the state is of %s, after %s", s.Day, *day)
	}
	days, err := readConfirmed(confirmedFile(*tableFile))
	if err != nil {
		return err
	}
	found := readFeeds(*dir, *day, s, warn)
	changes := update(t, s, found, *day)
	days.move(t, s, found, *day)
	for _, c := range changes {
		if err := json.NewEncoder(out).Encode(c); err != nil {
			return err
		}
	}
	// Write the table first: if we are interrupted, the next run finds nothing to change
	// instead of losing a change.
	return errors.Join(t.write(*tableFile), days.write(confirmedFile(*tableFile), t), s.write(*stateFile))
}

// readFeeds leaves out feeds that count as absent.
func readFeeds(dir, day string, s *state, warn io.Writer) map[string]statements {
	found := make(map[string]statements)
	for _, f := range feeds {
		text, err := readFeed(filepath.Join(dir, f.name+".json"))
		var stated statements
		if err == nil {
			stated, err = f.read(text, day)
		}
		if before := s.Feeds[f.name].voting(); err == nil {
			switch n := stated.voting(); {
			case n < minPrices:
				err = fmt.Errorf("it has %d prices", n)
			case 3*n < 2*before:
				err = fmt.Errorf("it has %d prices, after %d", n, before)
			}
		}
		if err != nil {
			fmt.Fprintf(warn, "facts: %s counts as absent: %v\n", f.name, err)
			continue
		}
		found[f.name] = stated
	}
	return found
}

// update applies the day's feeds to table and state. It returns the changes in key
// order.
func update(t *table, s *state, found map[string]statements, day string) []change {
	baseline := s.record(found, day)
	var changes []change
	keys := t.keys()
	for _, stated := range found {
		for key := range stated {
			keys[key] = true
		}
	}
	for _, key := range slices.SortedFunc(maps.Keys(keys), compareKeys) {
		votes := s.votes(key, found, baseline)
		if c := t.decide(key, votes, day); c != nil {
			changes = append(changes, *c)
		}
	}
	s.Day = day
	return changes
}
