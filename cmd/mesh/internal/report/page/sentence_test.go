package page

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// Amounts get a dollar sign and days the page's format; names stay unchanged.
func TestSentence(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Billed 26.88 USD, counted 25.30 USD; +1.58 USD: +1.31 for calls, −0.27 another price.": "Billed $26.88, counted $25.30; +$1.58: +$1.31 for calls, −$0.27 another price.",
		"2026-11-19 gpt-5.2: +1,234.50 USD for calls.":                                          "19 Nov 2026 gpt-5.2: +$1,234.50 for calls.",
		"Replace gpt-4o-2024-08-06, which retires on 2026-11-30 (5 calls). Use gpt-4.10.":       "Replace gpt-4o-2024-08-06, which retires on 30 Nov 2026 (5 calls). Use gpt-4.10.",
		"It differs by 5.8 % of 1,000 calls.":                                                   "It differs by 5.8 % of 1,000 calls.",
	} {
		assert.Equal(t, want, sentence(text))
	}
}
