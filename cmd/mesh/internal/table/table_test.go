package table_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/table"
)

func plain(line string) string { return line }

func write(t *testing.T, grid *table.Table, width int) []string {
	t.Helper()
	var out strings.Builder
	require.NoError(t, grid.Write(&out, width, plain))
	return strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
}

func TestColumnsAreLeftOutAndThenKeysWrap(t *testing.T) {
	t.Parallel()
	grid := &table.Table{
		Columns: []table.Column{
			{Title: "KEY", Key: true}, {Title: "FIRST", Drop: 1}, {Title: "SECOND", Drop: 2}, {Title: "TEXT", Text: true}, {Title: "N", Right: true, Drop: 3, Late: true},
		},
		Rows: [][]string{{"claude-sonnet-4-5", "aaaaaa", "bbbbbb", "a long text with many words", "12,345"}, {"gpt", "", "", "short", "1"}},
	}
	for width, want := range map[int]string{
		0: `KEY                FIRST   SECOND  TEXT                              N
claude-sonnet-4-5  aaaaaa  bbbbbb  a long text with many words  12,345
gpt                                short                             1`,
		65: `KEY                FIRST   SECOND  TEXT                         N
claude-sonnet-4-5  aaaaaa  bbbbbb  a long text with many…  12,345
gpt                                short                        1`,
		57: `KEY                SECOND  TEXT                         N
claude-sonnet-4-5  bbbbbb  a long text with many…  12,345
gpt                        short                        1`,
		43: `KEY                TEXT                   N
claude-sonnet-4-5  a long text wit…  12,345
gpt                short                  1`,
		36: `KEY         TEXT                   N
claude-     a long text wit…  12,345
  sonnet-
  4-5
gpt         short                  1`,
		30: `KEY           TEXT
claude-       a long text wit…
  sonnet-4-5
gpt           short`,
		20: `claude-sonnet-4-5
  TEXT a long text
  with many words
gpt
  TEXT short`,
	} {
		assert.Equal(t, want, strings.Join(write(t, grid, width), "\n"), "%d columns", width)
	}
}

func TestOptionsStayWhole(t *testing.T) {
	t.Parallel()
	grid := &table.Table{
		Columns: []table.Column{{Title: "KEY", Key: true}, {Title: "N"}}, Rows: [][]string{{"4 others (--all)", "12,345"}},
	}
	assert.Equal(t, []string{"KEY        N", "4 others   12,345", "  (--all)"}, write(t, grid, 17))
}

// Lines fit the terminal, unless a key has a longer piece. Keys are shown whole.
func FuzzWidth(f *testing.F) {
	f.Add(uint64(1), uint8(40))
	f.Add(uint64(2), uint8(80))
	f.Add(uint64(3), uint8(120))
	f.Fuzz(func(t *testing.T, seed uint64, columns uint8) {
		random, width := rand.New(rand.NewPCG(seed, 0)), int(columns)
		if width < 20 {
			return
		}
		grid := randomTable(random)
		widest := width
		for _, row := range grid.Rows {
			for i, c := range grid.Columns {
				for _, piece := range regexp.MustCompile(`[^-./:_ ]*[-./:_ ]?`).FindAllString(row[i], -1) {
					if c.Key {
						widest = max(widest, table.Width(piece)+2)
					}
				}
			}
		}
		lines := write(t, grid, width)
		for _, line := range lines {
			assert.LessOrEqual(t, table.Width(line), widest, "%q", line)
		}
		// Other cells consist only of #, so the keys remain.
		got := strings.Join(strings.Fields(strings.ReplaceAll(strings.Join(lines, ""), "#", "")), "")
		if len(grid.Columns) > 1 && grid.Columns[1].Key {
			return // two wrapped keys are next to each other
		}
		for _, row := range grid.Rows {
			assert.Contains(t, got, strings.ReplaceAll(row[0], " ", ""))
		}
	})
}

func randomTable(random *rand.Rand) *table.Table {
	grid := &table.Table{Columns: []table.Column{{Key: true}}}
	if random.IntN(3) == 0 {
		grid.Columns = append(grid.Columns, table.Column{Key: true})
	}
	for range random.IntN(8) {
		grid.Columns = append(grid.Columns, table.Column{Right: random.IntN(2) == 0, Drop: random.IntN(5), Late: random.IntN(3) == 0, Text: random.IntN(5) == 0})
	}
	for n := range 1 + random.IntN(5) {
		row := make([]string, len(grid.Columns))
		for i, c := range grid.Columns {
			if row[i] = strings.Repeat("#", random.IntN(12)); c.Key {
				row[i] = name(random, n)
			}
		}
		grid.Rows = append(grid.Rows, row)
	}
	return grid
}

// name makes up a name with separators.
func name(random *rand.Rand, n int) string {
	text := fmt.Sprint("n", n)
	for range random.IntN(8) {
		text += string("-./:_ "[random.IntN(6)]) + strings.Repeat(string(rune('a'+random.IntN(26))), random.IntN(9)+1)
	}
	return text
}

func TestParagraph(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "one two\n  three", table.Paragraph("one two three", 8))
	assert.Equal(t, "one two three", table.Paragraph("one two three", 0))
	assert.Equal(t, "use claude-\n  sonnet-4-5", table.Paragraph("use claude-sonnet-4-5", 12))
	assert.Equal(t, "12 others\n  (--all)", table.Paragraph("12 others (--all)", 12))
	assert.Equal(t, "a-\n  -bbbbbb-\n  cc", table.Paragraph("a--bbbbbb-cc", 9))
	assert.Equal(t, "aaaaaaaaaaaa", table.Paragraph("aaaaaaaaaaaa", 5), "a piece is never cut")
}
