package discovery_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

func TestCompareByDayAndModel(t *testing.T) {
	t.Parallel()
	report := billedDays(0.3, 1, 0)
	report.Buckets[0].LineItemBreakdown = map[string]float64{"gpt-4o-2024-08-06, input": 0.1, "gpt-4o-2024-11-20, input": 0.2}
	report.Buckets[1].LineItemBreakdown = map[string]float64{"gpt-5.4, input": 0.9, "Vector storage": 0.1, "Credit": 0}
	alone := report.Compare()
	assert.Equal(t, discovery.BillPart{BilledUSD: "1.3"}, alone.Total)
	assert.Equal(t, discovery.BillPart{Name: "gpt-4o", BilledUSD: "0.3"}, alone.Models[0], "the builds of a model are the model")

	l := prices.NewLedger()
	noon := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	l.Add(noon, cost(models.OpenAI, "gpt-4o", "0.1"))
	l.Add(noon, cost(models.OpenAI, "openai/gpt-4o-2024-08-06", "0.2000000000000001"))
	l.Add(noon.AddDate(0, 0, 1), &prices.Cost{Provider: models.OpenAI, Model: "gpt-none"})
	l.Add(noon.AddDate(0, 0, 1), &prices.Cost{Provider: models.XAI, Model: "grok-4.7"}) // does not affect OpenAI's bill
	assert.Equal(t, discovery.BillComparison{
		Total: discovery.BillPart{BilledUSD: "1.3", CountedUSD: "0.3000000000000001", DriftUSD: "0.9999999999999999", Unpriced: 1},
		Days: []discovery.BillPart{
			{Name: "2026-05-01", BilledUSD: "0.3", CountedUSD: "0.3000000000000001", DriftUSD: "-0.0000000000000001"},
			{Name: "2026-05-02", BilledUSD: "1", Unpriced: 1},
			{Name: "2026-05-03", BilledUSD: "0", CountedUSD: "0", DriftUSD: "0"},
		},
		Models: []discovery.BillPart{
			{Name: "gpt-4o", BilledUSD: "0.3", CountedUSD: "0.3000000000000001", DriftUSD: "-0.0000000000000001"},
			{Name: "gpt-5.4", BilledUSD: "0.9", CountedUSD: "0", DriftUSD: "0.9"},
			{Name: "gpt-none", BilledUSD: "0", Unpriced: 1},
		},
		OtherUSD: "0.1", OtherItems: []string{"Vector storage"},
	}, report.WithLedger(l).Compare())

	report.Complete = false
	assert.Zero(t, report.Compare())
}

// TestCompareFindsModels compares what line items in the forms of recorded bills name with the models of calls.
func TestCompareFindsModels(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		provider          models.Provider
		item, field, want string
	}{
		{models.OpenAI, "gpt-4o-mini-2024-07-18, input", "", "gpt-4o-mini"},
		{models.OpenAI, "gpt-6-astra, input_tokens", "", "gpt-6-astra"},
		{models.OpenAI, "gpt-image-2.5-flare image, output", "", "gpt-image-2.5-flare"},
		{models.OpenAI, "o3, cached input", "", "o3"},
		{models.OpenAI, "Vector storage", "", ""},
		{models.OpenAI, "Text tokens", "", ""},
		{models.OpenAI, "chat completions", "", ""},
		{models.OpenAI, "GPT-4o mini, input", "", ""},
		{models.OpenAI, "gpt-4o and gpt-4o-mini, storage", "", ""},
		{models.OpenAI, "claude-opus-4-8, input", "", ""},
		{models.Anthropic, "Claude Opus 4.8 Usage - Input Tokens", "claude-opus-4-8", "claude-opus-4-8"},
		{models.Anthropic, "Claude Haiku 4.5 Usage - Output Tokens", "claude-haiku-4-5-20251001", "claude-haiku-4-5"},
		{models.Anthropic, "Claude Opus 4.8 Usage - Input Tokens", "", ""},
		{models.Anthropic, "Web Search Usage", "", ""},
		{models.XAI, "Chat grok-3-mini", "", "grok-3-mini"},
		{models.XAI, "API grok-imagine-video-1.5", "", "grok-imagine-video-1.5"},
		{models.XAI, "File Storage", "", ""},
	} {
		report := discovery.ReconciliationReport[discovery.CostBucket]{Provider: row.provider, ActualUSD: 1.5, Complete: true, Buckets: []discovery.CostBucket{{
			TotalUSD: 1.5, LineItemBreakdown: map[string]float64{row.item: 1.5},
			RawResults: []json.RawMessage{[]byte(asJSON(t, map[string]string{"description": row.item, "model": row.field}))},
		}}}
		got := report.Compare()
		if row.want == "" {
			assert.Empty(t, got.Models, row.item)
			assert.Equal(t, []string{row.item}, got.OtherItems)
			continue
		}
		assert.Equal(t, []discovery.BillPart{{Name: row.want, BilledUSD: "1.5"}}, got.Models, row.item)
		assert.Empty(t, got.OtherItems)
	}
	team := discovery.ReconciliationReport[discovery.TeamCostBucket]{Provider: models.XAI, ActualUSD: 3, Complete: true, Buckets: []discovery.TeamCostBucket{{
		StartTime: "2026-05-01T00:00:00Z", EndTime: "2026-05-02T00:00:00Z", TotalUSD: 3,
		LineItems: []discovery.LineItem{{Description: "Chat grok-4.7", USD: 1}, {Description: "API grok-4.7", USD: 2}},
	}}}
	assert.Equal(t, []discovery.BillPart{{Name: "grok-4.7", BilledUSD: "3"}}, team.Compare().Models)
}
