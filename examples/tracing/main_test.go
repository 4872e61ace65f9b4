package main

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
)

// record returns a provider, and an exporter that keeps its ended spans.
func record() (*trace.TracerProvider, *tracetest.InMemoryExporter) {
	spans := tracetest.NewInMemoryExporter()
	return trace.NewTracerProvider(trace.WithSyncer(spans)), spans
}

func TestEachRequestIsASpan(t *testing.T) {
	t.Parallel()
	g := gatewaytest.New(t, gatewaytest.WithPeers("node-b"), gatewaytest.WithToken("a-token-of-the-test"))
	provider, spans := record()
	require.NoError(t, send(t.Context(), provider, g.Options()...))

	ended := spans.GetSpans()
	require.Len(t, ended, 3)
	for i, want := range []string{"GET /gateway/peers", "POST /gateway/messages", "report the build"} {
		assert.Equal(t, want, ended[i].Name)
		assert.Equal(t, ended[2].SpanContext.TraceID(), ended[i].SpanContext.TraceID())
	}
	for i, r := range g.Requests(gatewaytest.ListPeers, gatewaytest.SendMessage) {
		parent := r.Header.Get("Traceparent")
		assert.Contains(t, parent, ended[i].SpanContext.SpanID().String(), "the gateway can continue the trace")
		assert.Equal(t, ended[2].SpanContext.SpanID(), ended[i].Parent.SpanID())
	}
	shown := fmt.Sprintf("%+v", ended)
	assert.Contains(t, shown, "http.response.status_code")
	assert.NotContains(t, shown, "a-token-of-the-test")
	assert.NotContains(t, shown, "The build is green.")
}

func TestRefusalIsInTheSpan(t *testing.T) {
	t.Parallel()
	g := gatewaytest.New(t, gatewaytest.WithPeers("node-b"))
	g.Fail(gatewaytest.SendMessage, gatewaytest.Fault{Status: 503})
	provider, spans := record()
	require.Error(t, send(t.Context(), provider, g.Options()...))
	ended := spans.GetSpans()
	require.Len(t, ended, 3)
	assert.Equal(t, "Error", ended[1].Status.Code.String())
	assert.Equal(t, "Error", ended[2].Status.Code.String())
	assert.Len(t, ended[2].Events, 1)
}

func TestSpansOfAnOperationHaveOneName(t *testing.T) {
	t.Parallel()
	g := gatewaytest.New(t)
	provider, spans := record()
	c, err := client.New("node-a", append(g.Options(), client.WithHTTPClient(tracedClient(provider)))...)
	require.NoError(t, err)
	defer c.Close()
	require.NoError(t, c.MarkRead(t.Context(), g.Store("node-b", "node-a", "fyi", "hello")))
	require.Len(t, spans.GetSpans(), 1)
	assert.Equal(t, "POST /gateway/messages/{id}/read", spans.GetSpans()[0].Name)
}
