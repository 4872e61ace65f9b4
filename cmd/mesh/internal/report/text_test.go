package report_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/report"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/internal/test/whole"
)

func textOf(t *testing.T, r *report.Report, columns int) string {
	t.Helper()
	var out strings.Builder
	require.NoError(t, r.WriteText(&out, columns))
	return out.String()
}

func checkWidth(t *testing.T, text string, columns int) {
	t.Helper()
	for line := range strings.Lines(text) {
		assert.LessOrEqual(t, utf8.RuneCountInString(strings.TrimRight(line, "\n")), columns, line)
	}
}

// wrapped returns a pattern for name, which may wrap after its separators.
func wrapped(name string) string {
	var pieces []string
	for name != "" {
		end := strings.IndexAny(name, "-./:_ ") + 1
		if end == 0 {
			end = len(name)
		}
		pieces = append(pieces, regexp.QuoteMeta(name[:end]))
		name = name[end:]
	}
	return `(?m)(?:^|[ /])` + strings.Join(pieces, `(?:[^\n]*\n +)?`)
}

// At every width, lines fit and names aren't cut.
func TestTextFits(t *testing.T) {
	t.Parallel()
	records := someRecords(3000, 60)
	random := rand.New(rand.NewPCG(1, 2))
	for i := range records {
		if records[i].Provider == models.Anthropic && random.IntN(2) == 0 {
			records[i].Platform, records[i].Model = "bedrock", "us.anthropic.claude-sonnet-4-5-20250929-v1:0"
		}
	}
	r := build(t, report.Options{Budgets: []string{"100/month", "2/day/label:user"}}, records...)
	for columns := 20; columns <= 200; columns += whole.Cases(1, 9) {
		text := textOf(t, r, columns)
		checkWidth(t, text, columns)
		for i := range r.Models {
			assert.Regexp(t, wrapped(r.Models[i].Model), text, "%d columns", columns)
		}
	}
}

func TestTextColumns(t *testing.T) {
	t.Parallel()
	r := build(t, report.Options{}, someRecords(3000, 60)...)
	for columns, want := range map[int]string{
		40:  "MODEL CALLS USD SHARE CHANGE",
		24:  "MODEL CALLS USD",
		80:  "MODEL PROVIDER CALLS UNPRICED USD SHARE CHANGE",
		120: "MODEL PROVIDER CALLS INPUT OUTPUT CACHED UNPRICED PER CALL USD SHARE CHANGE",
		0:   "MODEL PROVIDER CALLS INPUT OUTPUT CACHED UNPRICED PER CALL USD SHARE CHANGE",
	} {
		for line := range strings.Lines(textOf(t, r, columns)) {
			if strings.HasPrefix(line, "MODEL") {
				assert.Equal(t, want, strings.Join(strings.Fields(line), " "), "%d columns", columns)
			}
		}
	}
}

func TestText(t *testing.T) {
	t.Parallel()
	var records []calls.Record
	for ago := 56; ago > 0; ago-- {
		r := calls.Record{Provider: models.OpenAI, Model: "gpt-5.4-mini", Time: at(ago), Status: 200, USD: "10", Billing: "subscription"}
		records = append(records, r)
		if r.Model, r.USD, r.Billing = "gpt-5.4", "50.123", ""; ago <= 28 {
			records = append(records, r)
		}
	}
	broken := calls.Record{Provider: models.OpenAI, Model: "gpt-5.4", Time: at(1), Status: 200, Unpriced: "closed", Incomplete: true, BoundUSD: "0.25", Usage: []byte(`{}`)}
	records = append(records, broken)
	r := build(t, report.Options{Budgets: []string{"2000/month"}}, records...)
	assert.Equal(t, `25 Oct to 21 Nov 2026 (28 days, UTC)

MODEL         PROVIDER  CALLS  UNPRICED       USD   SHARE
gpt-5.4       openai       29         1  1,403.44   83.4%
gpt-5.4-mini  openai       28         -    280.00   16.6%
total                      57         1  1,683.44  100.0%

1 call has no known cost (--by unpriced); 1 of them cost at
  least 0.2500 USD more.
280.00 USD is the list price for subscription calls, which
  are not charged.
The share of unpriced calls differs by more than a point
  from the 28 days before: the costs are not comparable.
85 calls were read; --last all shows everything.
November: 1,262.58 USD until now, about 1,803.69 at its end
  (estimate).
Budget 2000/month: 1,262.83 USD spent, 737.17 left, 81.91 a
  day.
Next: 1 call has no known cost: responses that broke off.
  Read streams to their end. Only the input and the output
  so far are known.
`, textOf(t, r, 60))
}

