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
// the SDKs' part of models.csv. The SDKs come from the module proxy, through the go
// command.
//
// The command feeds updates the price table from public price feeds, and the command
// age reports why the tables are old; see [feedsCommand] and [ageCommand].
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
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
}

var sdks = []sdk{
	{"openai", "github.com/openai/openai-go/v3", true, []string{"organization/costs"}},
	{"anthropic", "github.com/anthropics/anthropic-sdk-go", true, []string{"v1/organizations/cost_report"}},
	{"gemini", "google.golang.org/genai", false, nil},
}

var commands = map[string]func(out, warn io.Writer, args []string) error{"feeds": feedsCommand, "age": ageCommand}

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
	ok := ids || list.checkModels(w)
	for _, s := range sdks {
		code, version, err := download(s.module)
		if err != nil {
			return false, err
		}
		found, paths, err := readSDK(code, s)
		if err != nil {
			return false, err
		}
		if ids {
			for _, id := range slices.Sorted(maps.Keys(found)) {
				fmt.Fprintf(w, "%s,%s\n", s.provider, id)
			}
			continue
		}
		for _, path := range s.bills {
			if !paths[path] {
				fmt.Fprintf(w, "%s: the SDK has no call for %s\n", s.provider, path)
			}
		}
		ok = compare(w, s, version, found, known) && ok
		list.coverage(w, s.provider, found)
	}
	return ok, nil
}

// compare prints one SDK's differences. It reports whether all its dates agree with the
// tables.
func compare(w io.Writer, s sdk, version string, found, known map[string]string) bool {
	dated, agree, listed, differ := 0, 0, 0, 0
	for _, id := range slices.Sorted(maps.Keys(found)) {
		date, in := known[s.provider+"/"+id]
		if in {
			listed++
		} else {
			fmt.Fprintf(w, "%s: %s is in no table\n", s.provider, id)
		}
		if found[id] == "" {
			continue
		}
		dated++
		if date == found[id] {
			agree++
			continue
		}
		differ++
		fmt.Fprintf(w, "%s: %s: the SDK has %s, the table %q\n", s.provider, id, found[id], date)
	}
	fmt.Fprintf(w, "%s %s: %d of %d ids listed, %d of %d dates agree\n", s.module, version, listed, len(found), agree, dated)
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

// download fetches a module's newest release. dir is in the module cache.
func download(module string) (dir, version string, err error) {
	out, err := exec.Command("go", "mod", "download", "-json", module+"@latest").Output()
	if err != nil {
		return "", "", fmt.Errorf("go mod download %s: %w: %s", module, err, out)
	}
	var answer struct{ Dir, Version string }
	if err := json.Unmarshal(out, &answer); err != nil {
		return "", "", err
	}
	return answer.Dir, answer.Version, nil
}
