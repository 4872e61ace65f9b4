package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
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