// Periods in hours are shown with times. Budgets without a period are shown with their
// first day.
func TestTextOfHours(t *testing.T) {
	t.Parallel()
	from := day("2026-11-20").Add(12 * time.Hour)
	r := build(t, report.Options{From: from, To: day("2026-11-22"), Budgets: []string{"0.0001", "2/day"}},
		priced(at(40), "0.0005"), priced(from.Add(-time.Hour), "1"), priced(from, "1"))
	text := textOf(t, r, 0)
	assert.Contains(t, text, "20 Nov 2026, 12:00 to 22 Nov 2026, 00:00 (36 hours, UTC), change against the 36 hours before\n")
	assert.Contains(t, text, "Budget 0.0001: 2.0005 USD spent since 2026-10-13, 2.0004 over the limit.\nBudget 2/day: 0.00 USD spent, 2.00 left.\n")
	assert.Contains(t, text, "Next: The budget 0.0001 is exceeded: 2.0005 USD were spent since 2026-10-13.\n")
	var notes strings.Builder
	require.NoError(t, r.WriteNotes(&notes, 0))
	assert.True(t, strings.HasSuffix(text, notes.String()))
	assert.True(t, strings.HasPrefix(notes.String(), "November: 2.00 USD until now"))
}

func TestTextWithoutCalls(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "25 Oct to 21 Nov 2026 (28 days, UTC)\nThere are no calls.\n\n", textOf(t, build(t, report.Options{}), 80))
	old := calls.Record{Provider: models.OpenAI, Model: "m", Time: at(300), Status: 200, USD: "1"}
	text := textOf(t, build(t, report.Options{}, old), 100)
	assert.Contains(t, text, "There are no calls in this period; 1 call from 2026-01-26 to 2026-01-26 were read (--last all).")
}

// Names must not control the terminal, and an unknown cost isn't 0.
func TestTextOfHostileNames(t *testing.T) {
	t.Parallel()
	var records []calls.Record
	for i, name := range []string{"a\nb", "\x1b[31mred", "\u202eabc", strings.Repeat("x", 300), "模型-" + strings.Repeat("长-", 60), ""} {
		records = append(records, calls.Record{Provider: models.OpenAI, Model: name, Time: at(i + 1), Unpriced: "closed", Labels: map[string]string{"user": name}})
	}
	r := build(t, report.Options{Budgets: []string{"1/month/label:user"}}, records...)
	for _, columns := range []int{0, 20, 40, 80} {
		text := textOf(t, r, columns)
		for _, control := range []string{"\x1b", "\u202e", "a\nb"} {
			assert.NotContains(t, text, control, fmt.Sprint(columns))
		}
		assert.NotRegexp(t, `(?m)^(total|red).* 0\.00|^  USD 0\.00`, text)
	}
}

// Two calls became three at a third of the cost, and a fourth uses another model.
func TestTextHasThePartsOfTheChange(t *testing.T) {
	t.Parallel()
	other := priced(at(1), "6")
	other.Model = "gpt-5.4-pro"
	r := build(t, report.Options{}, priced(at(57), "0"), priced(at(40), "3"), priced(at(39), "3"), priced(at(2), "1"), priced(at(3), "1"), priced(at(4), "1"), other)
	const sentence = "Change in USD: +3.00 is +6.00 from more calls, +3.00 from a move to dearer models, and -6.00 from cheaper calls of the same models.\n"
	assert.Contains(t, textOf(t, r, 0), sentence)
	var notes strings.Builder
	require.NoError(t, r.WriteNotes(&notes, 0))
	assert.Contains(t, notes.String(), sentence)
}
