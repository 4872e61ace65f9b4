package faults_test

import (
	"context"
	"slices"
	"time"

	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/models"
)

func discoveryOperations() []*operation {
	return slices.Concat(catalogOperations(), fallbackOperations(), retirementOperations(), priceOperations(), livePriceOperations(), balanceOperations(), costOperations())
}

// An invalid catalog row is left out and reported as partial. The others are listed.
var catalogNulls = map[string]outcome{
	"": decode, "data": decode, "data[]": part, "data[].id": part, "data[].aliases[]": part, "data[].tags[]": part,
}

func catalogOperation(name, method string, empty any, ask func(context.Context, *discovery.Client, discovery.CatalogOptions) (any, error)) *operation {
	return &operation{
		name: name, method: method, byContext: true, shared: true, empty: empty,
		discover: func(ctx context.Context, c *discovery.Client, _ time.Duration) (any, error) {
			return ask(ctx, c, discovery.CatalogOptions{})
		},
		text: path{"data", 0, "info", "name"}, integer: path{"data", 0, "info", "contextLength"}, object: path{"data", 0, "info"},
		nulls: catalogNulls,
		exceptions: []exception{
			{fault: "integer of 2^63", becomes: anyResult, why: "an invalid count is unknown"},
			{fault: "number of 1e400", becomes: anyResult, why: "an invalid count is unknown"},
			{fault: "fraction for an integer", becomes: anyResult, why: "an invalid count is unknown"},
			{fault: "integer of a million digits", becomes: anyResult, why: "an invalid count is unknown"},
		},
	}
}

func listModels(ctx context.Context, c *discovery.Client, opts discovery.CatalogOptions) (any, error) {
	return c.ListModels(ctx, opts)
}

// catalogOperations read the catalog without a fallback: there is no provider key, or all
// provider lists are empty.
func catalogOperations() []*operation {
	const id = "openai/gpt-4o"
	list := catalogOperation("ListModels", "ListModels", []discovery.ModelInfo{}, listModels)
	keyed := *list
	keyed.name, keyed.keyed = "ListModels/keys", true
	list.full = true
	return []*operation{
		list, &keyed,
		catalogOperation("IsModelSupported", "IsModelSupported", false, func(ctx context.Context, c *discovery.Client, opts discovery.CatalogOptions) (any, error) {
			return c.IsModelSupported(ctx, id, opts)
		}),
		catalogOperation("GetModelInfo", "GetModelInfo", (*discovery.ModelInfo)(nil), func(ctx context.Context, c *discovery.Client, opts discovery.CatalogOptions) (any, error) {
			return c.GetModelInfo(ctx, id, opts)
		}),
		staleCatalog(),
	}
}

// staleCatalog refreshes a cached catalog. If that fails, the cached one is returned with
// the failure.
func staleCatalog() *operation {
	op := catalogOperation("ListModels/old", "ListModels", []discovery.ModelInfo{}, func(ctx context.Context, c *discovery.Client, opts discovery.CatalogOptions) (any, error) {
		if _, err := c.ListModels(ctx, opts); err != nil {
			return nil, err
		}
		opts.Refresh = true
		return c.ListModels(ctx, opts)
	})
	op.skip = 1
	return op
}

// fallbackOperations read the provider lists, and one fails. The catalog is down, and the
// other lists are empty.
func fallbackOperations() []*operation {
	inData := map[string]outcome{"": decode, "data": decode, "data[]": decode, "data[].id": decode}
	list := func(provider models.Provider, service discovery.Service, integer string) *operation {
		return &operation{
			name: "ListModels/" + string(provider), method: "ListModels", provider: provider, service: service, byContext: true, shared: true, keyed: true,
			empty: []discovery.ModelInfo{},
			discover: func(ctx context.Context, c *discovery.Client, _ time.Duration) (any, error) {
				return listModels(ctx, c, discovery.CatalogOptions{})
			},
			text: path{"data", 0, "id"}, integer: path{"data", 0, integer}, object: path{"data", 0}, nulls: inData,
		}
	}
	xai := list(models.XAI, discovery.ServiceXAI, "created")
	xai.nulls = map[string]outcome{"": decode, "data": decode, "data[]": decode, "data[].id": decode, "data[].aliases[]": decode}
	xai.exceptions = append(xai.exceptions, xaiKey)
	anthropic := list(models.Anthropic, discovery.ServiceAnthropic, "max_tokens")
	anthropic.pageSize = 13
	second := secondPage(anthropic)
	anthropic.nulls = cloneWith(anthropic.nulls, "last_id", part) // the page announces another one, but has no cursor
	gemini := list(models.Gemini, discovery.ServiceGemini, "")
	gemini.pageSize = 8
	gemini.text, gemini.integer, gemini.object = path{"models", 0, "displayName"}, path{"models", 0, "inputTokenLimit"}, path{"models", 0}
	gemini.nulls = map[string]outcome{"": decode, "models[]": decode, "models[].name": decode, "models[].supportedGenerationMethods[]": decode}
	gemini.exceptions = append(gemini.exceptions, googleKey)
	return []*operation{
		list(models.OpenAI, discovery.ServiceOpenAI, "created"),
		list(models.DeepSeek, discovery.ServiceDeepSeek, "context_window"),
		anthropic, second, gemini, secondPage(gemini, emptyObject), xai,
	}
}

// Some providers answer 400 instead of 401, or omit empty fields.
var (
	googleKey   = exception{fault: "400, API key not valid", becomes: denied, why: "Google refuses a key with 400"}
	xaiKey      = exception{fault: "400, incorrect API key", becomes: denied, why: "xAI refuses a key with 400"}
	emptyObject = exception{fault: "{}", becomes: anyResult, why: "proto3 omits empty fields: this is the last page, without rows"}
)

// secondPage moves the fault to the second page, which decides the whole list's outcome.
func secondPage(op *operation, exceptions ...exception) *operation {
	second := *op
	second.name, second.skip = op.name+" p2", 1
	second.exceptions = slices.Concat(exceptions, op.exceptions)
	return &second
}

// retirementOperations read the two providers that publish retirement dates. The one
// without the fault lists nothing.
func retirementOperations() []*operation {
	inData := map[string]outcome{"": decode, "data": decode, "data[]": decode, "data[].id": decode}
	retirements := func(ctx context.Context, c *discovery.Client, _ time.Duration) (any, error) {
		return c.Retirements(ctx)
	}
	openai := &operation{
		name: "Retirements/openai", method: "Retirements", provider: models.OpenAI, service: discovery.ServiceOpenAI, byContext: true, keyed: true,
		discover: retirements, empty: models.Retirements(), dated: [2]string{"shutdown_date", "2031-01-02"},
		text: path{"data", 0, "owned_by"}, integer: path{"data", 0, "created"}, object: path{"data", 0}, nulls: inData,
	}
	anthropic := &operation{
		name: "Retirements/anthropic", method: "Retirements", provider: models.Anthropic, service: discovery.ServiceAnthropic,
		byContext: true, keyed: true, pageSize: 13, discover: retirements, empty: models.Retirements(), dated: [2]string{"retires_at", "2031-01-02T00:00:00Z"},
		text: path{"data", 0, "display_name"}, integer: path{"data", 0, "max_tokens"}, object: path{"data", 0}, nulls: inData,
	}
	second := secondPage(anthropic)
	anthropic.nulls = cloneWith(anthropic.nulls, "last_id", part)
	return []*operation{openai, anthropic, second}
}
