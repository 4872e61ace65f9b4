package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"strings"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/bills"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/models"
)

// reconciliation is a discovery.ReconciliationReport for any provider.
type reconciliation interface {
	Table(io.Writer) error
	Compare(limitPercent float64) (*bills.Comparison, error)
}

// providers compare a provider's bill with calls.
var providers = map[models.Provider]func(*job, context.Context, []calls.Group) (reconciliation, error){
	models.OpenAI:    (*job).openAI,
	models.Anthropic: (*job).anthropic,
	models.XAI:       (*job).xAI,
}

func (j *job) openAI(ctx context.Context, counted []calls.Group) (reconciliation, error) {
	query := discovery.OpenAICostQuery{StartTime: j.from.Unix(), EndTime: j.to.Unix()}
	r, err := j.client.ReconcileOpenAICost(ctx, query, nil)
	if err != nil {
		return nil, err
	}
	return r.WithCalls(counted), nil
}

func (j *job) anthropic(ctx context.Context, counted []calls.Group) (reconciliation, error) {
	r, err := j.client.ReconcileAnthropicCost(ctx, discovery.AnthropicCostQuery{Start: j.from, End: j.to}, nil)
	if err != nil {
		return nil, err
	}
	return r.WithCalls(counted), nil
}

func (j *job) xAI(ctx context.Context, counted []calls.Group) (reconciliation, error) {
	query := discovery.XAICostQuery{StartTime: j.from.Format(time.DateOnly), EndTime: j.to.Format(time.DateOnly)}
	r, err := j.client.ReconcileXAICost(ctx, query, nil)
	if err != nil {
		return nil, err
	}
	return r.WithCalls(counted), nil
}

// compare prints a provider's report. It returns an error if the run should fail.
func (j *job) compare(ctx context.Context, provider models.Provider, counted []calls.Group) error {
	r, err := providers[provider](j, ctx, counted)
	if err != nil {
		return err
	}
	if err := r.Table(j.out); err != nil {
		return err
	}
	c, err := r.Compare(cmp.Or(j.drift, math.SmallestNonzeroFloat64)) // 0 means the bill's default
	if err != nil {
		return err
	}
	sentences := c.Sentences()
	fmt.Fprintln(j.out, strings.Join(sentences, "\n"))
	if !c.Within {
		return errors.New(sentences[0])
	}
	return nil
}

// count sums the calls for comparison with a bill. An unreadable line is an error,
// because its call would be missing.
func (j *job) count(ctx context.Context) ([]calls.Group, error) {
	prices, err := j.client.LivePrices(ctx, nil)
	if err != nil {
		return nil, err
	}
	sums, err := calls.Sum(calls.Options{By: [][]string{{calls.ByDay, calls.ByModel, calls.ByProvider, calls.ByPlatform, calls.ByBilling, calls.ByUnpriced}}, Prices: prices}, j.usage)
	if err != nil {
		return nil, err
	}
	for _, row := range sums[0] {
		if row.Unpriced > 0 {
			slog.Warn("calls have no known cost", "calls", row.Unpriced, "model", row.Value(calls.ByModel), "reason", row.Value(calls.ByUnpriced))
		}
	}
	return sums[0], nil
}
