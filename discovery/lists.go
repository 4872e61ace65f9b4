package discovery

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/mesh-gateway/mesh-go/discovery/internal/modelid"
	"github.com/mesh-gateway/mesh-go/discovery/internal/ptr"
	"github.com/mesh-gateway/mesh-go/gen/anthropic"
	"github.com/mesh-gateway/mesh-go/gen/catalog"
	"github.com/mesh-gateway/mesh-go/gen/deepseek"
	"github.com/mesh-gateway/mesh-go/gen/gemini"
	"github.com/mesh-gateway/mesh-go/gen/openai"
	"github.com/mesh-gateway/mesh-go/gen/xai"
)

// listModels returns a provider's own list, or nothing if its key isn't set.
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
		// proto3 omits empty fields, so {} and {"error":…} decode as lists
		return nil, r.undecodable(errNoModels)
	}
	for i := range rows {
		rows[i].fromProvider(p)
	}
	return rows, nil
}

var errNoModels = errors.New("the response lists no model")

// listRequest returns a request for a model list, or nil if the key isn't set: then the
// provider just doesn't contribute to the list.
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

// pageSize is the largest page size that Anthropic and Google accept.
var pageSize int64 = 1000

// openAIModels reads GET /v1/models, which isn't paged.
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

// listDeepSeek reads GET /models, which isn't paged.
func (c *Client) listDeepSeek(ctx context.Context, r request) ([]ModelInfo, *Failure) {
	list, failure := fetch[deepseek.ModelList](ctx, c, r, func(ctx context.Context) (*http.Response, error) {
		return c.apis.deepseek.ListModels(ctx, bearer(r.key))
	})
	return mapped(list.Data, func(m deepseek.Model) ModelInfo {
		return ModelInfo{ID: m.ID, Name: m.Name, ContextLength: m.ContextWindow, MaxTokens: m.MaxOutputTokens}
	}), failure
}

// anthropicModels reads GET /v1/models page by page. If there are no lifecycles, it
// returns usable models: active and deprecated.
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

// listGemini reads GET /v1beta/models page by page. The last page's token is empty or
// missing.
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

// listXAI reads GET /v1/models, which isn't paged.
func (c *Client) listXAI(ctx context.Context, r request) ([]ModelInfo, *Failure) {
	list, failure := fetch[xai.ModelList](ctx, c, r, func(ctx context.Context) (*http.Response, error) {
		return c.apis.xai.ListModels(ctx, bearer(r.key))
	})
	return mapped(list.Data, func(m xai.Model) ModelInfo {
		return ModelInfo{ID: m.ID, Aliases: m.Aliases, ContextLength: m.ContextLength}
	}), failure
}

func mapped[T any](models []T, info func(T) ModelInfo) []ModelInfo {
	infos := make([]ModelInfo, len(models))
	for i, m := range models {
		infos[i] = info(m)
	}
	return infos
}

// Sources for models and prices. For a model from a provider's own list, Source is the
// provider's name.
const (
	SourceCatalog        = "catalog"         // models in the primary catalog
	SourceCloudBilling   = "cloudbilling"    // prices from Google's Cloud Billing catalog
	SourceLanguageModels = "language-models" // prices from xAI's GET /v1/language-models
)

// ModelInfo describes a model, without prices. A nil pointer means unknown: 0 and ""
// never do.
type ModelInfo struct {
	// ID is the id in the source.
	ID string `json:"id"`
	// Developer is the company that made the model, spelled as in the source ("Open AI"),
	// or "".
	Developer string `json:"developer"`
	// ContextLength is the context window in tokens.
	ContextLength *int64 `json:"context_length"`
	// MaxTokens is the maximum length of a response.
	MaxTokens *int64 `json:"max_tokens"`
	// Name is for display. It's neither unique nor reliable.
	Name *string `json:"name"`
	// Description has a sentence or two.
	Description *string `json:"description"`
	// Type is the API that serves the model, such as "openai/chat-completions". New
	// values may appear. If the source lists the model once per type, it's the first
	// type. In Gemini's own list it's the first method, such as "generateContent".
	Type *string `json:"type"`
	// Aliases are other ids.
	Aliases []string `json:"aliases"`
	// Tags are labels from the source.
	Tags []string `json:"tags"`
	// Source is [SourceCatalog], or the provider that listed the model.
	Source string `json:"source"`
}

// MarshalJSON encodes nil lists as [], never null.
func (m ModelInfo) MarshalJSON() ([]byte, error) {
	type plain ModelInfo
	if m.Aliases == nil {
		m.Aliases = []string{}
	}
	if m.Tags == nil {
		m.Tags = []string{}
	}
	return json.Marshal(plain(m))
}

