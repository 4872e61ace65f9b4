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

// state has each feed's last statements, and since when they hold.
type state struct {
	// Day is the day of the last update.
	Day   string                `json:"day"`
	Feeds map[string]statements `json:"feeds"`
	// Changed is the day when a feed last changed, or was first read.
	Changed map[string]string `json:"changed"`
	// Pages has page hashes by URL.
	Pages map[string]page `json:"pages"`
	// SDKs has official SDKs by module or package.
	SDKs map[string]release `json:"sdks"`
}

// readState returns an empty state if the file is missing.
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

// fill adds maps that older state files lack.
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
	if s.SDKs == nil {
		s.SDKs = make(map[string]release)
	}
}

func (s *state) write(path string) error {
	text, err := json.MarshalIndent(s, "", " ")
	if err != nil {
		return err
	}
	return replace(path, append(text, '\n'))
}

// replace writes a file in one step: if it's interrupted, the old file stays.
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

// record updates the state with the day's feeds and returns the feeds that are new.
// Absent feeds keep their statements.
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

// replace reports whether the feed changed anything.
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

// vote is a feed's current statement about a price.
type vote struct {
	feed feed
	// statement is the last one. Gone is set if the feed has dropped it.
	statement
	// listed reports that the feed lists the model, with any tiers.
	listed bool
	// baseStart is Start for the shorter prompts' price.
	baseStart string
	// first marks the feed's first answer, which changes nothing.
	first bool
}

// votes skips feeds that are absent or never had the price.
func (s *state) votes(key priceKey, found map[string]statements, first map[string]bool) []vote {
	var all []vote
	for _, f := range feeds {
		if found[f.name] == nil {
			continue
		}
		base, _ := s.Feeds[f.name].of(priceKey{key.provider, key.model, 0})
		if one, ok := s.Feeds[f.name].of(key); ok {
			if one.Gone != "" {
				one.Start = "" // it dates the dropped price
			}
			all = append(all, vote{f, one, base.Gone == "" && base.Prices.known(), base.Start, first[f.name]})
		}
	}
	return all
}

// of prefers the model's own id. Otherwise the longest pattern that has it as a build
// counts.
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

// isPattern reports whether the key is a pattern, which has no row.
func (k priceKey) isPattern() bool { return strings.HasSuffix(k.model, "*") }
