package discovery

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery/internal/modelid"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/gen/anthropic"
	"github.com/mesh-gateway/mesh-go/internal/calendar"
)

// Retirements returns the registry from [WithFacts], updated with dates that providers
// report now: shutdown_date from OpenAI, and lifecycle and retires_at from Anthropic.
// Live data takes precedence:
//
//   - An active model without a date has no entry.
//   - A model that is still served after its date is "deprecated".
//   - A retired model without a past date gets the built-in date if that has passed, or
//     else yesterday.
//   - An alias gets the date of the newest build that has the same date in the registry.
//   - A null from OpenAI changes nothing.
//
// It uses the keys for [ServiceOpenAI] and [ServiceAnthropic]. A provider adds nothing if
// its key isn't set, or if it fails, which is reported as a [Failure].
func (c *Client) Retirements(ctx context.Context) (models.Registry, error) {
	if err := c.ready(ctx); err != nil {
		return models.Registry{}, err
	}
	live, failures := make([]dates, len(liveSources)), make([]*Failure, len(liveSources))
	var all sync.WaitGroup
	for i, source := range liveSources {
		all.Go(func() {
			r, failure := c.listRequest(ctx, "Retirements", source.service)
			if failure == nil && r != nil {
				live[i], failure = source.read(c, ctx, *r)
			}
			failures[i] = failure
		})
	}
	all.Wait()
	merged := models.Of(c.facts)
	var errs []error
	for i, failure := range failures {
		if failure != nil {
			errs = append(errs, c.report(ctx, failure))
			continue
		}
		merged = mergeRetirements(merged, live[i])
	}
	return merged, errors.Join(errs...)
}

// dates maps models to live entries; "" means active without a date.
type dates map[models.ModelKey]string

// liveSources are services that report retirement dates.
var liveSources = []struct {
	service Service
	read    func(*Client, context.Context, request) (dates, *Failure)
}{
	{ServiceOpenAI, (*Client).openAIRetirements},
	{ServiceAnthropic, (*Client).anthropicRetirements},
}

// openAIRetirements ignores values that aren't dates.
func (c *Client) openAIRetirements(ctx context.Context, r request) (dates, *Failure) {
	list, failure := c.openAIModels(ctx, r)
	live := make(dates)
	for _, m := range list {
		if m.ShutdownDate == nil {
			continue
		}
		if date, err := time.Parse(time.DateOnly, *m.ShutdownDate); err == nil {
			live[models.ModelKey{Provider: models.OpenAI, ID: m.ID}] = date.Format(time.DateOnly)
		}
	}
	return live, failure
}

func (c *Client) anthropicRetirements(ctx context.Context, r request) (dates, *Failure) {
	list, failure := c.anthropicModels(ctx, r,
		anthropic.ListModelsParamsLifecycleActive, anthropic.ListModelsParamsLifecycleDeprecated, anthropic.ListModelsParamsLifecycleRetired)
	live, known, today := make(dates), models.Of(c.facts), calendar.Date(time.Now())
	for _, m := range list {
		if entry, ok := anthropicRetirement(m, known, today); ok {
			live[models.ModelKey{Provider: models.Anthropic, ID: m.ID}] = entry
		}
	}
	return live, failure
}

// anthropicRetirement returns a model's live entry, or "" if it's active without a date.
// The lifecycle decides, not a past date: a model that is still served after its date is
// overdue. It reports false if the response has neither.
func anthropicRetirement(m anthropic.Model, known models.Registry, today time.Time) (string, bool) {
	lifecycle := m.GetLifecycle()
	date, dated := retiresOn(m)
	past := dated && date.Before(today)
	switch {
	case lifecycle == "retired" && !past:
		return lastDay(known, m.ID, today), true
	case past && (lifecycle == "active" || lifecycle == models.Deprecated):
		return models.Deprecated, true
	case dated:
		return date.Format(time.DateOnly), true
	case lifecycle == models.Deprecated:
		return models.Deprecated, true
	}
	return "", lifecycle == "active" && m.RetiresAt == nil
}

// lastDay returns a date for a retired model with no live date: the known date if it has
// passed, or else yesterday.
func lastDay(known models.Registry, id string, today time.Time) string {
	if known.IsRetiredOn(models.Anthropic, id, today) {
		date, _ := known.RetirementDate(models.Anthropic, id)
		return date
	}
	return today.AddDate(0, 0, -1).Format(time.DateOnly)
}

func retiresOn(m anthropic.Model) (time.Time, bool) {
	at, err := time.Parse(time.RFC3339, m.GetRetiresAt())
	return calendar.Date(at), err == nil
}

// mergeRetirements returns a copy of r with the entries from live. An empty live entry
// deletes r's entry. Aliases follow the newest build that shares their date in r, unless
// live has the alias itself. Keys in live must be the providers' own ids.
func mergeRetirements(r models.Registry, live dates) models.Registry {
	aliases, entries := aliasesOf(r), dates{}
	for key, date := range live {
		entries[key] = date
		for _, alias := range aliases[key] {
			if _, has := live[alias]; !has {
				entries[alias] = date
			}
		}
	}
	return r.With(entries)
}

// aliasesOf maps each build to the ids without a build that follow it: the newest build
// with the same date.
func aliasesOf(r models.Registry) map[models.ModelKey][]models.ModelKey {
	type line struct {
		model models.ModelKey // without a build
		date  string
	}
	newest, unbuilt := make(map[line]models.ModelKey), make(map[models.ModelKey]line)
	for key, date := range r.All() {
		l := line{models.ModelKey{Provider: key.Provider, ID: models.NormalizeModelID(key.Provider, key.ID)}, date}
		if modelid.Last(modelid.RulesOf(key.Provider).Spellings(key.ID)) == l.model.ID {
			unbuilt[key] = l
		} else if newest[l].ID < key.ID {
			newest[l] = key
		}
	}
	index := make(map[models.ModelKey][]models.ModelKey)
	for alias, l := range unbuilt {
		if build, ok := newest[l]; ok {
			index[build] = append(index[build], alias)
		}
	}
	return index
}
