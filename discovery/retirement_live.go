package discovery

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/mesh-gateway/mesh-go/gen/anthropic"
)

const opRetirements = "Retirements"

// Retirements returns the built-in registry merged with what the providers say today: the shutdown_date of OpenAI's models,
// and the lifecycle and retires_at of Anthropic's. What they say wins: they know better than any table (WIRE.md section
// 10). The registry is the caller's own.
//
// OPENAI_API_KEY and ANTHROPIC_API_KEY are read from the environment; a provider without a key adds nothing, one that fails
// adds nothing and is reported as a [Failure].
func (c *Client) Retirements(ctx context.Context) (Registry, error) {
	live, errs := make([]Registry, len(liveSources)), make([]error, len(liveSources))
	var all sync.WaitGroup
	for i, source := range liveSources {
		all.Go(func() {
			r, failure := c.listRequest(ctx, opRetirements, source.service)
			if failure == nil && r != nil {
				live[i], failure = source.read(c, ctx, *r)
			}
			if failure != nil {
				live[i], errs[i] = nil, c.report(ctx, failure)
			}
		})
	}
	all.Wait()
	merged := Retirements()
	for _, registry := range live {
		merged = merged.merge(registry)
	}
	return merged, errors.Join(errs...)
}

// liveSources are the services that report when their models retire.
var liveSources = []struct {
	service Service
	read    func(*Client, context.Context, request) (Registry, *Failure)
}{
	{ServiceOpenAI, (*Client).openAIRetirements},
	{ServiceAnthropic, (*Client).anthropicRetirements},
}

// openAIRetirements reads the shutdown dates. A text that is no date is no entry (WIRE.md, surprise 10).
func (c *Client) openAIRetirements(ctx context.Context, r request) (Registry, *Failure) {
	models, failure := c.openAIModels(ctx, r)
	live := make(Registry)
	for _, m := range models {
		if m.ShutdownDate == nil {
			continue
		}
		if date, err := time.Parse(time.DateOnly, *m.ShutdownDate); err == nil {
			live[ModelKey{OpenAI, m.ID}] = date.Format(time.DateOnly)
		}
	}
	return live, failure
}

func (c *Client) anthropicRetirements(ctx context.Context, r request) (Registry, *Failure) {
	models, failure := c.anthropicModels(ctx, r,
		anthropic.ListModelsParamsLifecycleActive, anthropic.ListModelsParamsLifecycleDeprecated, anthropic.ListModelsParamsLifecycleRetired)
	live, today := make(Registry), dayOf(time.Now())
	for _, m := range models {
		if text := anthropicRetirement(m, today); text != "" {
			live[ModelKey{Anthropic, m.ID}] = text
		}
	}
	return live, failure
}

// anthropicRetirement returns the entry for a model, "" for none. The lifecycle is what counts, not a date in the past
// (WIRE.md section 5): a model that is still served after its date is only deprecated, and one that has gone without a
// date has gone yesterday at the latest.
func anthropicRetirement(m anthropic.Model, today time.Time) string {
	lifecycle := ""
	if m.Lifecycle != nil {
		lifecycle = *m.Lifecycle
	}
	date, dated := retiresOn(m)
	gone := dated && date.Before(today)
	switch {
	case lifecycle == "retired" && !gone:
		return today.AddDate(0, 0, -1).Format(time.DateOnly)
	case dated && gone && (lifecycle == "active" || lifecycle == deprecated):
		return deprecated
	case dated:
		return date.Format(time.DateOnly)
	case lifecycle == deprecated:
		return deprecated
	}
	return ""
}

func retiresOn(m anthropic.Model) (time.Time, bool) {
	if m.RetiresAt == nil {
		return time.Time{}, false
	}
	at, err := time.Parse(time.RFC3339, *m.RetiresAt)
	return dayOf(at), err == nil
}
