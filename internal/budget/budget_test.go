package budget_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/internal/argument"
	"github.com/mesh-gateway/mesh-go/internal/budget"
)

func TestParse(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]budget.Budget{
		"5":                    {USD: "5"},
		"0.50":                 {USD: "0.50"},
		"5/day":                {USD: "5", Per: "day"},
		"100/month":            {USD: "100", Per: "month"},
		"2/day/label:user":     {USD: "2", Per: "day", Label: "user"},
		"2/month/label:a/b:c ": {USD: "2", Per: "month", Label: "a/b:c "},
	} {
		got, err := budget.Parse("meter", text)
		require.NoError(t, err, text)
		assert.Equal(t, want, got, text)
	}
}

func TestParseRefusesOtherTexts(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "/", "five", "-5", "+5", "5.", ".5", "1e3", "5 USD", " 5", "5/", "5/week", "5/Day", "5/day/", "5/day/user", "5/day/label:", "5/label:user",
		"5//label:user", "1" + strings.Repeat("0", 40),
	} {
		_, err := budget.Parse("meter", text)
		var wrong *argument.ValueError
		require.ErrorAs(t, err, &wrong, text)
		assert.Equal(t, "Budget", wrong.Field)
		assert.ErrorContains(t, err, "meter: Budget")
		assert.LessOrEqual(t, len(wrong.Value), 32)
	}
}

func FuzzParse(f *testing.F) {
	f.Add("2/day/label:user")
	f.Fuzz(func(t *testing.T, text string) {
		b, err := budget.Parse("meter", text)
		if err != nil {
			return
		}
		again := string(b.USD)
		if b.Per != "" {
			again += "/" + b.Per
		}
		if b.Label != "" {
			again += "/label:" + b.Label
		}
		assert.Equal(t, text, again, "a budget has exactly one form")
	})
}
