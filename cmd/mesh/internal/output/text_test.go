package output_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"os"
	"runtime"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/table"
)

func TestTextsDoNotControlTheTerminal(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "a�[31m�31m�� � b", output.Line(hostile+"\nb"))
	assert.Equal(t, "a�[31m�31m�� �\nb", output.Lines(hostile+"\nb"))
}

// hostile has characters that a terminal may act on: an escape sequence, its
// one-character form, a direction mark, a line separator, a carriage return and a byte
// that isn't UTF-8.
const hostile = "a\x1b[31m\u009b31m\u202e\u2028\r\xff"

func TestTerminal(t *testing.T) {
	t.Parallel()
	null, err := os.Open(os.DevNull)
	require.NoError(t, err)
	defer null.Close()
	assert.Equal(t, runtime.GOOS == "windows", output.Terminal(null), "a CI step's stdin")
}

func TestTableAlignsColumns(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	require.NoError(t, output.Table(&out, []table.Column{table.Key("A"), table.Plain("B", 0)}, [][]string{{"long", "x\ty"}, {"é", "\x1b"}}))
	assert.Equal(t, "A     B\nlong  x y\né     �\n", out.String())
}

func TestCSV(t *testing.T) {
	t.Parallel()
	cells := map[string]string{
		"":              "",
		"text, \"é\" 世": "text, \"é\" 世",
		"=cmd|' /C'!A0": "'=cmd|' /C'!A0",
		"+SUM(1)":       "'+SUM(1)",
		"-x":            "'-x",
		"-":             "'-",
		"@a":            "'@a",
		"a=b":           "a=b",
		"-1.5":          "-1.5",
		"+1e-9":         "+1e-9",
		"0.0000000001":  "0.0000000001",
		"-1+2":          "'-1+2",
		"\x1b]0;t\a":    `\u001b]0;t\u0007`,
		"a\r\n=b\t\x00": `a\u000d\u000a=b\u0009\u0000`,
		"\u009b\u007f":  `\u009b\u007f`,
		"\u202e\u2028":  `\u202e\u2028`,
		"a\xffb":        "a\uFFFDb", "+Inf": "'+Inf", "-0x1": "'-0x1",
		"=\x1b":      `'=\u001b`,
		"\ufeff=1+1": "'\ufeff=1+1", "\u200b\u2060@a": "'\u200b\u2060@a", " =1": "' =1", "\u3000+1": "'\u3000+1", "\ufeff-1": "'\ufeff-1",
		"＝1+1": "'＝1+1", "＋1": "'＋1", "－1": "'－1", "＠a": "'＠a", "\ufeff＝1": "'\ufeff＝1", "\ufeffa=1": "\ufeffa=1", "\ufeff": "\ufeff",
	}
	for text, want := range cells {
		var out strings.Builder
		require.NoError(t, output.CSV(&out, [][]string{{"column", "other"}, {text, "x"}}))
		rows, err := csv.NewReader(strings.NewReader(out.String())).ReadAll()
		require.NoError(t, err)
		assert.Equal(t, [][]string{{"column", "other"}, {want, "x"}}, rows, "%q", text)
	}
}

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
