package codebase_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/codebase"
)

func TestIsIgnored(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]bool{
		"mesh:ignore": true, "x // mesh:ignore": true, "# mesh:ignore: a test": false, "# mesh:ignore, a test": true, "<!-- mesh:ignore -->": true, "/*mesh:ignore*/": true,
		"mesh:ignored mesh:ignore": true, "é mesh:ignore\xff": true, "(mesh:ignore)": true, "mesh:ignore\r": true,
		"": false, "mesh:ignored": false, "my-mesh:ignore": false, "mesh:ignore-file": false, "mesh:ignore_": false, "mesh:ignoremesh:ignore": false, "mesh: ignore": false,
	} {
		for at := range len(line) + 1 {
			assert.Equal(t, want, codebase.IsIgnored(line, at), "%q", line)
			assert.Equal(t, want, codebase.IsIgnored("mesh:ignore\n"+line+"\nmesh:ignore", len("mesh:ignore\n")+at), "%q", line)
		}
	}
}
