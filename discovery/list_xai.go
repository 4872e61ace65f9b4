package discovery

import (
	"context"
	"net/http"

	"github.com/mesh-gateway/mesh-go/gen/xai"
)

// listXAI asks for xAI's models (GET /v1/models; WIRE.md section 7). There are no pages.
func (c *Client) listXAI(ctx context.Context, q question) ([]ModelInfo, *Failure) {
	api := &xai.Client{
		Server: c.baseURLs[ServiceXAI] + "/", Client: c.http,
		RequestEditors: []xai.RequestEditorFn{edit("Authorization", "Bearer "+q.key.Reveal())},
	}
	list, failure := ask[xai.ModelList](ctx, c, q, func(ctx context.Context) (*http.Response, error) { return api.ListModels(ctx) })
	rows := make([]ModelInfo, 0, len(list.Data))
	for _, m := range list.Data {
		rows = append(rows, row(XAI, ModelInfo{ID: m.ID, Aliases: m.Aliases, ContextLength: m.ContextLength}))
	}
	return rows, failure
}
