package discovery_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/models"
)

// A comparison names the line items that no call has, so that a difference to the bill can be explained.
func TestReportNamesLineItemsBesideCalls(t *testing.T) {
	t.Parallel()
	report := discovery.ReconciliationReport[discovery.CostBucket]{
		Provider: models.OpenAI, ActualUSD: 1.5, AttributedUSD: ptr(1.0), Complete: true, Settled: true,
		Buckets: []discovery.CostBucket{
			{TotalUSD: 1.2, LineItemBreakdown: map[string]float64{"gpt-5.4, input": 1, "Vector storage": 0.1, "Code interpreter": 0.1, "": 0}},
			{StartTime: 86_400, EndTime: 172_800, TotalUSD: 0.3, LineItemBreakdown: map[string]float64{"Vector storage": 0.2, "web search tool calls": 0.1}},
		},
	}
	var text strings.Builder
	require.NoError(t, report.Table(&text))
	assert.Contains(t, text.String(), `not in any call: 0.4 USD of the bill are "Code interpreter", "Vector storage"`)

	sessions := discovery.ReconciliationReport[discovery.CostBucket]{
		Provider: models.Anthropic, ActualUSD: 0.45, AttributedUSD: ptr(0.37), Complete: true, Settled: true,
		Buckets: []discovery.CostBucket{{TotalUSD: 0.45, LineItemBreakdown: map[string]float64{"Web Search Usage": 0.37, "Session Usage": 0.08}}},
	}
	text.Reset()
	require.NoError(t, sessions.Table(&text))
	assert.Contains(t, text.String(), `not in any call: 0.08 USD of the bill are "Session Usage"`)

	sessions.AttributedUSD = nil
	text.Reset()
	require.NoError(t, sessions.Table(&text))
	assert.NotContains(t, text.String(), "not in any call")
}
