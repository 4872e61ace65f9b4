package discovery_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// Tokens on both sides show what a drift comes from.
func TestCompareExplainsADrift(t *testing.T) {
	t.Parallel()
	const item = "gpt-5.4, input"
	quantity := func(amount, unit string) map[string]discovery.Quantity {
		return map[string]discovery.Quantity{item: {Amount: amount, Unit: unit}}
	}
	for _, row := range []struct {
		name          string
		billed        float64
		quantities    map[string]discovery.Quantity
		counted       string
		tokens        int64
		billedTokens  string
		countedTokens string
		cause         discovery.DriftCause
	}{
		{"equal", 1, quantity("1000", "tokens"), "1", 1000, "1000", "1000", ""},
		{"another price", 1.2, quantity("1000", "tokens"), "1", 1000, "1000", "1000", discovery.CauseAnotherPrice},
		{"a lower price", 0.8, quantity("1", "1000_tokens"), "1", 1000, "1000", "1000", discovery.CauseAnotherPrice},
		{"a call at midnight", 1.2, quantity("1019", "tokens"), "1", 1000, "1019", "1000", discovery.CauseAnotherPrice},
		{"output is missing", 1.2, quantity("1020", "tokens"), "1", 1000, "1020", "1000", discovery.CauseMissingCalls},
		{"calls are missing", 1.2, quantity("1200", "tokens"), "1", 1000, "1200", "1000", discovery.CauseMissingCalls},
		{"the bill lacks calls", 0.8, quantity("800", "tokens"), "1", 1000, "800", "1000", discovery.CauseMissingCalls},
		{"part of a token", 0.8, quantity("0.5", "1000_tokens"), "1", 1000, "500", "1000", discovery.CauseMissingCalls},
		{"no quantity", 1.2, nil, "1", 1000, "", "", ""},
		{"no tokens", 1.2, quantity("3", "images"), "1", 1000, "", "", ""},
		{"tokens of calls are not known", 1.2, quantity("1000", "tokens"), "1", -1, "1000", "", ""},
		{"nothing counted", 1.2, quantity("1000", "tokens"), "", 0, "1000", "0", discovery.CauseMissingCalls},
		{"unpriced calls", 1.2, quantity("1000", "tokens"), "unpriced", 0, "1000", "", ""},
	} {
		report := billedDays(row.billed)
		report.Buckets[0].LineItemBreakdown = map[string]float64{item: row.billed, "Vector storage": 0.1}
		report.Buckets[0].LineItemQuantities = row.quantities
		l := prices.NewLedger()
		counted := cost(models.OpenAI, "gpt-5.4", row.counted)
		if row.tokens >= 0 {
			counted.Lines = []prices.Line{{What: "input", Tokens: row.tokens, USD: row.counted}}
		}
		if row.counted == "unpriced" {
			counted.USD = ""
		}
		if row.counted != "" {
			l.Add(time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC), counted)
		}
		got := report.WithLedger(l).Compare()
		for _, part := range []discovery.BillPart{got.Total, got.Days[0], got.Models[0]} {
			assert.Equal(t, row.billedTokens, part.BilledTokens, row.name)
			assert.Equal(t, row.countedTokens, part.CountedTokens, row.name)
			assert.Equal(t, row.cause, part.Cause, row.name)
		}
	}
}

// A line item without a quantity may be tokens, so that those of its day are not known.
func TestTokensOfADayWithAnotherLineItem(t *testing.T) {
	t.Parallel()
	report := billedDays(3)
	report.Buckets[0].LineItemBreakdown = map[string]float64{"gpt-5.4, input": 1, "Text tokens": 2}
	report.Buckets[0].LineItemQuantities = map[string]discovery.Quantity{"gpt-5.4, input": {Amount: "5", Unit: "tokens"}}
	got := report.Compare()
	assert.Equal(t, []string{"", "", "5"}, []string{got.Total.BilledTokens, got.Days[0].BilledTokens, got.Models[0].BilledTokens})
	report.Buckets[0].LineItemQuantities["Text tokens"] = discovery.Quantity{Amount: "0.25", Unit: "1000_tokens"}
	got = report.Compare()
	assert.Equal(t, []string{"255", "255", "5"}, []string{got.Total.BilledTokens, got.Days[0].BilledTokens, got.Models[0].BilledTokens})
}
