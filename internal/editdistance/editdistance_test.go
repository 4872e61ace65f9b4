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

func TestNearest(t *testing.T) {
	t.Parallel()
	names := []string{"listen", "fail", "from", "gateway-url", "gpt-5.2", "gpt-5.2-mini"}
	for unknown, want := range map[string]string{
		"lisen": "listen", "listne": "listen", "fial": "", "form": "", "fom": "from", "gatewayurl": "gateway-url", "bogus": "", "": "", "x": "",
		"gpt-5.22": "gpt-5.2", "gpt-52-mini": "gpt-5.2-mini", "listen": "listen",
	} {
		assert.Equal(t, want, editdistance.Nearest(unknown, names), unknown)
	}
}
