// Command facts compares model ids and shutdown dates in the newest official SDKs with
// this repository's tables.
//
//	GOWORK=off go run . -facts ../../discovery/facts
//
// It prints:
//
//   - ids and dates that the tables lack or contradict
//   - billing endpoints read by package discovery that an SDK doesn't call
//   - coverage for each SDK: how many ids have a price, and how many have a search fee
//   - models with fees, factors or regions that aren't in the price table
//
// The exit status is 1 if a dated id is missing, if a date differs, or if a fee, factor
// or region is for an unlisted model. With -ids it prints provider,id lines instead:
// the SDKs' part of models.csv. The SDKs are Go modules and npm packages, which the
// commands go and npm fetch and nothing installs.
//
// The command feeds updates the price table from public price feeds, dates updates the
// retirement dates from the SDKs, and age reports why the tables are old; see
// [feedsCommand], [datesCommand] and [ageCommand].
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

type sdk struct {
	provider, module string
	// constants reports whether ids are constants whose type name ends in Model. Otherwise
	// they are string literals.
	constants bool
	// bills are billing endpoint paths, as spelled in the SDK.
	bills []string
	// npm is the SDK for TypeScript.
	npm string
}

var sdks = []sdk{
	{"openai", "github.com/openai/openai-go/v3", true, []string{"organization/costs"}, "openai"},
	{"anthropic", "github.com/anthropics/anthropic-sdk-go", true, []string{"v1/organizations/cost_report"}, "@anthropic-ai/sdk"},
	{"gemini", "google.golang.org/genai", false, nil, "@google/genai"},
}

var commands = map[string]func(out, warn io.Writer, args []string) error{"feeds": feedsCommand, "age": ageCommand, "dates": datesCommand}

func main() {
	if len(os.Args) > 1 && commands[os.Args[1]] != nil {
		switch err := commands[os.Args[1]](os.Stdout, os.Stderr, os.Args[2:]); {
		case errors.Is(err, errOld):
			os.Exit(1)
		case err != nil:
			fmt.Fprintln(os.Stderr, "facts:", err)
			os.Exit(2)
		}
		return
	}
	dir := flag.String("facts", "discovery/facts", "the directory of the tables")
	ids := flag.Bool("ids", false, "print the ids of the SDKs instead")
	flag.Parse()
	ok, err := run(os.Stdout, *dir, *ids)
	if err != nil {
		fmt.Fprintln(os.Stderr, "facts:", err)
		os.Exit(2)
	}
	if !ok {
		os.Exit(1)
	}
}

// run reports whether the tables agree with every SDK.
func run(w io.Writer, dir string, ids bool) (bool, error) {
	known, err := readTables(dir)
	if err != nil {
		return false, err
	}
	list, err := readPrices(dir)
	if err != nil {
		return false, err
	}
	var releases []release
	for _, from := range origins(npm) {
		r, err := from.read()
		if err != nil {
			return false, err
		}
		releases = append(releases, r)
	}
	if ids {
		printIDs(w, releases)
		return true, nil
	}
	ok := list.checkModels(w)
	for _, s := range sdks {
		found := make(map[string]bool)
		for _, r := range releases {
			if r.Provider == s.provider {
				ok = compare(w, s, &r, stated(releases, s.provider), known) && ok
				maps.Copy(found, r.IDs)
			}
		}
		list.coverage(w, s.provider, found)
	}
	return ok, nil
}

func printIDs(w io.Writer, releases []release) {
	lines := make(map[string]bool)
	for _, r := range releases {
		for id := range r.IDs {
			lines[r.Provider+","+id] = true
		}
	}
	for _, line := range slices.Sorted(maps.Keys(lines)) {
		fmt.Fprintln(w, line)
	}
}

// compare prints one release's differences. It reports whether its dates agree with the
// tables, except those that a newer release replaces.
func compare(w io.Writer, s sdk, r *release, newest map[string]release, known map[string]string) bool {
	for _, path := range s.bills {
		if r.paths != nil && !r.paths[path] {
			fmt.Fprintf(w, "%s: the SDK has no call for %s\n", s.provider, path)
		}
	}
	listed := 0
	for _, id := range slices.Sorted(maps.Keys(r.IDs)) {
		if _, in := known[s.provider+"/"+id]; in {
			listed++
		} else {
			fmt.Fprintf(w, "%s: %s is in no table\n", s.provider, id)
		}
	}
	agree, differ := 0, 0
	for _, id := range slices.Sorted(maps.Keys(r.Dates)) {
		date, in := known[s.provider+"/"+id]
		switch {
		case date == r.Dates[id]:
			agree++
		case newest[id].Name == r.Name && (in || r.IDs[id]):
			differ++
			fmt.Fprintf(w, "%s: %s: %s has %s, the table %q\n", s.provider, id, r.Name, r.Dates[id], date)
		}
	}
	fmt.Fprintf(w, "%s %s: %d of %d ids listed, %d of %d dates agree\n", r.Name, r.Version, listed, len(r.IDs), agree, len(r.Dates))
	return differ == 0
}

// readTables maps provider/id to a date, or "" if undated.
func readTables(dir string) (map[string]string, error) {
	known := make(map[string]string)
	for _, name := range []string{"models.csv", "retirements.csv"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(string(text)) {
			row := strings.Split(strings.TrimSpace(line)+",", ",")
			if !strings.HasPrefix(line, "#") && len(row) > 2 {
				known[row[0]+"/"+row[1]] = row[2]
			}
		}
	}
	return known, nil
}
