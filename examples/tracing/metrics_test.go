package main

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/discoverytest"
	"github.com/mesh-gateway/mesh-go/discovery/models"
)

func TestCallsBecomeMetrics(t *testing.T) {
	t.Parallel()
	s := discoverytest.New(t)
	reader := metric.NewManualReader()
	provider := metric.NewMeterProvider(metric.WithReader(reader))
	s.Fail(discoverytest.CreateOpenAIChat, discoverytest.Fault{Status: 429})
	require.NoError(t, call(t.Context(), provider, s))
	require.NoError(t, call(t.Context(), provider, s))
	s.SetCompletion(discoverytest.CreateOpenAIChat, discoverytest.Completion{Model: "no-such-model"})
	require.NoError(t, call(t.Context(), provider, s))
	var got metricdata.ResourceMetrics
	require.NoError(t, reader.Collect(t.Context(), &got))
	require.Len(t, got.ScopeMetrics, 1)
	data := map[string]metricdata.Aggregation{}
	for _, one := range got.ScopeMetrics[0].Metrics {
		data[one.Name] = one.Data
	}
	cost := data["mesh.client.cost"].(metricdata.Sum[float64])
	require.Len(t, cost.DataPoints, 1)
	assert.InDelta(t, 0.00045, cost.DataPoints[0].Value, 1e-12)
	unpriced := data["mesh.client.unpriced"].(metricdata.Sum[int64])
	require.Len(t, unpriced.DataPoints, 1)
	assert.EqualValues(t, 1, unpriced.DataPoints[0].Value)
	tokens := map[string]int64{}
	for _, point := range data["gen_ai.client.token.usage"].(metricdata.Histogram[int64]).DataPoints {
		kind, _ := point.Attributes.Value(attribute.Key("gen_ai.token.type"))
		tokens[kind.AsString()] += point.Sum
	}
	assert.Equal(t, map[string]int64{"input": 200, "output": 40}, tokens)
	durations := data["gen_ai.client.operation.duration"].(metricdata.Histogram[float64]).DataPoints
	require.Len(t, durations, 3, "with error.type 429, and for the two models")
	shown := fmt.Sprintf("%+v", got)
	for _, absent := range []string{"Is the build green?", "an-example-key"} {
		assert.NotContains(t, shown, absent)
	}
	require.NoError(t, provider.Shutdown(t.Context()))
}

func TestNamesOfTheConventions(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"/v1/chat/completions": "chat", "/v1/messages": "chat", "/v1/responses": "chat", "/v1/embeddings": "embeddings",
		"/v1beta/models/m:generateContent": "generate_content", "/v1beta/models/m:batchEmbedContents": "embeddings",
	} {
		assert.EqualValues(t, want, operationOf(path), path)
	}
	for p, want := range map[models.Provider]string{"openai": "openai", "anthropic": "anthropic", "deepseek": "deepseek", "gemini": "gcp.gemini", "xai": "x_ai"} {
		assert.EqualValues(t, want, providerOf(calls.Record{Provider: p}))
	}
	for platform, want := range map[string]string{"bedrock": "aws.bedrock", "vertex": "gcp.vertex_ai", "azure": "azure.ai.openai", "openrouter": "openrouter"} {
		assert.EqualValues(t, want, providerOf(calls.Record{Provider: models.Anthropic, Platform: platform}))
	}
}
