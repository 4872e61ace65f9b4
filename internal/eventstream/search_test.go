package eventstream_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mesh-gateway/mesh-go/internal/eventstream"
)

func TestIndexEither(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", 9)
	for _, text := range []string{"", "a", "\n", "\r", "a\n\r", "a\r\n", long, long + "\n", long + "\r\n", long + long + "\r"} {
		want := strings.IndexAny(text, "\r\n")
		if want < 0 {
			want = len(text)
		}
		for block := 1; block < 12; block++ {
			assert.Equal(t, want, eventstream.IndexEither([]byte(text), '\n', '\r', block), "%q, %d", text, block)
		}
	}
}
