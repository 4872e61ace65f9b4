package scan_test

import (
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/internal/test/whole"
	"github.com/mesh-gateway/mesh-go/scan"
)

// nearMiss is a line of the corpus.
type nearMiss struct {
	rule       int
	miss, hits string
}

var repeatedPart = regexp.MustCompile(`\{([^}]*)\*(\d+)\}`)

// expand replaces {x*n} by n times x, and escapes by their characters.
func expand(t testing.TB, text string) string {
	text = repeatedPart.ReplaceAllStringFunc(text, func(part string) string {
		m := repeatedPart.FindStringSubmatch(part)
		n, err := strconv.Atoi(m[2])
		require.NoError(t, err)
		return strings.Repeat(m[1], n)
	})
	text, err := strconv.Unquote(`"` + text + `"`)
	require.NoError(t, err)
	return text
}

func readNearMisses(t testing.TB) []nearMiss {
	file, err := os.ReadFile("testdata/near-misses.txt")
	require.NoError(t, err)
	var all []nearMiss
	for line := range strings.Lines(string(file)) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		fields := strings.Split(line, " | ")
		require.Len(t, fields, 3, line)
		rule, err := strconv.Atoi(fields[0])
		require.NoError(t, err, line)
		all = append(all, nearMiss{rule, expand(t, fields[1]), expand(t, fields[2])})
	}
	return all
}

// surroundings are text around a key that does not change the match.
var surroundings = [][2]string{{"", ""}, {"see \"", "\"."}, {"é", "é"}, {strings.Repeat("word ", 40), ", word"}}

func TestNearMisses(t *testing.T) {
	s := scan.New(scan.WithExtendedRules())
	matches := func(rule int, content string) bool {
		return slices.ContainsFunc(s.FindAll(content), func(f scan.Finding) bool { return f.Rule.Number == rule })
	}
	corpus := readNearMisses(t)
	require.Greater(t, len(corpus), 100)
	for i, c := range corpus {
		if i%whole.Cases(1, 5) != 0 {
			continue
		}
		for _, around := range surroundings {
			miss, hits := around[0]+c.miss+around[1], around[0]+c.hits+around[1]
			assert.False(t, matches(c.rule, miss), "rule %d, %q", c.rule, miss)
			assert.True(t, matches(c.rule, hits), "rule %d, %q", c.rule, hits)
			for _, extended := range []bool{false, true} {
				checkAgainstReference(t, miss, nil, extended)
				checkAgainstReference(t, hits, nil, extended)
			}
		}
	}
}
