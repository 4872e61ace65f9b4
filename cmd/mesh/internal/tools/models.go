package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/dates"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/factsfile"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/providers"
	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

type modelsArguments struct {
	Provider models.Provider `json:"provider,omitempty"`
	ID       string          `json:"id,omitempty" jsonschema:"only the model with this id or alias"`
	skipArguments
}

type toolModels struct {
	Models   []toolModel `json:"models"`
	NextSkip int         `json:"next_skip,omitempty"`
}

type toolModel struct {
	ID            string `json:"id"`
	Developer     string `json:"developer"`
	ContextLength *int64 `json:"context_length"`
	MaxTokens     *int64 `json:"max_tokens"`
}

// list ignores a failure if the answer still has models, such as a fallback list.
func (t *meshTools) list(ctx context.Context, in modelsArguments) (toolModels, error) {
	opts := discovery.CatalogOptions{Provider: in.Provider}
	var found []discovery.ModelInfo
	var err error
	if in.ID == "" {
		found, err = t.models.ListModels(ctx, opts)
	} else if info, failure := t.models.GetModelInfo(ctx, in.ID, opts); info != nil {
		found = []discovery.ModelInfo{*info}
	} else {
		err = failure
	}
	items, next := part(found, in.Skip, func(m discovery.ModelInfo) toolModel {
		return toolModel{m.ID, m.Developer, m.ContextLength, m.MaxTokens}
	})
	if len(found) > 0 {
		err = nil
	}
	return toolModels{items, next}, err
}

type modelArguments struct {
	Model    string          `json:"model"`
	Provider models.Provider `json:"provider,omitempty" jsonschema:"default: determined from the id"`
}

type toolRetirement struct {
	State       string `json:"state"`
	Date        string `json:"date,omitempty"`
	Replacement string `json:"replacement,omitempty"`
}

func (t *meshTools) retirement(ctx context.Context, in modelArguments) (toolRetirement, error) {
	p, err := providers.Of(string(in.Provider), in.Model)
	if err != nil {
		return toolRetirement{}, err
	}
	registry, _ := t.models.Retirements(ctx) // without a provider's answer, the facts have the date
	status := registry.Check(p, in.Model, time.Now())
	return toolRetirement{string(status.State), status.Date, status.Replacement}, nil
}

type toolPrices struct {
	Provider models.Provider `json:"provider"`
	Prices   []toolPrice     `json:"prices"`
}

// toolPrice is a row of mesh prices -o json, reduced for agents.
type toolPrice struct {
	Model        string   `json:"model_hint"`
	Input        *float64 `json:"input_per_mtok"`
	Output       *float64 `json:"output_per_mtok"`
	CacheRead    *float64 `json:"cache_read_per_mtok"`
	CacheWrite5m *float64 `json:"cache_write_5m_per_mtok"`
	CacheWrite1h *float64 `json:"cache_write_1h_per_mtok"`
	PromptFrom   int64    `json:"tier_threshold_tokens"`
	Mode         string   `json:"mode"`
	Modality     string   `json:"modality"`
	From         *string  `json:"valid_from"`
	Until        *string  `json:"valid_until"`
	VerifiedAt   *string  `json:"verified_at"`
}

func toolPriceOf(p discovery.ProviderPricing) toolPrice {
	return toolPrice{
		p.ModelHint, p.InputPerMTok, p.OutputPerMTok, p.CacheReadPerMTok, p.CacheWrite5mPerMTok, p.CacheWrite1hPerMTok,
		p.TierThresholdTokens, p.Mode, p.Modality, p.ValidFrom, p.ValidUntil, p.VerifiedAt,
	}
}

type priced struct {
	Model    string `json:"model"`
	Provider string `json:"provider,omitempty" jsonschema:"or a name from your price file; default: determined from the id"`
}

// find also searches the user's own prices. It returns the provider that has the model.
func (in priced) find() (*prices.List, models.Registry, models.Provider, error) {
	f, _, _ := factsfile.Load() // if the stored facts are damaged, mesh prices says so
	list, err := factsfile.WithPrices(prices.Of(f), factsfile.PriceFiles())
	if err != nil {
		return nil, models.Registry{}, "", fmt.Errorf("%s: %w", factsfile.PricesVariable, err)
	}
	registry := models.Of(f)
	p, err := providers.Priced(list, registry, in.Provider, in.Model)
	return list, registry, p, err
}

func listPrices(_ context.Context, in priced) (toolPrices, error) {
	list, registry, p, err := in.find()
	if err != nil {
		return toolPrices{}, err
	}
	rows := list.ForModel(p, in.Model)
	if len(rows) == 0 {
		return toolPrices{}, providers.Unlisted(list, registry, p, in.Model)
	}
	out := toolPrices{Provider: p}
	for _, row := range rows {
		out.Prices = append(out.Prices, toolPriceOf(discovery.PricingOf(row)))
	}
	return out, nil
}

type costArguments struct {
	priced
	Usage json.RawMessage `json:"usage" jsonschema:"the response's usage object, unchanged"`
	At    string          `json:"at,omitempty" jsonschema:"RFC 3339 time of the call; default now"`
	Mode  string          `json:"mode,omitempty" jsonschema:"batch, flex, priority or another mode that changes the price"`
}

type toolCost struct {
	Known  bool       `json:"known"`
	USD    prices.USD `json:"usd,omitempty" jsonschema:"exact decimal"`
	Reason string     `json:"reason,omitempty" jsonschema:"the reason if known is false"`
}

func computeCost(_ context.Context, in costArguments) (toolCost, error) {
	list, _, p, err := in.find()
	if err != nil {
		return toolCost{}, err
	}
	at, err := dates.Time(in.At)
	if err != nil {
		return toolCost{}, err
	}
	if at.IsZero() {
		at = time.Now()
	}
	call, err := calls.Record{Provider: p, Model: in.Model, Usage: in.Usage, Time: at, Mode: in.Mode}.Call()
	if err != nil {
		return toolCost{}, err
	}
	usd, err := list.USDOf(call)
	switch {
	case errors.Is(err, prices.ErrUnpriced):
		return toolCost{Reason: explain(err)}, nil
	case err != nil:
		return toolCost{}, err
	}
	return toolCost{Known: true, USD: usd}, nil
}
