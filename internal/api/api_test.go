// Package api_test holds client, discovery and scan to what they have promised: the .txt files beside it list every
// exported name with its type, field by field and method by method. There is no other code here.
package api_test

import (
	"bytes"
	"flag"
	"fmt"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
)

var (
	update = flag.Bool("update", false, "record what was added")
	strict = flag.Bool("strict", false, "fail as well when something was added and is not recorded")
)

// listings are the packages whose exported names are promised.
var listings = map[string]bool{
	"client": true, "client/gatewaytest": true, "discovery": true, "discovery/discoverytest": true, "scan": true,
}

func TestExportedNamesAreAsRecorded(t *testing.T) {
	t.Parallel()
	for name, pkg := range packages(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			hold(t, strings.ReplaceAll(name, "/", "-")+".txt", list(pkg))
		})
	}
}

// The keys of the retirement registry are promised too (SPEC.md, Versioning 1, tier 2); the dates are not.
func TestRetirementKeysAreAsRecorded(t *testing.T) {
	t.Parallel()
	keys := make(listing)
	for key := range discovery.Retirements() {
		keys[fmt.Sprintf("%s/%s", key.Provider, key.ID)] = "registered"
	}
	hold(t, "retirements.txt", keys)
}

// hold compares a listing with the recorded one. With -update it records additions, and only those: a name that was removed or
// changed fails until somebody has deleted its line by hand.
func hold(t *testing.T, file string, now listing) {
	t.Helper()
	recorded := read(t, file)
	broken, added := compare(recorded, now)
	for _, line := range broken {
		t.Errorf("%s: %s: if that is intended, delete its line in internal/api/%s and run: make api-update", file, line, file)
	}
	if *update {
		maps.Copy(now, recorded)
		write(t, file, now)
		return
	}
	if !*strict {
		return // a field that make generate has just brought breaks nobody
	}
	for _, line := range added {
		t.Errorf("%s: %s: record it with: make api-update", file, line)
	}
}

// compare says what of recorded is gone or different, and what is new.
func compare(recorded, now listing) (broken, added []string) {
	for _, name := range slices.Sorted(maps.Keys(recorded)) {
		if is, ok := now[name]; !ok {
			broken = append(broken, fmt.Sprintf("removed: %s %s", name, recorded[name]))
		} else if is != recorded[name] {
			broken = append(broken, fmt.Sprintf("changed: %s was %s and is %s", name, recorded[name], is))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(now)) {
		if _, ok := recorded[name]; !ok {
			added = append(added, fmt.Sprintf("added: %s %s", name, now[name]))
		}
	}
	return broken, added
}

// read reads a recorded listing: on each line a name, a blank, and what it is.
func read(t *testing.T, file string) listing {
	t.Helper()
	text, err := os.ReadFile(file)
	if *update && os.IsNotExist(err) {
		return listing{}
	}
	require.NoError(t, err)
	recorded := make(listing)
	for line := range strings.Lines(string(text)) {
		name, what, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		require.True(t, ok, "%s: %q", file, line)
		recorded[name] = what
	}
	return recorded
}

func write(t *testing.T, file string, l listing) {
	t.Helper()
	var text strings.Builder
	for _, name := range slices.Sorted(maps.Keys(l)) {
		fmt.Fprintln(&text, name, l[name])
	}
	require.NoError(t, os.WriteFile(file, []byte(text.String()), 0o644))
}

// packages reads the packages as the compiler has left them in its cache.
func packages(t *testing.T) map[string]*types.Package {
	t.Helper()
	exports := exportData(t)
	reader := importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	all := make(map[string]*types.Package)
	for name := range listings {
		pkg, err := reader.Import(module + name)
		require.NoError(t, err, name)
		all[name] = pkg
	}
	return all
}

// exportData says where the compiled description of each package lies, by import path.
func exportData(t *testing.T) map[string]string {
	t.Helper()
	arguments := []string{"list", "-export", "-deps", "-f", "{{with .Export}}{{$.ImportPath}}\t{{.}}\t{{$.Dir}}{{end}}"}
	for name := range listings {
		arguments = append(arguments, module+name)
	}
	var complaint bytes.Buffer
	list := exec.CommandContext(t.Context(), "go", arguments...)
	list.Stderr = &complaint
	out, err := list.Output()
	require.NoError(t, err, complaint.String())
	files := make(map[string]string)
	for line := range strings.Lines(string(out)) {
		if column := strings.Split(strings.TrimSpace(line), "\t"); len(column) == 3 {
			files[column[0]] = column[1]
			remember(t, column[0], column[2])
		}
	}
	return files
}

// remember looks at the folder of a package. go test keeps a result until a file that the test itself has looked at is another;
// what the go command reads for it does not count, and a removed name would pass as "(cached)".
func remember(t *testing.T, path, folder string) {
	t.Helper()
	if strings.HasPrefix(path, module) {
		_, err := os.ReadDir(folder)
		require.NoError(t, err)
	}
}
