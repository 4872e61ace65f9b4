package discovery

import (
	"context"
	"net/http"

	"github.com/mesh-gateway/mesh-go/gen/openai"
)

// openAIModels asks for OpenAI's models (GET /v1/models; WIRE.md section 7). There are no pages.
func (c *Client) openAIModels(ctx context.Context, q question) ([]openai.Model, *Failure) {
	api := &openai.Client{
		Server: c.baseURLs[ServiceOpenAI] + "/", Client: c.http,
		RequestEditors: []openai.RequestEditorFn{edit("Authorization", "Bearer "+q.key.Reveal())},
	}
	list, failure := ask[openai.ModelList](ctx, c, q, func(ctx context.Context) (*http.Response, error) { return api.ListModels(ctx) })
	return list.Data, failure
}

func (c *Client) listOpenAI(ctx context.Context, q question) ([]ModelInfo, *Failure) {
	models, failure := c.openAIModels(ctx, q)
	rows := make([]ModelInfo, 0, len(models))
	for _, m := range models {
		rows = append(rows, row(OpenAI, ModelInfo{ID: m.ID}))
	}
	return rows, failure
}
