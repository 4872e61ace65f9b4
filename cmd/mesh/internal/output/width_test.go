package output_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
)

// Lines fit, all but the first are indented, and nothing is lost.
func TestWrap(t *testing.T) {
	t.Parallel()
	const indent = "    "
	for _, text := range []string{
		"", "short", strings.Repeat("a", 200), strings.Repeat("word ", 40), strings.Repeat("漢", 100), "one\n" + strings.Repeat("é", 100) + "\nthree",
		strings.Repeat(" ", 200), "🙂" + strings.Repeat("x🙂", 50),
	} {
		for _, width := range []int{1, 20, 80} {
			wrapped := output.Wrap(text, indent, width)
			assert.Equal(t, strings.ReplaceAll(text, "\n", ""), strings.ReplaceAll(wrapped, "\n"+indent, ""), "%q", text)
			for line := range strings.SplitSeq(indent+wrapped, "\n") {
				assert.True(t, strings.HasPrefix(line, indent), "%q", line)
				if width > 6 {
					wide := len([]rune(line)) + strings.Count(line, "漢") + strings.Count(line, "🙂")
					assert.Less(t, wide, width, "%q", line)
				}
			}
		}
		assert.Equal(t, strings.ReplaceAll(text, "\n", "\n"+indent), output.Wrap(text, indent, 0), "not a terminal")
	}
}

func TestCut(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"1234567890": "1234567890", "12345678901": "123456789…", "漢漢漢漢漢": "漢漢漢漢漢", "漢漢漢漢漢漢": "漢漢漢漢…", "": "",
	} {
		assert.Equal(t, want, output.Cut(text, 10))
		assert.Equal(t, text, output.Cut(text, 0))
	}
}
