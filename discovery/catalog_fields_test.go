package discovery_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/discovery"
)

// Every field of the catalog is stored in the field of the same name.
func TestModelHasEveryField(t *testing.T) {
	t.Parallel()
	models, err := catalogServer(`[{"id":"acme/one","type":"chat","aliases":["one","uno"],"tags":["fast"],"info":{"developer":"Acme","name":"One",
		"description":"The first.","contextLength":1000,"maxTokens":100}},{"id":"acme/two","developer":"Acme"}]`).
		inProcess().ListModels(t.Context(), discovery.CatalogOptions{})
	require.NoError(t, err)
	assert.Equal(t, []discovery.ModelInfo{
		{
			ID: "acme/one", Developer: "Acme", ContextLength: ptr(int64(1000)), MaxTokens: ptr(int64(100)), Name: ptr("One"),
			Description: ptr("The first."), Type: ptr("chat"), Aliases: []string{"one", "uno"}, Tags: []string{"fast"}, Source: "catalog",
		},
		{ID: "acme/two", Developer: "Acme", Aliases: []string{}, Tags: []string{}, Source: "catalog"},
	}, models, "and the defaults")
}

// The three methods share one catalog and one TTL. The TTL is written out here, so that a change of the constant is
// noticed.
func TestEveryMethodHonorsTheTTL(t *testing.T) {
	t.Parallel()
	const ttlSeconds = 86400
	for name, call := range map[string]func(context.Context, *discovery.Client, discovery.CatalogOptions) error{
		"ListModels": func(ctx context.Context, c *discovery.Client, opts discovery.CatalogOptions) error {
			_, err := c.ListModels(ctx, opts)
			return err
		},
		"IsModelSupported": func(ctx context.Context, c *discovery.Client, opts discovery.CatalogOptions) error {
			_, err := c.IsModelSupported(ctx, "gpt-4o", opts)
			return err
		},
		"GetModelInfo": func(ctx context.Context, c *discovery.Client, opts discovery.CatalogOptions) error {
			_, err := c.GetModelInfo(ctx, "gpt-4o", opts)
			return err
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := catalogServer(twoModels)
			c := s.inProcess()
			for i, row := range []struct {
				after    time.Duration // since the previous row, in virtual time
				opts     discovery.CatalogOptions
				requests int
			}{
				{0, discovery.CatalogOptions{}, 1},
				{ttlSeconds*time.Second - 1, discovery.CatalogOptions{}, 1},
				{1, discovery.CatalogOptions{}, 2},
				{0, discovery.CatalogOptions{Refresh: true}, 3},
				{time.Minute, discovery.CatalogOptions{TTL: time.Hour}, 3},
				{0, discovery.CatalogOptions{TTL: time.Minute}, 4},
			} {
				time.Sleep(row.after)
				require.NoError(t, call(t.Context(), c, row.opts))
				assert.Equal(t, row.requests, s.count("catalog"), "%s, row %d", name, i)
			}
		})
	}
}

func TestResponsesAreLimitedTo32MiBByDefault(t *testing.T) {
	t.Parallel()
	for size, want := range map[int][]string{32 << 20: nil, 32<<20 + 1: {"too_large"}} {
		synctest.Test(t, func(t *testing.T) { // the timeout of the request does not pass on a slow machine
			s := catalogServer(twoModels + strings.Repeat(" ", size-len(twoModels)))
			models, err := s.inProcess().ListModels(t.Context(), discovery.CatalogOptions{})
			require.NoError(t, err)
			assert.Equal(t, want == nil, len(models) == 2)
			assert.Equal(t, want, s.reasons())
		})
	}
}
