package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// state is what each feed stated last, and since when.
type state struct {
	// Day is the last day on which it was updated.
	Day   string                `json:"day"`
	Feeds map[string]statements `json:"feeds"`
	// Changed is the last day on which a feed changed anything, or on which it was first read.
	Changed map[string]string `json:"changed"`
	// Pages are the hashes of the providers' pages, by URL.
	Pages map[string]page `json:"pages"`
}

// readState reads a state. A missing file is the state before the first day.
func readState(path string) (*state, error) {
	s := &state{}
	defer s.fill()
	text, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return s, nil
	case err != nil:
		return nil, err
	}
	if err := decode(text, s); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return s, nil
}

// fill makes the maps that a state of an earlier version does not have.
func (s *state) fill() {
	if s.Feeds == nil {
		s.Feeds = make(map[string]statements)
	}
	if s.Changed == nil {
		s.Changed = make(map[string]string)
	}
	if s.Pages == nil {
		s.Pages = make(map[string]page)
	}
}

func (s *state) write(path string) error {
	text, err := json.MarshalIndent(s, "", " ")
	if err != nil {
		return err
	}
	return replace(path, append(text, '\n'))
}

// replace writes a file in one step, so that an interruption leaves the old one.
func replace(path string, text []byte) error {
	file, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer os.Remove(file.Name()) // fails after the rename
	_, err = file.Write(text)
	if err := errors.Join(err, file.Chmod(0o644), file.Close()); err != nil {
		return err
	}
	return os.Rename(file.Name(), path)
}

// record takes over what the feeds state on a day. It returns the feeds that answered for the first time. What was known of the
// other feeds stays.
func (s *state) record(found map[string]statements, day string) (first map[string]bool) {
	first = make(map[string]bool)
	for name, stated := range found {
		last, known := s.Feeds[name]
		if !known {
			s.Feeds[name], first[name] = stated, true
		}
		if !known || last.replace(stated, day) || s.Changed[name] == "" {
			s.Changed[name] = day
		}
	}
	return first
}

// replace takes over what a feed states on a day. It reports whether anything changed.
func (s statements) replace(stated statements, day string) (changed bool) {
	for key, one := range stated {
		old, had := s[key]
		for i := range one.Since {
			if had && old.Gone == "" && old.Prices[i] == one.Prices[i] {
				one.Since[i] = old.Since[i]
			} else {
				one.Since[i], changed = day, true
			}
		}
		s[key] = one
	}
	for key, one := range s {
		if _, ok := stated[key]; !ok && one.Gone == "" {
			one.Gone, changed = day, true
			s[key] = one
		}
	}
	return changed
}

// vote is what a feed states of a price today.
type vote struct {
	feed feed
	// statement is the last one, Gone if the feed had it before.
	statement
	// listed reports that the feed lists the model, whatever its tiers are.
	listed bool
	// baseStart is the Start of the price of shorter prompts.
	baseStart string
	// first reports that this is the first answer of the feed, which moves nothing.
	first bool
}

// votes returns the votes of the feeds that answered and ever had the price.
func (s *state) votes(key priceKey, found map[string]statements, first map[string]bool) []vote {
	var all []vote
	for _, f := range feeds {
		if found[f.name] == nil {
			continue
		}
		base, _ := s.Feeds[f.name].of(priceKey{key.provider, key.model, 0})
		if one, ok := s.Feeds[f.name].of(key); ok {
			if one.Gone != "" {
				one.Start = "" // it dates the price that is gone
			}
			all = append(all, vote{f, one, base.Gone == "" && base.Prices.known(), base.Start, first[f.name]})
		}
	}
	return all
}

// of returns the statement of a price: by the id of the model, else that of the longest pattern that the id is a build of.
func (s statements) of(key priceKey) (statement, bool) {
	one, ok := s[key]
	own, named := s[priceKey{key.provider, key.model, 0}]
	if (ok && one.Gone == "") || (named && own.Gone == "") {
		return one, ok
	}
	for end := len(key.model) - 1; end > 0; end-- {
		if key.model[end] != '-' || !build.MatchString(key.model[end:]) {
			continue
		}
		if matched, found := s[priceKey{key.provider, key.model[:end] + "*", key.above}]; found && (matched.Gone == "" || !ok) {
			return matched, true
		}
	}
	return one, ok
}

// isPattern reports whether the key is a pattern, which no row is for.
func (k priceKey) isPattern() bool { return strings.HasSuffix(k.model, "*") }
