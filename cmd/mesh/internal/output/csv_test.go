package output_test

import (
	"encoding/csv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
)

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
