package main

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/.ci/bench/measure"
)

// TestMain also acts as the program for every path. Its file name decides the cost.
func TestMain(m *testing.M) {
	if file := os.Getenv(measure.ResultFile); file != "" {
		os.Exit(writeCost(file))
	}
	os.Exit(m.Run())
}

func writeCost(file string) int {
	count, _ := strconv.ParseInt(os.Getenv(measure.CountVariable), 10, 64)
	cost := measure.Cost{Count: count, CPU: count * 1e9, Allocs: count * 1e6, Bytes: count * 1e6}
	switch filepath.Base(os.Args[0]) {
	case "slow":
		cost.CPU += cost.CPU * 2 / 5
	case "wasteful":
		cost.Allocs += cost.Allocs / 5
	case "broken":
		_, _ = os.Stderr.WriteString("a long\nexplanation\n")
		return 2
	}
	text, _ := json.Marshal(cost)
	if os.WriteFile(file, text, 0o600) != nil {
		return 1
	}
	return 0
}

// benchOf uses programs with these names for all paths.
func benchOf(t *testing.T, base, head string) *bench {
	t.Helper()
	b := &bench{ctx: t.Context(), programs: programs{map[string]string{}, map[string]string{}}, inputs: t.TempDir()}
	for name, all := range map[string]map[string]string{base: b.programs.base, head: b.programs.head} {
		file := filepath.Join(b.inputs, name)
		require.NoError(t, os.Symlink(executable(), file))
		for _, source := range sources {
			all[source] = file
		}
	}
	return b
}

func TestASlowdownOfAnyPathFails(t *testing.T) {
	t.Parallel()
	all := regexp.MustCompile("")
	for head, isSlow := range map[string]bool{"same": false, "slow": true, "wasteful": true} {
		b := benchOf(t, "base", head)
		slower, err := b.compareAll(all)
		require.NoError(t, err)
		var want []string
		used := map[string]bool{}
		for _, p := range b.paths() {
			used[p.program] = true
			if isSlow {
				want = append(want, p.name)
			}
		}
		assert.Equal(t, want, slower, head)
		assert.Len(t, used, len(sources), "each program has a path")
	}
	assert.GreaterOrEqual(t, len((&bench{}).paths()), 16)
}

// Not parallel: it captures stdout.
func TestAPathThatTheBaseCannotRunIsNew(t *testing.T) { //nolint:paralleltest // see above
	read, write, err := os.Pipe()
	require.NoError(t, err)
	stdout := os.Stdout
	os.Stdout = write
	slower, err := benchOf(t, "broken", "slow").compareAll(regexp.MustCompile("^sessions$"))
	os.Stdout = stdout
	require.NoError(t, err)
	require.NoError(t, write.Close())
	assert.Empty(t, slower)
	text, err := io.ReadAll(read)
	require.NoError(t, err)
	lines := slices.Collect(strings.Lines(string(text)))
	require.Len(t, lines, 1)
	assert.Contains(t, lines[0], "new: at the other commit exit status 2\n")

	_, err = benchOf(t, "base", "broken").compareAll(regexp.MustCompile("^sessions$"))
	assert.ErrorContains(t, err, "explanation", "the head must run")
}
