package discovery

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/mesh-gateway/mesh-go/discovery/internal/ptr"
	"github.com/mesh-gateway/mesh-go/gen/anthropic"
	"github.com/mesh-gateway/mesh-go/gen/deepseek"
	"github.com/mesh-gateway/mesh-go/gen/gemini"
	"github.com/mesh-gateway/mesh-go/gen/openai"
	"github.com/mesh-gateway/mesh-go/gen/xai"
)

// listModels returns a provider's own list for the catalog, or nothing without a key.
func (c *Client) listModels(ctx context.Context, p *providerInfo) ([]ModelInfo, *Failure) {
	r, failure := c.listRequest(ctx, "", p.services[0].service)
	if failure != nil || r == nil {
		return nil, failure
	}
	rows, failure := p.list(c, ctx, *r)
	if failure != nil {
		return nil, failure
	}
	if len(rows) == 0 {
		// proto3 omits what is empty, so that {} and {"error":…} decode as lists.
		return nil, r.undecodable(errNoModels)
	}
	for i := range rows {
		rows[i].fromProvider(p)
	}
	return rows, nil
}

var errNoModels = errors.New("the response lists no model")

// listRequest returns a request for a list of models, or nil when there is no key: a provider without a key is not a
// failure of a list that several providers contribute to.
func (c *Client) listRequest(ctx context.Context, operation string, service Service) (*request, *Failure) {
	key, err := c.key(ctx, service, Secret{})
	r := newRequest(operation, service, key, listTimeout)
	switch {
	case errors.Is(err, errNoKey):
		return nil, nil
	case err != nil:
		return nil, r.missingKey(err)
	}
	return &r, nil
}

// pageSize is the largest page that Anthropic and Google serve.
var pageSize int64 = 1000

// openAIModels returns OpenAI's models (GET /v1/models, not paged).
func (c *Client) openAIModels(ctx context.Context, r request) ([]openai.Model, *Failure) {
	list, failure := fetch[openai.ModelList](ctx, c, r, func(ctx context.Context) (*http.Response, error) {
		return c.apis.openai.ListModels(ctx, bearer(r.key))
	})
	return list.Data, failure
}

func (c *Client) listOpenAI(ctx context.Context, r request) ([]ModelInfo, *Failure) {
	models, failure := c.openAIModels(ctx, r)
	return mapped(models, func(m openai.Model) ModelInfo { return ModelInfo{ID: m.ID} }), failure
}

// listDeepSeek returns DeepSeek's models (GET /models, not paged).
func (c *Client) listDeepSeek(ctx context.Context, r request) ([]ModelInfo, *Failure) {
	list, failure := fetch[deepseek.ModelList](ctx, c, r, func(ctx context.Context) (*http.Response, error) {
		return c.apis.deepseek.ListModels(ctx, bearer(r.key))
	})
	return mapped(list.Data, func(m deepseek.Model) ModelInfo {
		return ModelInfo{ID: m.ID, Name: m.Name, ContextLength: m.ContextWindow, MaxTokens: m.MaxOutputTokens}
	}), failure
}

// anthropicModels returns Anthropic's models (GET /v1/models, paged). Without lifecycles these are the models that can be
// used: the active and the deprecated ones.
func (c *Client) anthropicModels(ctx context.Context, r request, lifecycles ...anthropic.ListModelsParamsLifecycle) ([]anthropic.Model, *Failure) {
	return pages(r, maxListPages, func(r request, cursor string) ([]anthropic.Model, string, *Failure) {
		params := &anthropic.ListModelsParams{
			Limit: &pageSize, AfterID: ptr.Of(cursor), Lifecycle: lifecycles,
			AnthropicVersion: anthropic.ListModelsParamsAnthropicVersionN20230601,
		}
		page, failure := fetch[anthropic.ModelPage](ctx, c, r, func(ctx context.Context) (*http.Response, error) {
			return c.apis.anthropic.ListModels(ctx, params, header("x-api-key", r.key.Reveal()))
		})
		if failure != nil || !page.HasMore {
			return page.Data, "", failure
		}
		if page.GetLastID() == "" {
			return nil, "", r.partial(errNoCursor)
		}
		return page.Data, page.GetLastID(), nil
	})
}

func (c *Client) listAnthropic(ctx context.Context, r request) ([]ModelInfo, *Failure) {
	models, failure := c.anthropicModels(ctx, r)
	return mapped(models, func(m anthropic.Model) ModelInfo {
		return ModelInfo{ID: m.ID, Name: m.DisplayName, ContextLength: m.MaxInputTokens, MaxTokens: m.MaxTokens}
	}), failure
}

// listGemini returns Google's models (GET /v1beta/models, paged). The last page has no token, or an empty one.
func (c *Client) listGemini(ctx context.Context, r request) ([]ModelInfo, *Failure) {
	models, failure := pages(r, maxListPages, func(r request, cursor string) ([]gemini.Model, string, *Failure) {
		params := &gemini.ListModelsParams{PageSize: &pageSize, PageToken: ptr.Of(cursor)}
		page, failure := fetch[gemini.ModelPage](ctx, c, r, func(ctx context.Context) (*http.Response, error) {
			return c.apis.gemini.ListModels(ctx, params, header("x-goog-api-key", r.key.Reveal()))
		})
		if failure == nil && isGoogleError(len(page.Models), page.GetNextPageToken(), page.AdditionalProperties) {
			failure = r.undecodable(errNoModels)
		}
		return page.Models, page.GetNextPageToken(), failure
	})
	return mapped(models, func(m gemini.Model) ModelInfo {
		info := ModelInfo{
			ID: strings.TrimPrefix(m.Name, "models/"), Name: m.DisplayName, Description: m.Description,
			ContextLength: m.InputTokenLimit, MaxTokens: m.OutputTokenLimit,
		}
		if methods := m.SupportedGenerationMethods; len(methods) > 0 {
			info.Type = &methods[0]
		}
		return info
	}), failure
}

// listXAI returns xAI's models (GET /v1/models, not paged).
func (c *Client) listXAI(ctx context.Context, r request) ([]ModelInfo, *Failure) {
	list, failure := fetch[xai.ModelList](ctx, c, r, func(ctx context.Context) (*http.Response, error) {
		return c.apis.xai.ListModels(ctx, bearer(r.key))
	})
	return mapped(list.Data, func(m xai.Model) ModelInfo {
		return ModelInfo{ID: m.ID, Aliases: m.Aliases, ContextLength: m.ContextLength}
	}), failure
}

// mapped returns a ModelInfo for every model of a list.
func mapped[T any](models []T, info func(T) ModelInfo) []ModelInfo {
	infos := make([]ModelInfo, len(models))
	for i, m := range models {
		infos[i] = info(m)
	}
	return infos
}
