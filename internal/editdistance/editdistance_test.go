package editdistance_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mesh-gateway/mesh-go/internal/editdistance"
)

func TestOf(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"", "abc", 3}, {"node-a", "node-a", 0}, {"node-a", "node-b", 1}, {"node-a", "nodea", 1},
		{"kitten", "sitting", 3}, {"gpt-4o", "gpt-o4", 2}, {"ab", "ba", 2},
	} {
		assert.Equal(t, row.want, editdistance.Of(row.a, row.b), "%s, %s", row.a, row.b)
		assert.Equal(t, row.want, editdistance.Of(row.b, row.a), "%s, %s", row.b, row.a)
	}
}
