package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
)

// execute runs the program on 2026-11-21 with a registry of its own.
func execute(args ...string) (status int, out, errs string) {
	var stdout, stderr strings.Builder
	c := check{
		registry: discovery.Registry{
			{Provider: discovery.OpenAI, ID: "gpt-old"}:          "2026-11-20",
			{Provider: discovery.OpenAI, ID: "gpt-today"}:        "2026-11-21",
			{Provider: discovery.OpenAI, ID: "gpt-soon"}:         "2027-01-20",
			{Provider: discovery.OpenAI, ID: "gpt-later"}:        "2027-01-21",
			{Provider: discovery.Anthropic, ID: "claude-leaves"}: "deprecated",
		},
		today: time.Date(2026, 11, 21, 23, 0, 0, 0, time.UTC), out: &stdout,
	}
	status = c.run(args, &stderr)
	return status, stdout.String(), stderr.String()
}

func TestModelsThatRetireFailTheStep(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		model  string
		status int
		line   string
	}{
		{"gpt-old", 1, "retired     gpt-old, 2026-11-20"},
		{"gpt-today", 1, "retiring    gpt-today, 2026-11-21"},
		{"openai/gpt-soon", 1, "retiring    openai/gpt-soon, 2027-01-20"},
		{"gpt-later", 0, "retiring    gpt-later, 2027-01-21"},
		{"claude-leaves", 0, "deprecated  claude-leaves"},
		{"gpt-never-heard-of", 0, "unknown     gpt-never-heard-of"},
		{"llama-4", 0, "unknown     llama-4: no provider"},
	} {
		status, out, _ := execute(row.model)
		assert.Equal(t, row.status, status, row.model)
		assert.Contains(t, out, row.line)
		assert.Contains(t, out, "1 models checked, registry of "+discovery.RetirementsAsOf())
	}
}

func TestOneModelOfSeveralFailsTheStep(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "models.txt")
	require.NoError(t, os.WriteFile(file, []byte("# of the chat\n\r\n  gpt-old\r\n\ngpt-later\n"), 0o600))
	status, out, _ := execute("-file", file, "gpt-later")
	assert.Equal(t, 1, status)
	assert.Contains(t, out, "3 models checked")
	status, _, _ = execute("-days", "61", "gpt-later")
	assert.Equal(t, 1, status)
}

func TestWrongUse(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{}, {"-file", filepath.Join(t.TempDir(), "absent")}, {"-weeks", "1"}, {"-days", "many", "gpt-old"}} {
		status, out, errs := execute(args...)
		assert.Equal(t, 2, status, args)
		assert.Empty(t, out)
		assert.NotEmpty(t, errs)
	}
}

func TestHelpSucceeds(t *testing.T) {
	t.Parallel()
	status, out, errs := execute("-h")
	assert.Zero(t, status)
	assert.Empty(t, out)
	assert.Contains(t, errs, "Usage of retirement-check")
}

// TestBuiltInRegistry uses a model whose date is past for good.
func TestBuiltInRegistry(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	c := check{registry: discovery.Retirements(), today: time.Now().UTC(), out: &out}
	assert.Equal(t, 1, c.run([]string{"o1-mini"}, &out))
	assert.Regexp(t, `retired +o1-mini, \d{4}-\d\d-\d\d`, out.String())
}
