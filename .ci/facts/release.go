package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"time"
)

// release is an official SDK's newest version.
type release struct {
	Provider string `json:"provider"`
	// Name is the Go module or npm package.
	Name    string `json:"name"`
	Version string `json:"version"`
	Day     string `json:"day"`
	// IDs are declared models. Dates may have further ids, from comments, which don't
	// prove that a model exists.
	IDs   map[string]bool   `json:"ids"`
	Dates map[string]string `json:"dates"`
	// Read is the day on which it was last read.
	Read string `json:"read"`

	paths map[string]bool // billing paths; nil for npm
}

func (r *release) String() string { return fmt.Sprintf("%s %s of %s", r.Name, r.Version, r.Day) }

// origin is an SDK that isn't read yet.
type origin struct {
	name string
	read func() (release, error)
}

func origins(npm npmCommand) (all []origin) {
	for _, s := range sdks {
		all = append(all, origin{s.module, s.release}, origin{s.npm, func() (release, error) { return npm.release(s.provider, s.npm) }})
	}
	return all
}

// release reads the Go module through the go command.
func (s *sdk) release() (release, error) {
	out, err := exec.Command("go", "mod", "download", "-json", s.module+"@latest").Output()
	if err != nil {
		return release{}, fmt.Errorf("go mod download %s: %w: %s", s.module, err, out)
	}
	var answer struct{ Dir, Version, Info string }
	if err := json.Unmarshal(out, &answer); err != nil {
		return release{}, err
	}
	var info struct{ Time time.Time }
	if out, err = os.ReadFile(answer.Info); err == nil {
		err = json.Unmarshal(out, &info)
	}
	if err != nil {
		return release{}, err
	}
	r := release{Provider: s.provider, Name: s.module, Version: answer.Version, Day: info.Time.UTC().Format(time.DateOnly)}
	r.IDs, r.Dates, r.paths, err = readSDK(answer.Dir, *s)
	return r, err
}

// stated returns the newest release with a date for each of a provider's dated ids.
func stated(releases []release, provider string) map[string]release {
	found := make(map[string]release)
	for _, r := range slices.SortedStableFunc(slices.Values(releases), func(a, b release) int { return cmp.Compare(a.Day, b.Day) }) {
		for id := range r.Dates {
			if r.Provider == provider {
				found[id] = r
			}
		}
	}
	return found
}

// readSDKs updates the state. An SDK that lacks more than a fifth of last night's ids
// or dates counts as absent, like one that can't be read: its last release stays.
func (s *state) readSDKs(all []origin, day string, warn io.Writer) {
	for _, from := range all {
		r, err := from.read()
		last := s.SDKs[from.name]
		switch ids, dates := kept(last.IDs, r.IDs), kept(last.Dates, r.Dates); {
		case err != nil:
		case 5*ids < 4*len(last.IDs):
			err = fmt.Errorf("it has %d of %d ids", ids, len(last.IDs))
		case 5*dates < 4*len(last.Dates):
			err = fmt.Errorf("it has %d of %d dates", dates, len(last.Dates))
		}
		if err != nil {
			fmt.Fprintf(warn, "facts: %s counts as absent: %v\n", from.name, err)
			continue
		}
		r.Read = day
		s.SDKs[from.name] = r
	}
}

// kept counts the keys that are in both maps.
func kept[V any](last, now map[string]V) (n int) {
	for key := range last {
		if _, ok := now[key]; ok {
			n++
		}
	}
	return n
}
