package main

import (
	"fmt"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// The kinds of mutants.
const (
	inverted = "inverted"
	ignored  = "ignored"
)

var kinds = []string{inverted, ignored}

// mutant is the value of switchVariable that turns one mutant on.
func (s site) mutant(kind string) string { return kind + " " + s.place }

// switchVariable is read by every mutated package when it is initialized.
const switchVariable = "MUTATE_MUTANT"

const switchSource = `package %s

import "os"

var mutantThatIsOn = os.Getenv(%q)
`

// mutated is the text of a file with both mutants of each of its sites, all of them off. Building a test binary takes
// longer than running it, so it is built once, and a mutant is turned on when it starts. No line moves.
func mutated(text string, sites []site) string {
	before, behind := map[int]string{}, map[int]string{}
	for _, s := range sites { // in the order of the source; a comparison in another one comes after it
		before[s.start] += "((("
		ignore := fmt.Sprintf("&& mutantThatIsOn != %q", s.mutant(ignored)) // never an error
		if s.op == token.EQL {
			ignore = fmt.Sprintf("|| mutantThatIsOn == %q", s.mutant(ignored)) // always nil
		}
		behind[s.end] = fmt.Sprintf(") != (mutantThatIsOn == %q)) %s)", s.mutant(inverted), ignore) + behind[s.end]
	}
	var b strings.Builder
	for i := range len(text) {
		b.WriteString(behind[i] + before[i])
		b.WriteByte(text[i])
	}
	return b.String()
}

// writeOverlay writes the mutated files into dir, and returns what go build wants to know: the file that stands in for
// each, by name.
func (m *module) writeOverlay(dir string, sites []site) (map[string]string, error) {
	replace := map[string]string{}
	write := func(original, text string) error {
		stand := filepath.Join(dir, fmt.Sprintf("%d.go", len(replace)))
		replace[original] = stand
		return os.WriteFile(stand, []byte(text), 0o600)
	}
	for _, file := range slices.Compact(each(sites, func(s site) string { return s.file })) {
		text, err := os.ReadFile(file) //nolint:gosec // go list named it
		if err != nil {
			return nil, err
		}
		inFile := slices.DeleteFunc(slices.Clone(sites), func(s site) bool { return s.file != file })
		if err := write(file, mutated(string(text), inFile)); err != nil {
			return nil, err
		}
	}
	for _, path := range slices.Compact(each(sites, func(s site) string { return s.pkg })) {
		p := m.all[path]
		if err := write(filepath.Join(p.Dir, "mutant_switch.go"), fmt.Sprintf(switchSource, p.Name, switchVariable)); err != nil {
			return nil, err
		}
	}
	return replace, nil
}

func each(sites []site, of func(site) string) []string {
	list := make([]string, len(sites))
	for i, s := range sites {
		list[i] = of(s)
	}
	return list
}
