package codebase_test

import (
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/codebase"
)

// ignores is the rule in another form.
var ignores = regexp.MustCompile(`(?:^|[^a-zA-Z0-9_:-])mesh:ignore(?:$|[^a-zA-Z0-9_:-])`)

func FuzzIsIgnored(f *testing.F) {
	for _, line := range []string{
		"", "mesh:ignore", "x // mesh:ignore", "# mesh:ignore: a test", "<!-- mesh:ignore -->", "mesh:ignored", "my-mesh:ignore", "mesh:ignore-file", "mesh:ignoremesh:ignore",
		"mesh:ignored mesh:ignore", "/*mesh:ignore*/", "mesh: ignore", "é mesh:ignore\xff",
	} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		assert.Equal(t, ignores.MatchString(line), codebase.IsIgnored(line), "%q", line)
	})
}
