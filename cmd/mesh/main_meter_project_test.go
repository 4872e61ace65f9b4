package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery/calls"
)

// The project label is the repository's base name, unless a flag replaces it.
func TestMeterLabelsTheProject(t *testing.T) {
	t.Parallel()
	_, flags := startProvidersForAgent(t)
	for name, test := range map[string]struct {
		flags []string
		want  map[string]string
	}{
		"by default": {nil, map[string]string{"project": "shop"}},
		"no project": {[]string{"--no-project"}, nil},
		"given":      {[]string{"--label", "project=other"}, map[string]string{"project": "other"}},
		"given only": {[]string{"--no-project", "--label", "project=other"}, map[string]string{"project": "other"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root, log := t.TempDir(), t.TempDir()
			require.NoError(t, os.MkdirAll(filepath.Join(root, "shop", ".git"), 0o700))
			require.NoError(t, os.MkdirAll(filepath.Join(root, "shop", "cmd"), 0o700))
			args := append(append(append([]string{"--log", log}, flags...), test.flags...), "--", "caller", "chat")
			cmd := newMeterCommand(t, nil, args...)
			cmd.Dir = filepath.Join(root, "shop", "cmd")
			output, err := cmd.CombinedOutput()
			require.NoError(t, err, string(output))
			var records []calls.Record
			for r, err := range calls.Read(calls.Options{Recorded: true}, log) {
				require.NoError(t, err)
				records = append(records, r)
			}
			require.Len(t, records, 1)
			assert.Equal(t, test.want, records[0].Labels)
			text, err := os.ReadFile(onlyFile(t, log))
			require.NoError(t, err)
			assert.NotContains(t, string(text), root, "only the base name is recorded")
		})
	}
}

// onlyFile returns the directory's only .jsonl file.
func onlyFile(t *testing.T, folder string) string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(folder, "*.jsonl"))
	require.NoError(t, err)
	require.Len(t, names, 1)
	return names[0]
}
