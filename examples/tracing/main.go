// Command tracing sends a message and calls a model with OpenTelemetry. Each gateway
// request becomes a span, a child of the caller's span. Each provider call is measured in
// the GenAI metrics and by its cost (metrics.go).
//
//	cd examples/tracing && GOWORK=off go run .
//
// The SDK needs no support for this: [client.WithHTTPClient] and
// [discovery.WithHTTPClient] take a client with otelhttp's transport. Spans have the
// method, address, status and duration, but no token, which is in a header, and no
// message content, which is in a body. Addresses contain node names.
//
// Spans and metrics are printed to standard output. A real program exports them, for
// example with otlptracehttp.
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

// call calls an OpenAI model through a meter. An official SDK takes the same client.
func call(ctx context.Context, provider *metric.MeterProvider, s *discoverytest.Server) error {
	calls, err := newCallMetrics(provider.Meter("example"))
	if err != nil {
		return err
	}
	host := strings.TrimPrefix(s.URL, "http://") // not needed for official hosts
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
		span.RecordError(err) // SDK errors contain no token or credential
		span.SetStatus(codes.Error, "")
	}
	return err
}

// tracedClient returns a client that makes a span for each request, and sends the trace
// context to the gateway.
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

// numbers matches message ids. They are removed from span names, so that an operation has
// one name.
var numbers = regexp.MustCompile(`/\d+`)
