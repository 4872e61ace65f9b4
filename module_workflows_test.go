// Checks the project's workflows.

package mesh_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"
)

// workflow is the part that says who may do what.
type workflow struct {
	Permissions yaml.Node `yaml:"permissions"`
	Jobs        map[string]struct {
		Permissions yaml.Node `yaml:"permissions"`
		Steps       yaml.Node `yaml:"steps"`
	} `yaml:"jobs"`
}

// A job with its own secret must not have a token that can write, nor a checkout that
// keeps one.
func TestNoJobHasKeysAndAToken(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(".github/workflows/*.yml")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	keys := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		var w workflow
		require.NoError(t, yaml.Unmarshal(text, &w), file)
		for name, job := range w.Jobs {
			steps := written(t, &job.Steps)
			if !strings.Contains(strings.ReplaceAll(steps, "secrets.GITHUB_TOKEN", ""), "secrets.") {
				continue
			}
			keys++
			permissions := &job.Permissions
			if permissions.IsZero() {
				permissions = &w.Permissions
			}
			require.False(t, permissions.IsZero(), "%s: %s has the default permissions", file, name)
			assert.NotContains(t, written(t, permissions), "write", "%s: %s", file, name)
			assert.NotContains(t, steps, "secrets.GITHUB_TOKEN", "%s: %s", file, name)
			assert.Equal(t, strings.Count(steps, "actions/checkout@"), strings.Count(steps, "persist-credentials: false"), "%s: %s", file, name)
		}
	}
	assert.Equal(t, 1, keys, "the jobs with keys are seen")
}

func written(t *testing.T, node *yaml.Node) string {
	t.Helper()
	text, err := yaml.Marshal(node)
	require.NoError(t, err)
	return string(text)
}
