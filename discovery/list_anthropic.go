package discovery

import (
	"context"
	"net/http"

	"github.com/mesh-gateway/mesh-go/gen/anthropic"
)

// anthropicModels asks for Anthropic's models, page after page (GET /v1/models; WIRE.md section 5). Without lifecycles it
// lists what can be used: active and deprecated models.
func (c *Client) anthropicModels(ctx context.Context, q question, lifecycles ...anthropic.ListModelsParamsLifecycle) ([]anthropic.Model, *Failure) {
	api := &anthropic.Client{
		Server: c.baseURLs[ServiceAnthropic] + "/", Client: c.http,
		RequestEditors: []anthropic.RequestEditorFn{edit("x-api-key", q.key.Reveal())},
	}
	limit := int64(1000)
	return pages(q, func(cursor string) ([]anthropic.Model, string, *Failure) {
		params := &anthropic.ListModelsParams{
			Limit: &limit, AfterID: known(&cursor), Lifecycle: lifecycles,
			AnthropicVersion: anthropic.ListModelsParamsAnthropicVersionN20230601,
		}
		page, failure := ask[anthropic.ModelPage](ctx, c, q, func(ctx context.Context) (*http.Response, error) { return api.ListModels(ctx, params) })
		if failure != nil || !page.HasMore {
			return page.Data, "", failure
		}
		if known(page.LastID) == nil {
			return nil, "", &Failure{Operation: q.operation, Provider: q.provider, Reason: ReasonPartial, StatusCode: http.StatusOK, Err: errNoCursor}
		}
		return page.Data, *page.LastID, nil
	})
}

func (c *Client) listAnthropic(ctx context.Context, q question) ([]ModelInfo, *Failure) {
	models, failure := c.anthropicModels(ctx, q)
	rows := make([]ModelInfo, 0, len(models))
	for _, m := range models {
		rows = append(rows, row(Anthropic, ModelInfo{ID: m.ID, Name: m.DisplayName, ContextLength: m.MaxInputTokens, MaxTokens: m.MaxTokens}))
	}
	return rows, failure
}
