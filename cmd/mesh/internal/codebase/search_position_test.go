package codebase_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/codebase"
)

// Moves to every index in steps of several lengths, and compares with counting from the
// start.
func TestPosition(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "x", "a mesh:ignore\né b\r\n\n\xffc # mesh:ignore\n", "\nmesh:ignore\nx", "mesh:ignore x mesh:ignore\n\n"} {
		for step := 1; step <= len(text)+1; step++ {
			position := codebase.Begin(text)
			for at := 0; at <= len(text); at += step {
				position.Move(at)
				before := text[:at]
				begin := strings.LastIndexByte(before, '\n') + 1
				line, _, _ := strings.Cut(text[begin:], "\n")
				assert.Equal(t, strings.Count(before, "\n")+1, position.Line, "%q %d", text, at)
				assert.GreaterOrEqual(t, position.Column, utf8.RuneCountInString(before[begin:])+1, "%q %d", text, at) // a step may end inside é
				assert.Equal(t, strings.Contains(line, "mesh:ignore"), position.Ignored, "%q %d", text, at)
			}
		}
	}
}
