package table_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/table"
)

func TestWidth(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{"": 0, "node-a↔node-b": 13, "−1 €…": 5, "é": 1, "日本": 4, "한": 2} {
		assert.Equal(t, want, table.Width(text), text)
	}
}
