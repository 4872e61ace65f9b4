// Compares the manual page with the code.

//go:build unix

package main

import (
	"go/scanner"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// manual builds mesh(1) once, because mesh runs for every command.
var manual = sync.OnceValues(func() (string, error) {
	mesh, err := exec.LookPath("mesh")
	if err != nil {
		return "", err
	}
	page, err := exec.Command("bash", "../../.ci/man", mesh).Output()
	return string(page), err
})

func manualSection(t *testing.T, title string) string {
	t.Helper()
	page, err := manual()
	require.NoError(t, err)
	_, section, found := strings.Cut(page, "\n.SH \""+title+"\"\n")
	require.True(t, found, title)
	section, _, _ = strings.Cut(section, "\n.SH ")
	return strings.ReplaceAll(section, `\-`, "-")
}

// variable matches NAME or NAME=VALUE.
var variable = regexp.MustCompile(`^([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)(?:=.*)?$`)

// notVariables matches constants in APIs, and variables that only git gets.
var notVariables = regexp.MustCompile(`^(AGGREGATION_SUM|API_KEY_INVALID|FINISH_REASON_UNSPECIFIED|RESOURCE_EXHAUSTED|TIME_UNIT_.*|GIT_[ANO].*)$`)

// usedVariables returns the environment variables in the source code, the SDK's included.
func usedVariables(t *testing.T) map[string]bool {
	t.Helper()
	used := map[string]bool{"TERM": true, "XDG_CACHE_HOME": true} // TERM has no _, and package os reads the other
	for _, dir := range []string{".", "../../client", "../../discovery", "../../scan", "../../internal"} {
		require.NoError(t, filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && (d.Name() == "test" || d.Name() == "testdata" || d.Name() == "gatewaytest" || d.Name() == "discoverytest" || d.Name() == "generate"):
				return fs.SkipDir
			case strings.HasSuffix(name, "_test.go") || !strings.HasSuffix(name, ".go"):
				return nil
			}
			for _, text := range stringsIn(t, name) {
				if m := variable.FindStringSubmatch(text); m != nil && !notVariables.MatchString(m[1]) {
					used[m[1]] = true
				}
			}
			return nil
		}))
	}
	roots, err := os.ReadFile("internal/proxy/roots.txt")
	require.NoError(t, err)
	for _, name := range regexp.MustCompile(`(?m)^(?:\? )?([A-Z]\S+)`).FindAllStringSubmatch(string(roots), -1) {
		used[name[1]] = true
	}
	return used
}

func stringsIn(t *testing.T, name string) (texts []string) {
	t.Helper()
	source, err := os.ReadFile(name)
	require.NoError(t, err)
	var s scanner.Scanner
	s.Init(token.NewFileSet().AddFile(name, -1, len(source)), source, nil, 0)
	for {
		_, tok, literal := s.Scan()
		if tok == token.EOF {
			return texts
		}
		if tok == token.STRING {
			text, err := strconv.Unquote(literal)
			require.NoError(t, err)
			texts = append(texts, text)
		}
	}
}

func TestManualHasEveryVariable(t *testing.T) {
	t.Parallel()
	section := manualSection(t, "ENVIRONMENT")
	named := map[string]bool{"TERM": true}
	for _, name := range regexp.MustCompile(`\b[A-Z][A-Z0-9]*(_[A-Z0-9]+)+\b`).FindAllString(section, -1) {
		named[name] = true
	}
	assert.Contains(t, section, "\n  TERM  ")
	assert.Equal(t, slices.Sorted(maps.Keys(usedVariables(t))), slices.Sorted(maps.Keys(named)))
}

func TestManualHasEveryExitStatus(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("internal/exit/exit.go")
	require.NoError(t, err)
	var want, got []string
	for _, m := range regexp.MustCompile(`(?m)^\t[A-Z]\w+ += (\d+)`).FindAllStringSubmatch(string(source), -1) {
		want = append(want, m[1])
	}
	require.Len(t, want, 6)
	for _, m := range regexp.MustCompile(`(?m)^  (\d+)  `).FindAllStringSubmatch(manualSection(t, "EXIT STATUS"), -1) {
		got = append(got, m[1])
	}
	assert.ElementsMatch(t, want, got)
}

func TestManualHasFiles(t *testing.T) {
	t.Parallel()
	section := manualSection(t, "FILES")
	for _, name := range []string{"profiles.json", "catalog.json", "facts", ".mesh-meter-secret", ".jsonl"} {
		assert.Contains(t, section, name)
	}
}
