package output_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
)

func TestJSONDoesNotControlTheTerminal(t *testing.T) {
	t.Parallel()
	for name, value := range map[string]any{"a text": hostile + "\x7f", "JSON of another": json.RawMessage("\"" + "\u009b\xff" + "\"")} {
		var out bytes.Buffer
		require.NoError(t, output.JSON(&out, value, ""))
		line, ends := strings.CutSuffix(out.String(), "\n")
		assert.True(t, ends)
		assert.NotContains(t, line, "\n")
		assert.True(t, utf8.ValidString(line), name)
		for _, r := range line {
			assert.False(t, unicode.In(r, unicode.Cc, unicode.Zl, unicode.Zp, unicode.Bidi_Control), "%s: %U", name, r)
		}
		var back string
		require.NoError(t, json.Unmarshal(out.Bytes(), &back))
		if text, ok := value.(string); ok {
			assert.Equal(t, strings.ToValidUTF8(text, "�"), back, "nothing is lost")
		}
	}
}
