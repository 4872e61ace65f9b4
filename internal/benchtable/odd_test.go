package main

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What a test prints may end up in the middle of a line. Such a line is no figure, least of all 0.
func TestLinesThatAreNoFigure(t *testing.T) {
	in := "BenchmarkSend/torn-2 100 12.logged ns/op\nBenchmarkSend/good-2 100 7 ns/op\nBenchmarkSend/good-2 100 many ns/op\n"
	all, _, err := readResults(strings.NewReader(in))
	require.NoError(t, err)
	assert.Equal(t, []string{"BenchmarkSend/good"}, all.names)
	assert.Equal(t, result{"ns/op": 7}, all.byName["BenchmarkSend/good"])
}

// On one processor go test puts no number behind the name; what stands behind a dash is then part of it.
func TestANameWithADash(t *testing.T) {
	for line, want := range map[string]string{
		"BenchmarkRead/by-hand 1 5 ns/op": "BenchmarkRead/by-hand", "BenchmarkRead/by-hand-16 1 5 ns/op": "BenchmarkRead/by-hand",
	} {
		name, _, ok := parseLine(line)
		assert.True(t, ok)
		assert.Equal(t, want, name)
	}
}

var errFull = errors.New("the disk is full")

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errFull }

func TestATableThatIsNotWritten(t *testing.T) {
	in := ""
	for input := range clean {
		in += findOutput(input, evenly(8000), 0)
	}
	require.NoError(t, run("scan", strings.NewReader(in), new(strings.Builder)))
	require.ErrorIs(t, run("scan", strings.NewReader(in), fullDisk{}), errFull)
}
