package tools

import (
	"context"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/providers"
	"github.com/mesh-gateway/mesh-go/discovery"
)

// modelTools are the tools for models. The client reports failures as errors; a result that comes with a failure, such as the
// list of a fallback, is a result.
type modelTools struct{ client *discovery.Client }

func addModelTools(server *mcp.Server, t *modelTools) {
	add(server, "models", "List models",
		"List the models of the catalog, those of one provider, or the one with an id or alias. null means unknown.", t.list, reads)
	add(server, "model_retirement", "Retirement of a model",
		"Report whether a model is retired, retiring, deprecated (no date yet), listed (no date known) or unknown, with date and replacement.", t.retirement, reads)
}

type modelsArguments struct {
	Provider providerName `json:"provider,omitempty"`
	ID       string       `json:"id,omitempty" jsonschema:"only the model with this id or alias"`
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

func (t *modelTools) list(ctx context.Context, in modelsArguments) (toolModels, error) {
	opts, err := providers.Catalog(string(in.Provider))
	if err != nil {
		return toolModels{}, err
	}
	var models []discovery.ModelInfo
	if in.ID == "" {
		models, err = t.client.ListModels(ctx, opts)
	} else if info, failure := t.client.GetModelInfo(ctx, in.ID, opts); info != nil {
		models = []discovery.ModelInfo{*info}
	} else {
		err = failure
	}
	items, next := part(models, in.Skip, func(m discovery.ModelInfo) toolModel {
		return toolModel{m.ID, m.Developer, m.ContextLength, m.MaxTokens}
	})
	if len(models) > 0 {
		err = nil
	}
	return toolModels{items, next}, err
}

type modelArguments struct {
	Model    string       `json:"model"`
	Provider providerName `json:"provider,omitempty" jsonschema:"default: determined from the id"`
}

type toolRetirement struct {
	State       string `json:"state"`
	Date        string `json:"date,omitempty"`
	Replacement string `json:"replacement,omitempty"`
}

func (t *modelTools) retirement(ctx context.Context, in modelArguments) (toolRetirement, error) {
	p, err := providers.Of(string(in.Provider), in.Model)
	if err != nil {
		return toolRetirement{}, err
	}
	registry, err := t.client.Retirements(ctx)
	if registry == nil {
		return toolRetirement{}, err
	}
	status := registry.Check(p, in.Model, time.Now())
	return toolRetirement{string(status.State), status.Date, status.Replacement}, nil
}
