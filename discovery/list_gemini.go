package discovery

import (
	"context"
	"net/http"
	"strings"

	"github.com/mesh-gateway/mesh-go/gen/gemini"
)

// listGemini asks for Google's models, page after page (GET /v1beta/models; WIRE.md section 6). The last page has no
// token, or an empty one.
func (c *Client) listGemini(ctx context.Context, q question) ([]ModelInfo, *Failure) {
	api := &gemini.Client{
		Server: c.baseURLs[ServiceGemini] + "/", Client: c.http,
		RequestEditors: []gemini.RequestEditorFn{edit("x-goog-api-key", q.key.Reveal())},
	}
	size := int64(1000)
	models, failure := pages(q, func(cursor string) ([]gemini.Model, string, *Failure) {
		params := &gemini.ListModelsParams{PageSize: &size, PageToken: known(&cursor)}
		page, failure := ask[gemini.ModelPage](ctx, c, q, func(ctx context.Context) (*http.Response, error) { return api.ListModels(ctx, params) })
		if failure == nil && brokenOff(len(page.Models), page.NextPageToken, page.AdditionalProperties) {
			failure = noRows(q, errNoModels)
		}
		return page.Models, textOf(page.NextPageToken), failure
	})
	rows := make([]ModelInfo, 0, len(models))
	for _, m := range models {
		rows = append(rows, row(Gemini, ModelInfo{
			ID: strings.TrimPrefix(m.Name, "models/"), Name: m.DisplayName, Description: m.Description,
			ContextLength: m.InputTokenLimit, MaxTokens: m.OutputTokenLimit,
		}))
	}
	return rows, failure
}
