package fakeproviders_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/fakeproviders"
	"github.com/mesh-gateway/mesh-go/discovery"
	"github.com/mesh-gateway/mesh-go/discovery/discoverytest"
)

// Fake providers on another machine would receive all keys.
func TestKeysStayOnThisMachine(t *testing.T) {
	t.Parallel()
	for _, url := range []string{
		"http://example.com", "https://127.0.0.1:1", "http://127.0.0.1.example.com", "http://127.0.0.1@example.com", "http://me:secret@127.0.0.1",
		"http://10.0.0.1:8788", "http://[::]:8788", "//127.0.0.1", "127.0.0.1:8788", "http://127.0.0.1/?secret", "http://%zz", "http://0.0.0.0:1",
	} {
		opts, err := fakeproviders.Options(url)
		require.EqualError(t, err, "MESH_PROVIDERS_URL must be an address on this machine, as printed by mesh providers", url)
		assert.Empty(t, opts)
	}
	for _, url := range []string{"http://127.0.0.1:8788", "http://localhost:8788/", "http://[::1]:8788", "http://127.8.9.1"} {
		_, err := fakeproviders.Options(url)
		require.NoError(t, err, url)
	}
}

func TestOptionsReachEveryService(t *testing.T) {
	s := discoverytest.New(t)
	opts, err := fakeproviders.Options(s.URL)
	require.NoError(t, err)
	for _, v := range fakeproviders.Environment(s.URL) {
		t.Setenv(v.Name, v.Value)
	}
	c, err := discovery.New(append(opts, discovery.WithStrictErrors())...)
	require.NoError(t, err)
	_, err = c.ListModels(t.Context(), discovery.CatalogOptions{})
	require.NoError(t, err)
	pricings, err := c.FetchGeminiPricing(t.Context(), discovery.PricingOptions{})
	require.NoError(t, err)
	assert.NotEmpty(t, pricings)
	buckets, err := c.FetchXAICostBuckets(t.Context(), discovery.XAICostQuery{StartTime: "2026-11-01", EndTime: "2026-11-02"})
	require.NoError(t, err)
	assert.Len(t, buckets, 1)
}
