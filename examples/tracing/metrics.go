package main

import (
	"context"
	"strconv"
	"strings"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/semconv/v1.40.0/genaiconv"

	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// callMetrics are OpenTelemetry's GenAI metrics for model calls, and their cost. Pass
// record to [meter.WithRecorder].
type callMetrics struct {
	tokens   genaiconv.ClientTokenUsage
	duration genaiconv.ClientOperationDuration
	// cost is the known cost, and unpriced counts calls with unknown cost. cost is
	// complete only if unpriced is 0.
	cost     metric.Float64Counter
	unpriced metric.Int64Counter
}

func newCallMetrics(m metric.Meter) (c callMetrics, err error) {
	if c.tokens, err = genaiconv.NewClientTokenUsage(m); err != nil {
		return c, err
	}
	if c.duration, err = genaiconv.NewClientOperationDuration(m); err != nil {
		return c, err
	}
	c.cost, err = m.Float64Counter("mesh.client.cost", metric.WithUnit("{USD}"), metric.WithDescription("Known cost of calls in US dollars."))
	if err != nil {
		return c, err
	}
	c.unpriced, err = m.Int64Counter("mesh.client.unpriced", metric.WithUnit("{call}"), metric.WithDescription("Calls without a known cost."))
	return c, err
}

// record adds a call. Labels aren't attributes, because each user would become a time
// series.
func (c callMetrics) record(r calls.Record) {
	ctx, operation, provider := context.Background(), operationOf(r.Path), providerOf(r)
	model := attribute.String("gen_ai.response.model", r.Model)
	duration := []attribute.KeyValue{model}
	if r.Status >= 400 {
		duration = append(duration, attribute.String("error.type", strconv.Itoa(r.Status)))
	}
	c.duration.Record(ctx, r.Duration.Seconds(), operation, provider, duration...)
	if call, err := r.Call(); err == nil {
		input, output := sums(&call.Usage)
		c.tokens.Record(ctx, input, operation, provider, genaiconv.TokenTypeInput, model)
		c.tokens.Record(ctx, output, operation, provider, genaiconv.TokenTypeOutput, model)
	}
	of := metric.WithAttributes(model, attribute.String("gen_ai.provider.name", string(provider)))
	if r.USD == "" {
		c.unpriced.Add(ctx, 1, of)
		return
	}
	c.cost.Add(ctx, r.USD.Float64(), of) // for dashboards; meter.Spent and the records are exact
}

// sums returns all prompt tokens, including cached ones, and all answer tokens.
func sums(u *prices.Usage) (input, output int64) {
	input = u.Input + u.ToolInput + u.CacheRead + u.CacheWrite5m + u.CacheWrite1h + u.AudioInput + u.AudioCacheRead + u.ImageInput + u.ImageCacheRead + u.VideoInput + u.VideoCacheRead
	return input, u.Output + u.AudioOutput + u.ImageOutput
}

func operationOf(path string) genaiconv.OperationNameAttr {
	switch {
	case strings.Contains(path, "mbed"): // embeddings, embedContent
		return genaiconv.OperationNameEmbeddings
	case strings.Contains(path, ":"):
		return genaiconv.OperationNameGenerateContent
	}
	return genaiconv.OperationNameChat
}

// providerOf returns the semantic convention's name for the service that answered: the
// platform, if there is one.
func providerOf(r calls.Record) genaiconv.ProviderNameAttr {
	switch prices.Platform(r.Platform) {
	case prices.PlatformBedrock:
		return genaiconv.ProviderNameAWSBedrock
	case prices.PlatformVertex:
		return genaiconv.ProviderNameGCPVertexAI
	case prices.PlatformAzure:
		return genaiconv.ProviderNameAzureAIOpenAI
	case prices.PlatformOpenRouter: // the conventions have no name for it
		return genaiconv.ProviderNameAttr(r.Platform)
	}
	switch r.Provider {
	case models.Gemini:
		return genaiconv.ProviderNameGCPGemini
	case models.XAI:
		return genaiconv.ProviderNameXAI
	}
	return genaiconv.ProviderNameAttr(r.Provider) // the others have the same names
}
