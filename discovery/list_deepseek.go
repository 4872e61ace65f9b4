package discovery

import (
	"context"
	"net/http"

	"github.com/mesh-gateway/mesh-go/gen/deepseek"
)

// listDeepSeek asks for DeepSeek's models (GET /models; WIRE.md section 4). There are no pages.
func (c *Client) listDeepSeek(ctx context.Context, q question) ([]ModelInfo, *Failure) {
	api := &deepseek.Client{
		Server: c.baseURLs[ServiceDeepSeek] + "/", Client: c.http,
		RequestEditors: []deepseek.RequestEditorFn{edit("Authorization", "Bearer "+q.key.Reveal())},
	}
	list, failure := ask[deepseek.ModelList](ctx, c, q, func(ctx context.Context) (*http.Response, error) { return api.ListModels(ctx) })
	rows := make([]ModelInfo, 0, len(list.Data))
	for _, m := range list.Data {
		rows = append(rows, row(DeepSeek, ModelInfo{ID: m.ID, Name: m.Name, ContextLength: m.ContextWindow, MaxTokens: m.MaxOutputTokens}))
	}
	return rows, failure
}