// fromProvider completes a row from the provider's own list.
func (m *ModelInfo) fromProvider(p *providerInfo) {
	m.Developer, m.Source = modelid.Lookup(p.provider).Name, string(p.provider)
	m.Name, m.Description = ptr.NonZero(m.Name), ptr.NonZero(m.Description)
	m.ContextLength, m.MaxTokens = ptr.NonZero(m.ContextLength), ptr.NonZero(m.MaxTokens)
}

// maxLabels limits the aliases and the tags per row. The longest known list has about
// ten.
const maxLabels = 1000

var errTooManyLabels = fmt.Errorf("more than %d aliases or tags", maxLabels)

// readRows decodes rows until ctx ends. first is the error for the first skipped row.
func readRows(ctx context.Context, raw []json.RawMessage) (rows []ModelInfo, first error) {
	rows = make([]ModelInfo, 0, len(raw))
	for i, text := range raw {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		row, err := readRow(text)
		raw[i] = nil // frees memory: a catalog may have 500,000 rows
		if err == nil {
			rows = append(rows, row)
		} else if first == nil {
			first = fmt.Errorf("data[%d]: %w", i, err)
		}
	}
	return rows, first
}

// readRow decodes a row in any form the catalog has had. A field in info takes precedence
// over the same field next to the id, and outputMax over the older maxTokens. A row
// without a developer is valid.
func readRow(text json.RawMessage) (ModelInfo, error) {
	var e catalog.Entry
	if err := e.UnmarshalJSON(text); err != nil {
		return ModelInfo{}, err
	}
	switch {
	case e.ID == "":
		return ModelInfo{}, errors.New("the id is empty")
	case len(e.Aliases) > maxLabels || len(e.Tags) > maxLabels:
		return ModelInfo{}, errTooManyLabels
	}
	info := ptr.Value(e.Info)
	return ModelInfo{
		ID:            e.ID,
		Developer:     ptr.Value(cmp.Or(ptr.NonZero(info.Developer), ptr.NonZero(e.Developer))),
		ContextLength: positive(info.ContextLength, e.ContextLength),
		MaxTokens:     positive(info.OutputMax, info.MaxTokens, e.OutputMax, e.MaxTokens),
		Name:          cmp.Or(ptr.NonZero(info.Name), ptr.NonZero(e.Name)),
		Description:   cmp.Or(ptr.NonZero(info.Description), ptr.NonZero(e.Description)),
		Type:          ptr.NonZero(e.Type),
		Aliases:       e.Aliases,
		Tags:          e.Tags,
		Source:        SourceCatalog,
	}, nil
}

// positive returns the first positive integer. Zero and non-integers mean unknown.
func positive(numbers ...*json.Number) *int64 {
	for _, n := range numbers {
		if n == nil {
			continue
		}
		if i, err := n.Int64(); err == nil && i > 0 {
			return &i
		}
	}
	return nil
}

// merge adds fields from another row with the same id: the catalog lists a model once per
// type. Lists may then have duplicates.
func (m *ModelInfo) merge(other ModelInfo) {
	m.ContextLength = cmp.Or(m.ContextLength, other.ContextLength)
	m.MaxTokens = cmp.Or(m.MaxTokens, other.MaxTokens)
	m.Name = cmp.Or(m.Name, other.Name)
	m.Description = cmp.Or(m.Description, other.Description)
	m.Type = cmp.Or(m.Type, other.Type)
	m.Aliases = append(m.Aliases, other.Aliases...)
	m.Tags = append(m.Tags, other.Tags...)
}

// clone returns a deep copy, so that callers can't change the cache. Its lists aren't
// nil.
func (m *ModelInfo) clone() *ModelInfo {
	c := *m
	c.ContextLength, c.MaxTokens = ptr.Copy(m.ContextLength), ptr.Copy(m.MaxTokens)
	c.Name, c.Description, c.Type = ptr.Copy(m.Name), ptr.Copy(m.Description), ptr.Copy(m.Type)
	c.Aliases, c.Tags = append([]string{}, m.Aliases...), append([]string{}, m.Tags...)
	return &c
}

func unique(list []string) []string {
	if len(list) < 2 {
		return list
	}
	seen := make(map[string]bool, len(list))
	return slices.DeleteFunc(list, func(s string) bool {
		repeated := seen[s]
		seen[s] = true
		return repeated
	})
}
