package scan

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/codebase"
	"github.com/mesh-gateway/mesh-go/scan"
)

// Compares positions with ones counted from the start of the text.
func TestMatchesInCountsLinesAndColumns(t *testing.T) {
	t.Parallel()
	scanner, random := scan.New(), rand.New(rand.NewPCG(1, 2))
	key := "pypi-" + strings.Repeat("a", 30)
	for range 500 {
		var text strings.Builder
		for range random.IntN(30) {
			text.WriteString([]string{key, "\n", " ", "é", "\xff", "mesh:ignore", "x ", "\r\n", " " + key + " "}[random.IntN(9)])
		}
		content := text.String()
		found, matches := scanner.FindAll(content), matchesIn(scanner, "f", content)
		require.Len(t, matches, len(found))
		for i, m := range matches {
			before := content[:found[i].Start]
			begin := strings.LastIndexByte(before, '\n') + 1
			line, _, _ := strings.Cut(content[begin:], "\n")
			assert.Equal(t, strings.Count(before, "\n")+1, m.Value.Line, "%q", content)
			assert.Equal(t, utf8.RuneCountInString(before[begin:])+1, m.Value.Column, "%q", content)
			assert.Equal(t, &codebase.Entry{File: "f", What: m.Value.Name, Credential: content[found[i].Start:found[i].End]}, m.Entry)
			assert.True(t, !m.Ignored || strings.Contains(line, "mesh:ignore"))
		}
	}
}

func TestMostSpecificRules(t *testing.T) {
	t.Parallel()
	anthropic, deepseek := "sk-ant-"+strings.Repeat("a", 40), "sk-"+strings.Repeat("0", 32)
	for content, want := range map[string][]string{
		anthropic:                         {"anthropic-api-key@1"},
		deepseek:                          {"deepseek-api-key@1"},
		deepseek + " " + anthropic:        {"deepseek-api-key@1", "anthropic-api-key@37"},
		"sk-proj-0123456789012345":        {"openai-api-key@1"},
		"sk-0123456789012345-" + deepseek: {"openai-api-key@1", "deepseek-api-key@21"},
		anthropic + " aws":                {"anthropic-api-key@1"},
		strings.Repeat("a", 40) + " aws":  {"aws-secret-key@1"},
	} {
		var got []string
		for _, m := range matchesIn(scan.New(), "f", content) {
			got = append(got, fmt.Sprint(m.Value.Name, "@", m.Value.Column))
		}
		assert.Equal(t, want, got, content)
	}
}

func TestTableOfAScanIsBounded(t *testing.T) {
	t.Parallel()
	var found []finding
	for i := range 30 {
		found = append(found, finding{File: strings.Repeat("f", i+1), Name: "rule"})
	}
	var out strings.Builder
	require.NoError(t, summary(&out, found))
	assert.Equal(t, 1+1+maxCounts+1, strings.Count(out.String(), "\n"))
	assert.Regexp(t, `(?m)^ *10 +others *$`, out.String())
}
