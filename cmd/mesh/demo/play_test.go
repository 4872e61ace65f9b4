package demo_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/demo"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
)

// run returns the story's output and its directory.
func run(t *testing.T) (out, dir string) {
	t.Helper()
	var b bytes.Buffer
	dir = t.TempDir()
	require.NoError(t, demo.Play(t.Context(), &b, dir, time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)))
	return string(bytes.ReplaceAll(b.Bytes(), []byte(dir), []byte("DIR"))), dir
}

func TestTheStoryIsTheSameInEveryRun(t *testing.T) {
	t.Parallel()
	out, dir := run(t)
	for _, want := range []string{
		"node-b: Yes: build 4711 is green since 09:12.\n", "a fake model, through a meter: 0.0029512 USD\n", "calls of three teams in DIR",
		"more than the limit of 2 %.\n  Billed 26.88 USD, counted 25.30 USD; +1.58 USD: +1.31 for calls that were not counted, +0.27 another price.\n",
		"\n  2026-11-14 gpt-5.2: +1.31 USD for calls that were not counted.\n  2026-11-19 gpt-4o-mini: +0.27 USD: another price.\n",
	} {
		assert.Contains(t, out, want)
	}
	again, other := run(t)
	assert.Equal(t, out, again)
	for _, name := range []string{"bill.json", "commands.txt", "agent.sh"} {
		first, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		second, err := os.ReadFile(filepath.Join(other, name))
		require.NoError(t, err)
		assert.Equal(t, string(first), string(second), name)
	}
	page, err := os.ReadFile(filepath.Join(dir, "report.html"))
	require.NoError(t, err)
	for _, want := range []string{"gpt-5.2", "Sat 14 Nov"} {
		assert.True(t, bytes.Contains(page, []byte(want)), want)
	}
	days, err := calls.Sum(calls.Options{By: [][]string{{"day"}, {"unpriced"}}}, filepath.Join(dir, "calls"))
	require.NoError(t, err)
	assert.Len(t, days[0], 90+1, "and today")
	assert.Zero(t, days[1][0].Unpriced)
}
