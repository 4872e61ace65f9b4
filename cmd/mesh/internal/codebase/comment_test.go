package codebase

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestIsIgnored(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]bool{
		"mesh:ignore": true, "x // mesh:ignore": true, "# mesh:ignore: a test": false, "# mesh:ignore, a test": true, "<!-- mesh:ignore -->": true, "/*mesh:ignore*/": true,
		"mesh:ignored mesh:ignore": true, "é mesh:ignore\xff": true, "(mesh:ignore)": true, "mesh:ignore\r": true,
		"": false, "mesh:ignored": false, "my-mesh:ignore": false, "mesh:ignore-file": false, "mesh:ignore_": false, "mesh:ignoremesh:ignore": false, "mesh: ignore": false,
	} {
		assert.Equal(t, want, isIgnored(line), "%q", line)
		assert.Equal(t, want, isIgnored(line+"\nmesh:ignore"), "%q", line)
	}
}
