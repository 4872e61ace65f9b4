// Command tracing sends a message and calls a model with OpenTelemetry: each request to the gateway becomes a span, as a child of
// the caller's own, and each call to a provider a measurement of the GenAI metrics and of its cost (metrics.go).
//
//	cd examples/tracing && GOWORK=off go run .
//
// The SDK needs nothing for this: [client.WithHTTPClient] and [discovery.WithHTTPClient] take a client whose transport is
// otelhttp's. The spans have the method, the address, the status and the duration. They have no token, which is in a header,
// and no content of messages, which is in a body. The names of nodes are in addresses.
//
// The spans and metrics are printed on the standard output. A real program exports them, with otlptracehttp for example.
package main

import (
	"context"
	"errors"
	"io"
	"log"
	"net/http"
	"regexp"
	"strings"
	"time"

	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/stdout/stdoutmetric"
	"go.opentelemetry.io/otel/exporters/stdout/stdouttrace"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/trace"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/client/gatewaytest"
	"github.com/mesh-gateway/mesh-go/discovery/discoverytest"
	"github.com/mesh-gateway/mesh-go/discovery/meter"
	"github.com/mesh-gateway/mesh-go/discovery/models"
)

func main() {
	exporter, err := stdouttrace.New(stdouttrace.WithPrettyPrint())
	if err != nil {
		log.Fatal(err)
	}
	provider := trace.NewTracerProvider(trace.WithBatcher(exporter))
	gateway := gatewaytest.Start(gatewaytest.WithPeers("node-b"))
	err = send(context.Background(), provider, gateway.Options()...)
	gateway.Close()
	if err := errors.Join(err, provider.Shutdown(context.Background())); err != nil { // Shutdown exports what is left
		log.Fatal(err)
	}
	printer, err := stdoutmetric.New(stdoutmetric.WithPrettyPrint())
	if err != nil {
		log.Fatal(err)
	}
	metrics := metric.NewMeterProvider(metric.WithReader(metric.NewPeriodicReader(printer)))
	server := discoverytest.Start()
	err = call(context.Background(), metrics, server)
	server.Close()
	if err := errors.Join(err, metrics.Shutdown(context.Background())); err != nil {
		log.Fatal(err)
	}
}

// call calls a model of OpenAI through a meter. An official SDK takes the same client.
func call(ctx context.Context, provider *metric.MeterProvider, s *discoverytest.Server) error {
	calls, err := newCallMetrics(provider.Meter("example"))
	if err != nil {
		return err
	}
	host := strings.TrimPrefix(s.URL, "http://") // the official hosts are known
	m, err := meter.New(meter.WithEndpoint(meter.Endpoint{Host: host, API: models.OpenAI}), meter.WithRecorder(calls.record))
	if err != nil {
		return err
	}
	body := strings.NewReader(`{"model":"gpt-4o","messages":[{"role":"user","content":"Is the build green?"}]}`)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL+"/openai/v1/chat/completions", body)
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer an-example-key")
	res, err := m.Client().Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	_, err = io.Copy(io.Discard, res.Body)
	return err
}

// send sends a message within a span of its own.
func send(ctx context.Context, provider *trace.TracerProvider, opts ...client.Option) error {
	c, err := client.New("node-a", append(opts, client.WithHTTPClient(tracedClient(provider)))...)
	if err != nil {
		return err
	}
	defer c.Close()
	ctx, span := provider.Tracer("example").Start(ctx, "report the build")
	defer span.End()
	_, err = c.Send(ctx, client.SendRequest{To: "node-b", Kind: client.KindFYI, Content: "The build is green."})
	if err != nil {
		span.RecordError(err) // an error of the SDK has no token and no credential either
		span.SetStatus(codes.Error, "")
	}
	return err
}

// tracedClient returns a client whose requests are spans, and that sends the trace context to the gateway.
func tracedClient(provider *trace.TracerProvider) *http.Client {
	base := http.DefaultTransport.(*http.Transport).Clone()
	base.IdleConnTimeout = 4 * time.Second // the gateway closes idle connections after five
	return &http.Client{Transport: otelhttp.NewTransport(base,
		otelhttp.WithTracerProvider(provider),
		otelhttp.WithPropagators(propagation.TraceContext{}),
		otelhttp.WithSpanNameFormatter(func(_ string, r *http.Request) string {
			return r.Method + " " + numbers.ReplaceAllString(r.URL.Path, "/{id}")
		}),
	)}
}

// numbers are the ids of messages. A span name has none, so that the spans of an operation have one name.
var numbers = regexp.MustCompile(`/\d+`)
