package exit_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/exit"
)

func TestEachErrorIsALine(t *testing.T) {
	t.Parallel()
	hostile := errors.New("a\nmesh: b\x1b")
	two := errors.Join(hostile, errors.New("c"))
	for want, err := range map[string]error{
		"a mesh: b\uFFFD":      hostile,
		"a mesh: b\uFFFD\nc":   two,
		"x: a mesh: b\uFFFD c": fmt.Errorf("x: %w", two),
		"d: a mesh: b\uFFFD":   fmt.Errorf("%w: %w", errors.New("d"), hostile),
	} {
		assert.Equal(t, want, exit.Lines(err))
	}
	assert.Equal(t, "a mesh: b\uFFFD\nc", exit.Lines(exit.WrongUse(two)))
}
