package scan_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mesh-gateway/mesh-go/scan"
)

func TestEscapes(t *testing.T) {
	t.Parallel()
	key := made("sk-ant-", "a", 40)
	source := scan.New(scan.WithEscapes(), scan.WithExtendedRules())
	for _, escape := range []string{
		`\a`, `\b`, `\e`, `\f`, `\n`, `\r`, `\t`, `\v`, `\0`, `\7`, `\12`, `\033`, `\x0a`, `\x0A`, `\u000a`, `\uFEFF`, `\U0001F600`, `\\n`, `\\\t`, `a\n`,
	} {
		content := `"key:` + escape + key + `"`
		assert.Equal(t, []hit{{2, len(`"key:` + escape), len(content) - 1}}, withoutOpenAI(hitsOf(source.FindAll(content))), escape)
		assert.Empty(t, scan.New().FindAll(content), "a message is text: %s", escape)
	}
	for _, word := range []string{`n`, `\s`, `\z`, `\8`, `\x`, `\xa`, `\xag`, `\u00a`, `\u00ag`, `\U001F600`, `\1234`, `\18`, `\na`, `_`, `\nn`} {
		assert.Empty(t, source.FindAll(word+key), word)
	}
	assert.Equal(t, []hit{{2, 0, len(key)}}, withoutOpenAI(hitsOf(source.FindAll(key))), "at the begin of the content")
}

func withoutOpenAI(hits []hit) (list []hit) {
	for _, h := range hits {
		if h.Number != 4 {
			list = append(list, h)
		}
	}
	return list
}

// TestEscapesAddMatches compares with the reference on a copy with spaces for escape
// sequences: WithEscapes finds every match in both.
func TestEscapesAddMatches(t *testing.T) {
	t.Parallel()
	escapes := regexp.MustCompile(`\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|[nrt])`)
	source := scan.New(scan.WithEscapes(), scan.WithExtendedRules())
	for _, c := range extendedCases {
		for _, escape := range []string{`\n`, `\t`, `\u000a`, `\x0d`} {
			content := strings.Repeat("x"+escape+c.content, 2)
			found := hitsOf(source.FindAll(content))
			assert.Subset(t, found, referenceAll(content, nil, true), c.name)
			blank := escapes.ReplaceAllStringFunc(content, func(e string) string { return strings.Repeat(" ", len(e)) })
			assert.Subset(t, found, referenceAll(blank, nil, true), c.name)
		}
	}
}
