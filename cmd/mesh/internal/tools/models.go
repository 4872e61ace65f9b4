package tools

import (
	"context"
	"time"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/providers"
	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/models"
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

// list lists models. A list that comes with a failure, such as that of a fallback, is a result.
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
	registry, err := t.models.Retirements(ctx)
	if registry == nil {
		return toolRetirement{}, err
	}
	status := registry.Check(p, in.Model, time.Now())
	return toolRetirement{string(status.State), status.Date, status.Replacement}, nil
}
