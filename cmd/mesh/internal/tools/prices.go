package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/dates"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/pricefile"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/providers"
	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/calls"
	"github.com/mesh-gateway/mesh-go/discovery/models"
	"github.com/mesh-gateway/mesh-go/discovery/prices"
)

// addPriceTools adds the tools for prices. They use the stored or built-in table with the user's own prices, and send nothing.
func addPriceTools(server *mcp.Server) {
	add(server, "model_price", "Price of a model",
		"List the prices of a model in USD per million tokens. null means unknown, not free.", listPrices, reads, locally)
	add(server, "call_cost", "Cost of a call",
		"Compute the exact cost of a call from the usage object of its response. known is false, with a reason, if a price is missing.", computeCost, reads, locally)
}

type toolPrices struct {
	Prices []toolPrice `json:"prices"`
}

type toolPrice struct {
	Model               string   `json:"model"`
	Mode                string   `json:"mode" jsonschema:"standard, priority, or for DeepSeek peak or off-peak"`
	Modality            string   `json:"modality" jsonschema:"text, audio or image: the tokens of this price"`
	TierThresholdTokens int64    `json:"tier_threshold_tokens" jsonschema:"shortest prompt of this price, in tokens"`
	InputPerMTok        *float64 `json:"input_per_mtok"`
	CacheReadPerMTok    *float64 `json:"cache_read_per_mtok"`
	CacheWrite5mPerMTok *float64 `json:"cache_write_5m_per_mtok"`
	CacheWrite1hPerMTok *float64 `json:"cache_write_1h_per_mtok"`
	OutputPerMTok       *float64 `json:"output_per_mtok"`
	ValidFrom           *string  `json:"valid_from"`
	ValidUntil          *string  `json:"valid_until" jsonschema:"first day after the period"`
	Source              string   `json:"source"`
}

// priced are the arguments of a model with prices.
type priced struct {
	Model    string `json:"model"`
	Provider string `json:"provider,omitempty" jsonschema:"or a name of your prices; default: determined from the id"`
}

// find returns the price list, and the provider of the model in it.
func (in priced) find() (*prices.List, models.Provider, error) {
	list, _, _ := pricefile.Load() // mesh prices reports a damaged file
	list, err := pricefile.WithFiles(list, pricefile.OwnNames())
	if err != nil {
		return nil, "", fmt.Errorf("%s: %w", pricefile.OwnVariable, err)
	}
	p, err := providers.Priced(list, in.Provider, in.Model)
	return list, p, err
}

func listPrices(_ context.Context, in priced) (toolPrices, error) {
	list, p, err := in.find()
	if err != nil {
		return toolPrices{}, err
	}
	prices := list.ForModel(p, in.Model)
	out := toolPrices{make([]toolPrice, len(prices))}
	for i := range prices {
		r := discovery.PricingOf(prices[i])
		out.Prices[i] = toolPrice{
			r.ModelHint, r.Mode, r.Modality, r.TierThresholdTokens, r.InputPerMTok, r.CacheReadPerMTok, r.CacheWrite5mPerMTok, r.CacheWrite1hPerMTok,
			r.OutputPerMTok, r.ValidFrom, r.ValidUntil, r.Source,
		}
	}
	return out, nil
}

type costArguments struct {
	priced
	Usage json.RawMessage `json:"usage" jsonschema:"the usage object of the response, unchanged"`
	At    string          `json:"at,omitempty" jsonschema:"RFC 3339 time of the call; default now"`
	Mode  string          `json:"mode,omitempty" jsonschema:"batch, flex, priority or another mode that changes the price"`
}

type toolCost struct {
	Known  bool   `json:"known"`
	USD    string `json:"usd,omitempty" jsonschema:"exact decimal"`
	Reason string `json:"reason,omitempty" jsonschema:"why the cost is not known"`
}

func computeCost(_ context.Context, in costArguments) (toolCost, error) {
	list, p, err := in.find()
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
	cost, err := list.CostOf(call)
	switch {
	case errors.Is(err, prices.ErrUnpriced):
		return toolCost{Reason: explain(err)}, nil
	case err != nil:
		return toolCost{}, err
	}
	return toolCost{Known: true, USD: cost.USD}, nil
}
